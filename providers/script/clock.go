package script

import (
	"context"
	"time"
)

// Clock is the time that answers are paced by.
type Clock interface {
	Now() time.Time
	// Sleep waits for d. It returns the context's cause as soon as ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// systemClock is the clock of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return context.Cause(ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func clockOr(c Clock) Clock {
	if c == nil {
		return systemClock{}
	}
	return c
}

// maxLag is how far an answer may fall behind its schedule and still catch up
// without pauses. It keeps the mean rate through late wake-ups, and keeps a
// reader that was away for long from getting everything at once.
const maxLag = 500 * time.Millisecond

// pace keeps beats to their schedule.
type pace struct {
	clock Clock
	due   time.Time // of the newest beat
}

// keep waits until b is due. It returns the context's cause when ctx ends.
func (p *pace) keep(ctx context.Context, b Beat) error {
	if err := p.wait(ctx, b.After, false); err != nil || b.Kind != BeatPause {
		return err
	}
	if b.Pause < 0 {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return p.wait(ctx, b.Pause, true)
}

// wait waits until d after the beat before, or, with fresh, for all of d.
func (p *pace) wait(ctx context.Context, d time.Duration, fresh bool) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	now := p.clock.Now()
	if fresh || p.due.IsZero() || now.Sub(p.due) > maxLag {
		p.due = now
	}
	p.due = p.due.Add(d)
	if left := p.due.Sub(now); left > 0 {
		return p.clock.Sleep(ctx, left)
	}
	return context.Cause(ctx)
}
