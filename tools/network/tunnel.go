package network

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// tunnel passes bytes on in both directions until both have ended, one has failed,
// or nothing has passed for a while: between one and three times the limit. sent is
// what has been read of the process already.
func (p *Proxy) tunnel(down, up net.Conn, sent []byte) {
	if c, ok := down.(*conn); ok {
		sent = append(sent, c.head...)
		down = c.Conn // the system's own copying needs the bare connections
	}
	_ = up.SetWriteDeadline(time.Now().Add(p.limits.idle)) // fails with the connection
	if _, err := up.Write(sent); err != nil {
		return
	}
	t := &tunnel{idle: p.limits.idle}
	t.moved.Store(time.Now().UnixNano())
	var both sync.WaitGroup
	both.Go(func() { t.pass(up, down) })
	both.Go(func() { t.pass(down, up) })
	both.Wait()
}

type tunnel struct {
	idle  time.Duration
	moved atomic.Int64 // when bytes last passed, in nanoseconds, give or take the limit
}

// pass copies one direction. Its end is passed on; an error ends the other one.
func (t *tunnel) pass(to, from net.Conn) {
	for {
		now := time.Now()
		// A read that times out has lost nothing. A write that does has, but then the
		// other side has taken next to nothing for the whole time.
		_ = from.SetReadDeadline(now.Add(t.idle)) // both fail with the connection
		_ = to.SetWriteDeadline(now.Add(2 * t.idle))
		n, err := io.Copy(to, from)
		if n > 0 {
			t.moved.Store(time.Now().UnixNano())
		}
		if err == nil && closeWrite(to) {
			return
		}
		quiet, took := time.Since(time.Unix(0, t.moved.Load())), time.Since(now)
		if errors.Is(err, os.ErrDeadlineExceeded) && max(quiet, took) < 2*t.idle {
			continue // it was the read
		}
		to.Close()
		from.Close()
		return
	}
}

// closeWrite tells the other side that nothing follows. It reports whether that is
// possible.
func closeWrite(c net.Conn) bool {
	half, ok := c.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}
