package transport

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mostUnanswered is how long data may stay unanswered by the other side.
const mostUnanswered = 45 * time.Second

// unanswered has a connection end whose data no one answers, such as one from before a sleep.
func unanswered(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(mostUnanswered/time.Millisecond)) // where it cannot be, it takes longer
	})
}
