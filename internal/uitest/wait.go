//go:build unix

package uitest

import (
	"errors"
	"fmt"
	"time"
)

// The reasons for which a wait ends without success.
var (
	errTime  = errors.New("the time ran out")
	errEnded = errors.New("the program ended")
)

// waitUntil waits until holds is true of the terminal, which is locked while it
// is called. It looks whenever something was written. A program that has ended
// is looked at once more.
func (d *Driver) waitUntil(limit time.Duration, holds func(*terminal) bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		d.term.mu.Lock()
		ok, over, changed, fault := holds(d.term), d.term.over, d.term.changed, d.term.fault
		d.term.mu.Unlock()
		switch {
		case fault != nil:
			return fault
		case ok:
			return nil
		case over:
			return errEnded
		}
		select {
		case <-changed:
		case <-timer.C:
			return errTime
		}
	}
}

// WaitFor waits until all matchers hold at the same time. What holds at once may be
// from before the keys that were sent last, which are handled first then; what they
// have the program do besides may not have happened yet: only [Driver.WaitIdle] knows.
// While the program has handed the terminal to another one, such as an editor, it
// needs no protocol, and what it waits for must not be on the screen already.
func (d *Driver) WaitFor(all ...Matcher) *Driver {
	d.t.Helper()
	if d.behind && !d.stuck.Load() {
		d.term.mu.Lock()
		early := d.term.modes.dec[modePaste] && Explain(d.term.picture(), all...) == ""
		d.term.mu.Unlock()
		if early {
			d.settle()
		}
	}
	err := d.waitUntil(d.timeout, func(t *terminal) bool {
		return (!t.modes.dec[modeSync] || t.over) && Explain(t.picture(), all...) == ""
	})
	if err != nil {
		d.fail("%v before it was there:\n%s", err, Explain(d.term.snapshot(), all...))
	}
	return d
}

// WaitSync waits until the program has handled and drawn everything that was
// sent to it. It may go on working.
func (d *Driver) WaitSync() *Driver {
	d.t.Helper()
	if err := d.sync(false); err != nil {
		d.fail("%v before the program had handled its input", err)
	}
	return d
}

// WaitIdle waits until the program has handled and drawn everything that was
// sent to it and has nothing left to do by itself.
func (d *Driver) WaitIdle() *Driver {
	d.t.Helper()
	if err := d.sync(true); err != nil {
		d.fail("%v before the program was idle (%s)", err, d.progress())
	}
	return d
}

// progress says how far the program is.
func (d *Driver) progress() string {
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	m := d.term.mark
	if !m.seen {
		return "its title never said so"
	}
	return fmt.Sprintf("handled %d of %d marks, %d things to do", m.Sync, d.marks, m.Busy)
}

// sync sends a mark and waits for the frame that counts it; with idle set, for
// one with nothing left to do.
func (d *Driver) sync(idle bool) error {
	if d.plain {
		return errors.New("the program does not know the protocol")
	}
	if err := d.ready(); err != nil {
		return err
	}
	d.redrawn()
	d.behind = false
	for {
		wanted := d.sendMark()
		sealed := false
		err := d.waitUntil(d.timeout, func(t *terminal) bool {
			sealed = t.mark.sealed
			return t.mark.Sync >= wanted && (!idle || t.mark.Busy == 0) && (!t.modes.dec[modeSync] || t.over)
		})
		if err != nil || sealed {
			return err
		}
		// The title comes before the text of its frame. Nothing marks the end of
		// the frame, but the next title comes after it.
		wanted = d.sendMark()
		busy := 0
		err = d.waitUntil(d.timeout, func(t *terminal) bool {
			busy = t.mark.Busy
			return t.mark.Sync >= wanted
		})
		if err != nil || !idle || busy == 0 {
			return err
		}
	}
}

// ready waits for the first frame, so that input meets a program that reads it.
func (d *Driver) ready() error {
	if d.plain {
		return nil
	}
	return d.waitUntil(d.timeout, func(t *terminal) bool { return t.mark.seen })
}

// sendMark sends a reply to be counted and returns the count to wait for.
func (d *Driver) sendMark() int {
	d.marks++
	d.input.add([]byte(MarkReply))
	return d.marks
}

// redrawTime bounds the wait for the frame in a new size, in a program whose
// title does not name the size.
const redrawTime = time.Second

// redrawn waits until a new size was drawn. The signal that announces it is not
// in order with the keys: the title tells the size, or else a new size shows in
// the whole screen being erased to be drawn again. What goes wrong here shows in
// what comes after.
func (d *Driver) redrawn() {
	if !d.undrawn {
		return
	}
	d.undrawn = false
	named := false
	fits := func(t *terminal) bool {
		if named = t.mark.Cols > 0; named {
			return t.mark.Cols == d.cols && t.mark.Rows == d.rows
		}
		return t.erased > d.erased
	}
	if err := d.waitUntil(redrawTime, fits); errors.Is(err, errTime) && named {
		_ = d.waitUntil(d.timeout, fits)
	}
}

// settle waits until the program has handled what was sent to it, if anything
// was. A program that ends meanwhile is settled.
func (d *Driver) settle() {
	d.t.Helper()
	if !d.behind || d.plain {
		return
	}
	if err := d.sync(false); err != nil && !errors.Is(err, errEnded) {
		d.fail("%v before the program had handled its input", err)
	}
}

// Screen is the screen after everything that was sent is handled.
func (d *Driver) Screen() Screen {
	d.t.Helper()
	d.settle()
	return d.still()
}

// still is the screen between two frames.
func (d *Driver) still() Screen {
	d.t.Helper()
	var s Screen
	err := d.waitUntil(d.timeout, func(t *terminal) bool {
		s = t.picture()
		return !t.modes.dec[modeSync] || t.over
	})
	if err != nil {
		d.fail("%v in the middle of a frame", err)
	}
	return s
}

// Expect checks the screen after everything that was sent is handled.
func (d *Driver) Expect(all ...Matcher) *Driver {
	d.t.Helper()
	d.settle()
	if why := Explain(d.still(), all...); why != "" {
		d.fail("%s", why)
	}
	return d
}

// ExpectQuiet checks that the program writes nothing to the terminal for a
// while.
func (d *Driver) ExpectQuiet(while time.Duration) *Driver {
	d.t.Helper()
	d.settle()
	before := d.Bytes()
	err := d.waitUntil(while, func(t *terminal) bool { return t.bytes != before })
	switch {
	case err == nil:
		d.fail("the program wrote %d bytes while it should rest: %q", d.Bytes()-before, last(d.Output(), int(min(d.Bytes()-before, showBytes))))
	case !errors.Is(err, errTime):
		d.fail("%v while it should rest", err)
	}
	return d
}

// Wait waits until the program has ended by itself.
func (d *Driver) Wait() ExitState {
	d.t.Helper()
	timer := time.NewTimer(d.timeout)
	defer timer.Stop()
	select {
	case <-d.exited:
	case <-timer.C:
		d.fail("the time ran out before the program ended")
	}
	return d.state
}
