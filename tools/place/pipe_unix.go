//go:build unix

package place

import (
	"syscall"
	"time"
)

// sweepMax bounds what sweep reads: the largest pipe an ordinary user can have
// on Linux.
const sweepMax = 1 << 20

// sweep delivers what is in the pipe at this moment.
func (p *pipe) sweep() {
	if p.r.SetReadDeadline(time.Time{}) != nil {
		return
	}
	raw, err := p.r.SyscallConn()
	if err != nil {
		return
	}
	for left := sweepMax; left > 0; {
		n := 0
		err := raw.Read(func(fd uintptr) bool {
			n, _ = syscall.Read(int(fd), p.buf)
			return true // never wait
		})
		if err != nil || n <= 0 {
			return
		}
		left -= n
		_, _ = p.to.Write(p.buf[:n])
	}
}
