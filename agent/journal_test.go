package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// journal stores a conversation of n questions, the bad-th of which cannot be
// read.
func (r *rig) journal(n, bad int) (event.ConvID, event.SessionID) {
	r.t.Helper()
	conv, session, root, now := r.ids.Conv(), r.ids.Session(), r.ids.Agent(), r.ids.Now()
	b := sessions.Batch{
		Conv: string(conv), Session: string(session),
		Create: &sessions.NewSession{Source: "cli", Agent: string(root), Workspace: r.work, At: now, Model: "model", Provider: "test"},
	}
	events := []event.Event{&event.AgentSpawned{Role: "root"}}
	for i := range n {
		events = append(events, &event.MessageCommitted{Role: event.RoleUser, Block: event.BlockID(fmt.Sprint("b", i)), Text: fmt.Sprint("question ", i)})
	}
	for i, e := range events {
		*e.Head() = event.Meta{Seq: uint64(i + 1), At: now, Conv: conv, Session: session, Agent: root}
		event.Stamp(e)
		body, err := event.Marshal(e)
		if err != nil {
			r.t.Fatal(err)
		}
		if i == bad {
			body = []byte(`"no event"`)
		}
		b.Events = append(b.Events, sessions.Event{Seq: uint64(i + 1), Type: string(event.TypeOf(e)), At: now, Agent: string(root), Body: body})
	}
	if err := r.db.Commit(r.t.Context(), b); err != nil {
		r.t.Fatal(err)
	}
	return conv, session
}

// TestLongJournals reads journals that are decoded in several bunches.
func TestLongJournals(t *testing.T) {
	r := &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	r.openStore()
	for _, n := range []int{254, 255, 256, 3000} { // one more event spawns the agent
		conv, session := r.journal(n, -1)
		past, err := agent.Revive(t.Context(), r.db, r.ids, conv, session)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(past.State.Root().Blocks); got != n || past.Seq != uint64(n+1) || past.State.Seq != past.Seq {
			t.Errorf("%d blocks, newest event %d, want %d and %d", got, past.Seq, n, n+1)
		}
		for i, b := range past.State.Root().Blocks {
			if want := fmt.Sprint("question ", i); b.Text.String() != want {
				t.Fatalf("block %d says %q", i, b.Text.String())
			}
		}
	}
}

func TestJournalsThatCannotBeRead(t *testing.T) {
	r := &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	r.openStore()
	conv, session := r.journal(3000, 700)
	if _, err := agent.Revive(t.Context(), r.db, r.ids, conv, session); err == nil || !strings.Contains(err.Error(), "event 701 ") {
		t.Errorf("an event that cannot be read gives %v", err)
	}
	conv, session = r.journal(3000, -1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := agent.Revive(ctx, r.db, r.ids, conv, session); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled reading gives %v", err)
	}
}
