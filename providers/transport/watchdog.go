package transport

import (
	"bytes"
	"context"
	"errors"
	"time"
)

// errSilent is the cause of a request that a watchdog cancelled.
var errSilent = errors.New("no data came in time")

// watchdog cancels a request when no byte moves for too long while someone
// waits for one. Without a limit it does nothing. It is safe for concurrent use.
type watchdog struct {
	limit time.Duration
	timer *time.Timer // nil without a limit
}

func newWatchdog(limit time.Duration, cancel context.CancelCauseFunc) *watchdog {
	w := &watchdog{limit: limit}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, func() { cancel(errSilent) })
		w.timer.Stop()
	}
	return w
}

// arm starts counting again.
func (w *watchdog) arm() {
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
}

// disarm stops counting.
func (w *watchdog) disarm() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// upload is a request body whose progress counts as a sign of life.
type upload struct {
	*bytes.Reader
	watch *watchdog
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	u.watch.arm()
	return u.Reader.Read(p)
}
