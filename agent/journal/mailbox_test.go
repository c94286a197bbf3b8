package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"hermes-tui/agent/event"
)

func meta(agent string) event.Meta { return event.Meta{Agent: event.AgentID(agent)} }

// kinds describes events by type and the text they carry.
func kinds(events []event.Event) string {
	var out []string
	for _, e := range events {
		switch e := e.(type) {
		case *event.TextDelta:
			out = append(out, "text:"+e.Text)
		case *event.ReasoningDelta:
			out = append(out, "think:"+e.Text)
		case *event.ToolOutput:
			out = append(out, "out:"+e.Text)
		case *event.PhaseChanged:
			out = append(out, "status:"+string(e.Phase))
		case *event.ToolDrafting:
			out = append(out, fmt.Sprintf("draft:%d", e.Bytes))
		default:
			out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", e), "*event."))
		}
	}
	return strings.Join(out, " ")
}

func TestMailboxMerges(t *testing.T) {
	for name, c := range map[string]struct {
		put  []event.Event
		want string
	}{
		"deltas of a block": {[]event.Event{
			&event.TextDelta{Meta: meta("a"), Block: "1", Text: "x"}, &event.TextDelta{Meta: meta("a"), Block: "1", Text: "y"},
		}, "text:xy"},
		"deltas of two agents": {[]event.Event{
			&event.TextDelta{Meta: meta("a"), Block: "1", Text: "x"}, &event.TextDelta{Meta: meta("b"), Block: "2", Text: "p"},
			&event.TextDelta{Meta: meta("a"), Block: "1", Text: "y"}, &event.TextDelta{Meta: meta("b"), Block: "2", Text: "q"},
		}, "text:xy text:pq"},
		"reasoning before text": {[]event.Event{
			&event.ReasoningDelta{Meta: meta("a"), Block: "1", Text: "x"}, &event.TextDelta{Meta: meta("a"), Block: "2", Text: "y"},
			&event.ReasoningDelta{Meta: meta("a"), Block: "1", Text: "z"},
		}, "think:xz text:y"},
		"a reset drops what nobody saw": {[]event.Event{
			&event.TextDelta{Meta: meta("a"), Block: "1", Text: "x"}, &event.StreamReset{Meta: meta("a")},
			&event.TextDelta{Meta: meta("a"), Block: "2", Text: "y"},
		}, "StreamReset text:y"},
		"a committed message replaces its deltas": {[]event.Event{
			&event.TextDelta{Meta: meta("a"), Block: "1", Text: "x"}, &event.ToolDrafting{Meta: meta("a"), Call: "k", Bytes: 3},
			&event.MessageCommitted{Meta: meta("a"), Role: event.RoleAssistant, Text: "x"},
		}, "MessageCommitted"},
		"a user message does not": {[]event.Event{
			&event.TextDelta{Meta: meta("a"), Block: "1", Text: "x"}, &event.MessageCommitted{Meta: meta("a"), Role: event.RoleUser},
		}, "text:x MessageCommitted"},
		"status keeps the newest": {[]event.Event{
			&event.PhaseChanged{Meta: meta("a"), Phase: "connecting"}, &event.PhaseChanged{Meta: meta("a"), Phase: "answering"},
		}, "status:answering"},
		"a lasting status is kept": {[]event.Event{
			&event.ModeChanged{Meta: meta("a"), Mode: "plan"}, &event.ModeChanged{Meta: meta("a"), Mode: "off"},
		}, "ModeChanged ModeChanged"},
		"a retry ends with the next status": {[]event.Event{
			&event.PhaseChanged{Meta: meta("a"), Phase: "connecting"}, &event.RetryScheduled{Meta: meta("a")},
			&event.PhaseChanged{Meta: meta("a"), Phase: "answering"},
		}, "status:answering"},
		"nothing slips before the end of a turn": {[]event.Event{
			&event.PhaseChanged{Meta: meta("a"), Phase: "answering"}, &event.TurnFinished{Meta: meta("a")},
			&event.PhaseChanged{Meta: meta("a"), Phase: "preparing"},
		}, "status:answering TurnFinished status:preparing"},
		"output of a call that ended": {[]event.Event{
			&event.ToolOutput{Meta: meta("a"), Call: "k", Text: "x"}, &event.ToolOutput{Meta: meta("a"), Call: "k", Text: "y"},
			&event.ToolFinished{Meta: meta("a"), Call: "k"},
		}, "ToolFinished"},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMailbox(&event.State{})
			m.Put(c.put...)
			got, err := m.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if kinds(got) != c.want {
				t.Errorf("got %s, want %s", kinds(got), c.want)
			}
		})
	}
}

// TestMailboxIsBounded floods a mailbox that no one reads.
func TestMailboxIsBounded(t *testing.T) {
	t.Parallel()
	m := NewMailbox(&event.State{})
	line := strings.Repeat("x", 1023) + "\n"
	var sent int64
	for range 100_000 {
		m.Put(&event.ToolOutput{Meta: meta("a"), Call: "k", Text: line})
		sent += int64(len(line))
	}
	got, err := m.Next(t.Context())
	if err != nil || len(got) != 1 {
		t.Fatalf("%d events, %v", len(got), err)
	}
	out := got[0].(*event.ToolOutput)
	if len(out.Text) > 2*event.TailLimit {
		t.Errorf("%d bytes waited", len(out.Text))
	}
	if out.Dropped+int64(len(out.Text)) != sent {
		t.Errorf("dropped %d and kept %d of %d", out.Dropped, len(out.Text), sent)
	}
}

// TestMailboxStateMissesNothing takes a state in the middle of a stream and goes
// on with the events after it.
func TestMailboxStateMissesNothing(t *testing.T) {
	m := NewMailbox(&event.State{})
	m.Put(&event.AgentSpawned{Meta: meta("a")})
	var wg sync.WaitGroup
	const n = 5000
	wg.Go(func() {
		for i := range n {
			m.Put(&event.TextDelta{Meta: meta("a"), Block: "1", Text: fmt.Sprintf("%d ", i)})
		}
		m.Put(&event.TitleChanged{Meta: meta("a"), Title: "end"})
	})
	s := m.State()
	for s.Title != "end" {
		events, err := m.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			s.Apply(e)
		}
	}
	wg.Wait()
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "%d ", i)
	}
	if got := s.Root().Blocks[0].Text.String(); got != want.String() {
		t.Errorf("got %d bytes, want %d", len(got), want.Len())
	}
}

// TestFoldTakesNothing asks for the state while someone else reads the events.
func TestFoldTakesNothing(t *testing.T) {
	m := NewMailbox(&event.State{})
	m.Put(&event.AgentSpawned{Meta: meta("a")}, &event.TextDelta{Meta: meta("a"), Block: "1", Text: "all of it"})
	s := m.Fold()
	if len(s.Agents) != 1 || s.Agents[0].Blocks[0].Text.String() != "all of it" {
		t.Errorf("the state lacks what waits: %+v", s.Agents)
	}
	if events, err := m.Next(t.Context()); err != nil || len(events) != 2 {
		t.Errorf("%d events are left of 2: %v", len(events), err)
	}
}

func TestMailboxNextEndsWithItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := NewMailbox(&event.State{}).Next(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkMailboxDelta(b *testing.B) {
	m := NewMailbox(&event.State{})
	m.Put(&event.AgentSpawned{Meta: meta("a")})
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		m.Put(&event.TextDelta{Meta: meta("a"), Block: "1", Text: "word "})
		if i++; i%100 == 0 {
			if _, err := m.Next(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}
