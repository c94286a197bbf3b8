package login

import (
	"errors"
	"syscall"
)

// inUse reports whether someone else listens at an address.
func inUse(err error) bool {
	const addressInUse = syscall.Errno(10048) // WSAEADDRINUSE
	return errors.Is(err, addressInUse) || errors.Is(err, syscall.EADDRINUSE)
}
