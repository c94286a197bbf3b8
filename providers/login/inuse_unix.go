//go:build !windows

package login

import (
	"errors"
	"syscall"
)

// inUse reports whether someone else listens at an address.
func inUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
