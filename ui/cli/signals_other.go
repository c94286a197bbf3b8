//go:build !unix

package cli

// ignoreSizeLimit has nothing to do: the system has no signal for it.
func ignoreSizeLimit() {}
