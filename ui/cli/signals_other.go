//go:build !unix

package cli

// The system has no signals for a file that is too large and a reader that is
// gone, and the runtime opens nothing in place of an output.

func heedSizeLimit() {}
func heedPipes()     {}
func closed() bool   { return false }
