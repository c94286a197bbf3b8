//go:build unix

package uitest

import (
	"io"
	"sync/atomic"
)

// StopReading makes the terminal take no more output until the program has ended,
// as one does that is stopped by ctrl+s or whose connection hangs. What fits into
// the buffers of the system, some ten KB, can still be written.
func (d *Driver) StopReading() *Driver {
	d.t.Helper()
	if err := d.ready(); err != nil {
		d.fail("%v before the program had drawn its first frame", err)
	}
	d.stuck.Store(true)
	return d
}

// stuckReader reads nothing from when it is stuck until the program has ended.
type stuckReader struct {
	r     io.Reader
	stuck *atomic.Bool
	ended <-chan struct{}
}

// Read implements io.Reader.
func (s *stuckReader) Read(p []byte) (int, error) {
	if s.stuck.Load() {
		<-s.ended
	}
	return s.r.Read(p)
}
