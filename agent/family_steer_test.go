package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// notices are what the transcript of the subagent with a goal tells the user.
func (r *rig) notices(goal string) string {
	text := ""
	for _, b := range r.child(goal).Blocks {
		if b.Kind == event.BlockNotice {
			text += b.Text.String() + "\n"
		}
	}
	return text
}

// TestSteerChild hands a text to a subagent: into its next tool result, and as a
// turn of its own behind its last answer.
func TestSteerChild(t *testing.T) {
	t.Run("into the next result", func(t *testing.T) {
		var told string
		r, u := newCast(t, limits(), cast{
			"":      {calls(hands("busy", "other")), says("All in.")},
			"busy":  {calls(runs(untilFile("go1"))), func(a *ask) { told = a.last("tool"); a.say("busy is done") }},
			"other": {says("other is done")},
		})
		r.submit("go")
		r.appears("started", "go1")
		in, err := r.conv.Steer(r.id("busy"), "turn left")
		r.check(err)
		r.until("it waits", func(s *event.State) bool { return len(s.Queue) == 1 })
		if q := r.state.Queue[0]; q.ID != in || q.Agent != r.id("busy") || !q.Steer {
			t.Errorf("%+v", q)
		}
		write(t, r.work, "go1", "")
		r.idle(1)
		if !strings.Contains(told, "turn left") || !strings.Contains(told, "message from the user") || len(r.state.Queue) != 0 {
			t.Errorf("the model got %q, %d wait", told, len(r.state.Queue))
		}
		steers := 0
		for _, b := range r.child("busy").Blocks {
			if b.Kind == event.BlockSteer && b.Text.String() == "turn left" {
				steers++
			}
		}
		if a := r.child("busy"); steers != 1 || a.Turns != 1 || a.State != event.AgentCompleted {
			t.Errorf("shown %d times, %d turns, %s", steers, a.Turns, a.State)
		}
		r.sound(u)
	})
	t.Run("behind the last answer", func(t *testing.T) {
		gate := make(chan struct{})
		r, u := newCast(t, limits(), cast{
			"": {calls(hands("busy")), says("All in.")},
			"busy": {func(a *ask) {
				a.stream(textEvent("first answer"))
				a.holds(gate)
				a.put("data: ", endEvent("stop"), "\n\ndata: [DONE]\n\n")
			}, func(a *ask) { a.say("told: " + a.last("user")) }},
		})
		r.submit("go")
		r.until("it answers", func(*event.State) bool { a := r.child("busy"); return a != nil && a.Phase == event.PhaseAnswering })
		for _, text := range []string{"turn left", "and right"} {
			_, err := r.conv.Steer(r.id("busy"), text)
			r.check(err)
		}
		close(gate)
		r.idle(1)
		a := r.child("busy")
		if a.Turns != 3 || a.Summary != "told: and right" || a.Calls != 3 || len(r.state.Queue) != 0 {
			t.Errorf("%d turns, %d calls, %d wait: %+v", a.Turns, a.Calls, len(r.state.Queue), a.Summary)
		}
		r.sound(u)
	})
	t.Run("beyond its budget", func(t *testing.T) {
		l := limits()
		l.Iterations = 1
		gate := make(chan struct{})
		r, u := newCast(t, l, cast{
			"":     {calls(hands("busy")), says("All in.")},
			"busy": {func(a *ask) { a.holds(gate); a.say("only answer") }},
		})
		r.submit("go")
		r.until("it waits for the answer", func(*event.State) bool { a := r.child("busy"); return a != nil && a.Phase == event.PhaseConnecting })
		_, err := r.conv.Steer(r.id("busy"), "turn left")
		r.check(err)
		close(gate)
		r.idle(1)
		if a := r.child("busy"); a.State != event.AgentCompleted || a.Turns != 1 || len(r.state.Queue) != 0 || !strings.Contains(r.notices("busy"), "turn left") {
			t.Errorf("%s after %d turns, %d wait, told %q", a.State, a.Turns, len(r.state.Queue), r.notices("busy"))
		}
		r.sound(u)
	})
}

// TestSteerTooLate steers what has ended, or ends before it can be told: it is
// refused, or reported, and nothing is left in the queue.
func TestSteerTooLate(t *testing.T) {
	l := limits()
	l.Concurrent = 1
	r, u := newCast(t, l, cast{
		"":    {calls(hands("one", "two")), says("All in.")},
		"one": {calls(runs(untilFile("go1"))), says("one is done")},
		"two": {says("two is done")},
	})
	r.submit("go")
	r.appears("started", "go1")
	_, err := r.conv.Steer(r.id("two"), "turn left")
	r.check(err)
	r.check(r.conv.Kill(r.id("two"), api.Self))
	r.childIs("two", event.AgentKilled)
	r.until("the queue is empty", func(s *event.State) bool { return len(s.Queue) == 0 })
	if !strings.Contains(r.notices("two"), "turn left") {
		t.Errorf("the user is told %q", r.notices("two"))
	}
	write(t, r.work, "go1", "")
	r.idle(1)
	for id, want := range map[event.AgentID]error{r.id("one"): delegate.ErrEnded, r.id("two"): delegate.ErrEnded, "a_none": delegate.ErrUnknown} {
		if _, err := r.conv.Steer(id, "hello?"); !errors.Is(err, want) {
			t.Errorf("steering gives %v, want %v", err, want)
		}
	}
	r.sound(u)
}

// TestSteerWhileItEnds steers subagents at the moment at which they end: what is
// accepted is delivered or reported.
func TestSteerWhileItEnds(t *testing.T) {
	t.Parallel()
	c := cast{"one": {says("done")}, "two": {says("done")}, "three": {says("done")}}
	const turns = 5
	for range turns {
		c[""] = append(c[""], calls(hands("one", "two", "three")), says("All in."))
	}
	r, u := newCast(t, limits(), c)
	for turn := range turns {
		r.submit("go")
		told := map[string]event.AgentID{}
		r.until("they have begun", func(s *event.State) bool { return len(s.Agents) == 1+3*(turn+1) })
		for _, a := range r.state.Agents[1+3*turn:] {
			var err error
			for n := 0; n < 5000 && err == nil; n++ { // it ends with its budget
				if n > 100 { // the machine is busy with something else
					time.Sleep(2 * time.Millisecond)
				}
				text := fmt.Sprintf("text %d for %s", n, a.ID)
				if _, err = r.conv.Steer(a.ID, text); err == nil {
					told[text] = a.ID
				}
			}
			if !errors.Is(err, delegate.ErrEnded) {
				t.Errorf("steering gives %v", err)
			}
		}
		r.idle(turn + 1)
		r.until("the queue is empty", func(s *event.State) bool { return len(s.Queue) == 0 })
		for text, id := range told {
			if n := r.shown(id, text); n != 1 {
				t.Errorf("%q is shown %d times", text, n)
			}
		}
	}
	r.sound(u)
}

// shown is how often a text of the user is in the transcript of an agent: as
// delivered, or as reported.
func (r *rig) shown(id event.AgentID, text string) int {
	n := 0
	for _, b := range r.state.Agent(id).Blocks {
		s := b.Text.String()
		if (b.Kind == event.BlockUser || b.Kind == event.BlockSteer) && s == text || b.Kind == event.BlockNotice && strings.HasSuffix(s, ": "+text) {
			n++
		}
	}
	return n
}

// TestQueueOrder puts what waits in another order, hands one of it to the running
// turn, and leaves what the user has not written where it is.
func TestQueueOrder(t *testing.T) {
	r, u := newCast(t, limits(), cast{"": {calls(runs(untilFile("go1"))), func(a *ask) { a.say("told " + a.last("tool")) }, says("ok")}})
	r.submit("go")
	r.appears("started", "go1")
	ids := map[string]event.InputID{}
	for _, text := range []string{"a", "b", "c"} {
		id, err := r.conv.Submit(text)
		r.check(err)
		ids[text] = id
	}
	r.check(r.conv.Inform("a job ended", event.OriginJob, nil))
	order := func(want string) {
		t.Helper()
		r.until("the queue is "+want, func(s *event.State) bool {
			var got []string
			for _, q := range s.Queue {
				got = append(got, q.Text)
			}
			return strings.Join(got, ",") == want
		})
	}
	order("a,b,c,a job ended")
	for _, c := range []struct {
		text  string
		by    int
		moves bool
		want  string
	}{
		{"c", -2, true, "c,a,b,a job ended"}, {"c", -1, false, "c,a,b,a job ended"}, {"c", 99, true, "a,b,a job ended,c"}, {"c", -1, true, "a,b,c,a job ended"},
	} {
		if moved := r.conv.Requeue(ids[c.text], c.by); moved != c.moves {
			t.Errorf("moving %s by %d says %v", c.text, c.by, moved)
		}
		order(c.want)
	}
	if r.conv.Requeue("i_none", 1) || r.conv.SteerQueued("i_none") {
		t.Error("what does not wait was moved")
	}
	if r.conv.SteerQueued(r.state.Queue[3].ID) {
		t.Error("what the user has not written was handed over as the user's")
	}
	if !r.conv.SteerQueued(ids["b"]) || !r.conv.SteerQueued(ids["b"]) {
		t.Error("b was not handed over")
	}
	write(t, r.work, "go1", "")
	r.idle(4)
	var users []string
	for _, b := range r.state.Root().Blocks {
		if b.Kind == event.BlockUser || b.Kind == event.BlockSteer {
			users = append(users, b.Text.String())
		}
	}
	if !slices.Equal(users, []string{"go", "b", "a", "c", "a job ended"}) {
		t.Errorf("said %q", users)
	}
	r.sound(u)
}

// TestEffort changes how much the model reasons: from the next turn on, and for
// the subagents of it.
func TestEffort(t *testing.T) {
	r, u := newCast(t, limits(), cast{
		"":    {says("Hello."), calls(hands("one")), says("All in.")},
		"one": {says("one is done")},
	})
	r.submit("hi")
	r.idle(1)
	_, err := r.conv.SetEffort("high")
	r.check(err)
	r.until("it is shown", func(s *event.State) bool { return s.Model.Effort == "high" })
	r.submit("go")
	r.idle(2)
	var got []string
	u.mu.Lock()
	for _, raw := range u.bodies {
		var b struct {
			Effort string `json:"reasoning_effort"`
		}
		r.check(json.Unmarshal(raw, &b))
		got = append(got, b.Effort)
	}
	u.mu.Unlock()
	if !slices.Equal(got, []string{"", "high", "high", "high"}) {
		t.Errorf("asked for %q", got)
	}
	r.sound(u)
	if past := r.revive(); past.State.Model.Effort != "high" {
		t.Errorf("resumed with %+v", past.State.Model)
	}
}

// TestTakenBackBehindTheLastAnswer takes a text back when a subagent is about to go
// on with it: what it has done still counts.
func TestTakenBackBehindTheLastAnswer(t *testing.T) {
	gate, late := make(chan struct{}), &lateHook{}
	r, u := newCast(t, limits(), cast{
		"":     {calls(hands("busy")), says("All in.")},
		"busy": {func(a *ask) { a.holds(gate); a.say("the answer") }},
	}, func(c *agent.Config) {
		late.Store, late.Reader, late.root = c.Store, c.IDs.Random, c.Session
		c.Store, c.IDs.Random = late, late
	})
	r.submit("go")
	r.until("it waits for the answer", func(*event.State) bool { a := r.child("busy"); return a != nil && a.Phase == event.PhaseConnecting })
	in, err := r.conv.Steer(r.id("busy"), "turn left")
	r.check(err)
	back := false
	late.do = func() { _, back = r.conv.Unqueue(in) }
	close(gate)
	r.idle(1)
	if a := r.child("busy"); !back || a.State != event.AgentCompleted || a.Summary != "the answer" || a.Turns != 1 || r.shown(a.ID, "turn left") != 0 {
		t.Errorf("taken back %v, %s after %d turns: %s", back, a.State, a.Turns, a.Error)
	}
	r.sound(u)
}

// lateHook does something when a subagent whose turn is over begins another one,
// which is the next that needs randomness.
type lateHook struct {
	agent.Store
	io.Reader
	root  event.SessionID
	do    func()
	armed atomic.Bool
}

// Commit implements [agent.Store].
func (l *lateHook) Commit(ctx context.Context, b sessions.Batch) error {
	for _, e := range b.Events {
		if e.Type == string(event.TypeOf((*event.TurnFinished)(nil))) && b.Session != string(l.root) {
			l.armed.Store(true)
		}
	}
	return l.Store.Commit(ctx, b)
}

// Read implements [io.Reader].
func (l *lateHook) Read(p []byte) (int, error) {
	if l.armed.CompareAndSwap(true, false) {
		l.do()
	}
	return l.Reader.Read(p)
}
