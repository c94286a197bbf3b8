//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreSizeLimit makes a write over the file size limit an error and not the end
// of the program.
func ignoreSizeLimit() { signal.Ignore(syscall.SIGXFSZ) }
