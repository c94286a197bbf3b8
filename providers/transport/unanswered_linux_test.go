package transport

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDeadConnectionsAreNoticed has the system probe connections, and end those whose data no
// one answers, within a minute.
func TestDeadConnectionsAreNoticed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := New(Options{}).base.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		get := func(name int) int {
			n, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, name)
			if err != nil {
				t.Error(err)
			}
			return n
		}
		if n := get(unix.TCP_KEEPIDLE) + get(unix.TCP_KEEPINTVL)*get(unix.TCP_KEEPCNT); n <= 0 || n > 60 {
			t.Errorf("noticed after %d s", n)
		}
		if n := get(unix.TCP_USER_TIMEOUT); n <= 0 || n > 60_000 {
			t.Errorf("data unanswered for %d ms", n)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
