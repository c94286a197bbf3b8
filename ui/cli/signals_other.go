//go:build !unix

package cli

import "os"

// The system has no signals for a file that is too large and a reader that is
// gone, and the runtime opens nothing in place of an output. No
// program is in the background of a terminal.

func heedSizeLimit()        {}
func heedPipes()            {}
func closed() bool          { return false }
func inFront(*os.File) bool { return true }
