package agent_test

import (
	"slices"
	"testing"

	"hermes-tui/agent/event"
)

// bystander is another conversation on the same store, which is in the middle of
// an answer until it is checked.
type bystander struct {
	*rig
	server *unruly
	finish chan struct{}
}

func newBystander(t testing.TB, on *rig) *bystander {
	b := &bystander{finish: make(chan struct{})}
	b.server = serveUnruly(t, func(a *ask) {
		a.stream(textEvent("one "), textEvent("two "))
		select {
		case <-b.finish:
		case <-a.r.Context().Done():
		}
		for _, e := range []string{textEvent("three"), endEvent("stop"), "[DONE]"} {
			a.put("data: ", e, "\n\n")
		}
	})
	b.rig = converse(t, on, b.server.url)
	b.submit("count")
	b.until("text", phase(event.PhaseAnswering))
	return b
}

// check lets the answer end and checks that nothing else happened.
func (b *bystander) check() {
	if !b.state.Busy() || b.countRetries() != 0 {
		b.t.Errorf("the other conversation did not go on:\n%s", b.dump())
	}
	close(b.finish)
	b.idle(1)
	if f := b.last(); f.Outcome != event.TurnCompleted || f.Calls != 1 {
		b.t.Errorf("the other turn ended %+v", f)
	}
	if got, want := b.dump(), "user count\nanswer one two three\n"; got != want {
		b.t.Errorf("the other transcript is %q, want %q", got, want)
	}
	rows := b.messages()
	contents := make([]string, len(rows))
	for i, m := range rows {
		contents[i] = m.Content
	}
	if want := []string{"count", "one two three"}; !slices.Equal(contents, want) {
		b.t.Errorf("the other conversation stored %q", contents)
	}
	if n := b.server.requests(b.t); n != 1 {
		b.t.Errorf("%d requests in the other conversation", n)
	}
}
