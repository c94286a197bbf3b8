package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/tools"
)

// impatient is a toolbox whose clarify takes its question back when gone is closed.
type impatient struct {
	agent.Toolbox
	gone chan struct{}
	told chan error
}

// Lookup implements [agent.Toolbox].
func (i impatient) Lookup(name string) (tools.Tool, bool) {
	tool, ok := i.Toolbox.Lookup(name)
	if name == "clarify" {
		tool.Run = i.run
	}
	return tool, ok
}

func (i impatient) run(ctx context.Context, _ tools.Call, h tools.Host, _ tools.Sink) (tools.Result, error) {
	alive, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		<-i.gone
		end(errGone)
	}()
	_, err := h.Ask(alive, tools.Question{Clarify: &tools.Clarify{Question: "left or right?"}})
	i.told <- err
	return tools.Result{Content: "never mind"}, nil
}

var errGone = errors.New("what asked has ended")

// TestQuestionTakenBack: what has asked ends before the answer, while its turn goes on.
// No one can answer any more, and the question does not stay on the screen.
func TestQuestionTakenBack(t *testing.T) {
	box := impatient{gone: make(chan struct{}), told: make(chan error, 1)}
	r := newRig(t, rounds(
		steps(call("clarify", map[string]any{"question": "left or right?"})),
		steps(script.Text{Text: "done"}),
	), func(c *agent.Config) { box.Toolbox, c.Tools = c.Tools, &box })
	r.submit("go")
	q := r.request()
	close(box.gone)
	r.idle(1)
	if err := <-box.told; !errors.Is(err, errGone) {
		t.Errorf("what asked was told %v", err)
	}
	if got := r.by(); !slices.Equal(got, []event.Resolver{event.ByAsker}) || len(r.state.Requests) != 0 {
		t.Errorf("resolved by %q, %d questions left", got, len(r.state.Requests))
	}
	if err := r.conv.Answer(q.ID, event.Answer{Choice: event.ChoiceText, Text: "left"}); !errors.Is(err, api.ErrStale) {
		t.Errorf("it could be answered all the same: %v", err)
	}
	if end := r.last(); end.Outcome != event.TurnCompleted {
		t.Errorf("the turn ended %s: %s", end.Outcome, end.Reason)
	}
}
