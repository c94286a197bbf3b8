package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/script"
)

// TestRecall resumes a conversation whose messages come late, or at first not at all:
// it can be looked at and typed into, and what is sent begins with all that was said.
func TestRecall(t *testing.T) {
	begun := func(t *testing.T) (*rig, []string) {
		r := newRig(t, rounds(steps(script.Text{Text: "first answer"}), steps(script.Text{Text: "second answer"})))
		r.submit("first question")
		r.idle(1)
		before := r.sent(len(r.bodies()) - 1)
		r.conv.Close(t.Context())
		return r, before
	}
	wholly := func(t *testing.T, r *rig, before []string) {
		t.Helper()
		r.idle(2)
		r.wants("user first question", "answer first answer", "user second question", "answer second answer")
		if after := r.sent(len(r.bodies()) - 1); len(after) <= len(before) || !slices.Equal(after[:len(before)], before) {
			t.Errorf("sent\n%s\nbefore\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
		}
	}
	t.Run("late", func(t *testing.T) {
		r, before := begun(t)
		past := r.revive()
		read, now := past.Recall, make(chan struct{})
		past.Recall = func(ctx context.Context) ([]providers.Message, error) {
			<-now
			return read(ctx)
		}
		r.start(past)
		r.submit("second question")
		if n := len(r.state.Root().Blocks); n != 2 || r.conv.Working() != true {
			t.Errorf("%d blocks are shown", n)
		}
		short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if got := r.conv.Drop(short, "x"); !errors.Is(got, context.DeadlineExceeded) {
			t.Errorf("dropped before anything was there: %v", got)
		}
		close(now)
		wholly(t, r, before)
	})
	t.Run("not at first", func(t *testing.T) {
		r, before := begun(t)
		past := r.revive()
		read := past.Recall
		var asked atomic.Int64
		past.Recall = func(ctx context.Context) ([]providers.Message, error) {
			if asked.Add(1) <= 2 {
				return nil, errors.New("the disk is gone")
			}
			return read(ctx)
		}
		sent := len(r.bodies())
		r.start(past)
		r.submit("second question")
		r.until("notice", func(s *event.State) bool {
			b := s.Root().Blocks
			return strings.Contains(b[len(b)-1].Text.String(), "the disk is gone")
		})
		if len(r.bodies()) != sent || len(r.state.Queue) != 1 {
			t.Errorf("%d requests, %d texts wait", len(r.bodies())-sent, len(r.state.Queue))
		}
		r.conv.Flush()
		r.until("answer", func(s *event.State) bool { return s.Root().Turns == 2 && !s.Busy() })
		if after := r.sent(len(r.bodies()) - 1); !slices.Equal(after[:len(before)], before) {
			t.Errorf("sent %q", after)
		}
		if asked.Load() != 3 {
			t.Errorf("read %d times", asked.Load())
		}
	})
}
