package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// TestPatienceWithTheStore fails a turn when the store has refused for long enough,
// and runs nothing meanwhile. What is submitted then is refused, too.
func TestPatienceWithTheStore(t *testing.T) {
	t.Parallel()
	store := &refusing{}
	r := newRig(t, rounds(
		steps(call("clarify", map[string]any{"question": "ready?"})),
		steps(call("terminal", map[string]any{"command": "echo x > proof"})),
	), withStore(func(s agent.Store) agent.Store { store.Store = s; return store }),
		func(c *agent.Config) { c.StorePatience = 700 * time.Millisecond })
	r.submit("go")
	q := r.request()
	store.refuse(&sessions.Error{Kind: sessions.KindFull, Path: "state.db"})
	r.answer(q, event.Answer{Choice: event.ChoiceText, Text: "yes"})
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnFailed || !strings.Contains(f.Explain, "state.db") {
		t.Errorf("the turn ended with %+v", f)
	}
	if _, err := os.Stat(filepath.Join(r.work, "proof")); err == nil {
		t.Error("a command ran unrecorded")
	}
	_, err := r.conv.Submit("again")
	if e, ok := errors.AsType[*sessions.Error](err); !ok || e.Kind != sessions.KindFull {
		t.Errorf("submit says %v", err)
	}
	r.onlyStored()
	store.refuse(nil)
}

// onlyStored holds that no event was shown that the store does not have, but for the end of a
// turn that failed over that.
func (r *rig) onlyStored() {
	r.t.Helper()
	if r.conv.Pending() {
		events, err := r.conv.Next(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		r.log = append(r.log, events...)
	}
	stored := uint64(0)
	if err := r.db.EachEvent(r.t.Context(), string(r.conv.ID()), 0, func(e sessions.Event) error { stored = max(stored, e.Seq); return nil }); err != nil {
		r.t.Fatal(err)
	}
	for _, e := range r.log {
		if _, ended := e.(*event.TurnFinished); e.Head().Seq > stored && !ended {
			r.t.Errorf("%s is shown with the number %d, and %d are stored", e.Head().Type, e.Head().Seq, stored)
		}
	}
}

// TestLeavingALockedStore closes a conversation whose store another program has
// locked: within three seconds, whatever the caller allows.
func TestLeavingALockedStore(t *testing.T) {
	t.Parallel()
	r := newRig(t, say(script.Text{Text: "x"}))
	r.submit("go")
	r.idle(1)
	unlock := lockStore(t, r)
	submitted := make(chan error, 1)
	go func() { _, err := r.conv.Submit("not stored"); submitted <- err }()
	r.until("blocked", phase(event.PhaseBlocked))
	began := time.Now()
	err := r.conv.Close(context.Background())
	if e, ok := errors.AsType[*sessions.Error](err); !ok || e.Kind != sessions.KindBusy {
		t.Errorf("close says %v", err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("closing took %v", took)
	}
	if err := <-submitted; !errors.Is(err, journal.ErrClosed) {
		t.Errorf("submit says %v", err)
	}
	unlock()
}
