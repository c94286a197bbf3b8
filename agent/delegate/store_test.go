package delegate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
)

// TestBlockedRecord has the store take nothing: controls work all the same, no one
// else waits, and in the end everything is recorded in its order.
func TestBlockedRecord(t *testing.T) {
	inWorld(t, limits(), func(t *testing.T, w *world) {
		a, b := w.must(t, "a", ""), w.must(t, "b", "")
		w.mu.Lock()
		w.block = make(chan struct{})
		w.mu.Unlock()
		try(t, w.play("pause b"), nil)
		late := make(chan error, 1)
		go func() {
			_, err := w.spawn("c", "")
			late <- err
		}()
		synctest.Wait()
		if c := w.r.Live(); len(c) != 3 || w.r.Member(a.m.id) != a.m {
			t.Errorf("%d are alive", len(c))
		}
		try(t, w.play("kill a"), nil)
		if context.Cause(a.m.ctx) == nil {
			t.Error("a lives on")
		}
		synctest.Wait()
		if c := w.r.Live(); len(c) != 2 {
			t.Errorf("%d are alive after one was killed", len(c))
		}
		ctx, stop := context.WithCancelCause(context.Background())
		arrived := make(chan error, 1)
		go func() { arrived <- b.m.Checkpoint(ctx) }()
		synctest.Wait()
		stop(errCut)
		try(t, <-arrived, errCut)
		try(t, w.play("resume b"), nil)
		w.mu.Lock()
		block := w.block
		w.block = nil
		w.mu.Unlock()
		close(block)
		try(t, <-late, nil)
		synctest.Wait()
		for name, want := range map[string]string{
			"a": "spawned running stopping killed!", "b": "spawned running pausing paused running", "c": "spawned running",
		} {
			if got := w.life(w.hand(name).m.id); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	})
}

// TestStalledStore kills a subagent whose spawn is not stored yet.
func TestStalledStore(t *testing.T) {
	inWorld(t, limits(), func(t *testing.T, w *world) {
		w.stall = make(chan struct{})
		late := make(chan *hand, 1)
		go func() { late <- w.must(t, "a", "") }()
		synctest.Wait()
		m := w.r.Live()[0]
		w.r.mu.Lock()
		w.r.fillSlots(w.r.root)
		if m.state != event.AgentQueued {
			t.Errorf("it is %s", m.state)
		}
		w.r.mu.Unlock()
		m.Kill()
		close(w.stall)
		a := <-late
		if rep := a.m.Wait(); rep.State != event.AgentKilled || a.ran {
			t.Errorf("%+v, it ran: %v", rep, a.ran)
		}
	})
}

// TestNoPlaceForTheEnding frees a slot just when the subagent that waits for it
// was asked to end.
func TestNoPlaceForTheEnding(t *testing.T) {
	for name, end := range map[string]func(w *world, a *hand){
		"killed":  func(w *world, a *hand) { w.r.kill(a.m, api.Self) },
		"cut off": func(_ *world, a *hand) { a.cut(errCut) },
	} {
		t.Run(name, func(t *testing.T) {
			l := limits()
			l.Concurrent = 1
			inWorld(t, l, func(t *testing.T, w *world) {
				w.must(t, "b", "")
				a := w.must(t, "a", "")
				w.r.mu.Lock()
				end(w, a)
				w.r.o.Limits.Concurrent = 2
				w.r.fillSlots(w.r.root)
				w.r.mu.Unlock()
				<-a.m.Done()
				if got := w.life(a.m.id); strings.Contains(got, "running") {
					t.Error(got)
				}
			})
		})
	}
}

// TestLeavesNothing ends a paused subagent while something of it stands at a
// checkpoint: that goes on, and its context has ended.
func TestLeavesNothing(t *testing.T) {
	inWorld(t, limits(), func(t *testing.T, w *world) {
		a := w.must(t, "a", "")
		try(t, w.play("pause a"), nil)
		passed := make(chan error)
		go func() { passed <- a.m.Checkpoint(context.Background()) }()
		synctest.Wait()
		a.ends("completed")
		<-a.m.Done()
		try(t, <-passed, nil)
		try(t, a.m.Checkpoint(context.Background()), nil)
		if a.m.ctx.Err() == nil {
			t.Error("its context lives on")
		}
	})
}

// TestUnstored refuses to store a spawn: there is no subagent, and no place is
// lost.
func TestUnstored(t *testing.T) {
	inWorld(t, limits(), func(t *testing.T, w *world) {
		full := errors.New("the disk is full")
		w.refuse = full
		for range 3 {
			_, err := w.spawn("a", "")
			try(t, err, full)
		}
		w.refuse = nil
		delete(w.hands, "a")
		w.must(t, "b", "")
		if len(w.r.Live()) != 1 || len(w.r.members) != 2 {
			t.Errorf("%d are alive, %d are known", len(w.r.Live()), len(w.r.members))
		}
	})
}

// TestGoesOnRecorded resumes an agent while the store takes nothing: it goes on
// when that was handed over.
func TestGoesOnRecorded(t *testing.T) {
	inWorld(t, limits(), func(t *testing.T, w *world) {
		a := w.must(t, "a", "")
		try(t, w.play("pause a"), nil)
		try(t, w.play("check a"), nil)
		synctest.Wait()
		w.mu.Lock()
		block := make(chan struct{})
		w.block = block
		w.mu.Unlock()
		try(t, w.play("resume a"), nil)
		synctest.Wait()
		if a.passed != 0 {
			t.Error("it went on before that was recorded")
		}
		w.mu.Lock()
		w.block = nil
		w.mu.Unlock()
		close(block)
		synctest.Wait()
		if a.passed != 1 {
			t.Error("it does not go on")
		}
	})
}
