package agent

import (
	"context"
	"errors"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/tools"
)

// maxNested bounds the result of a call that a script makes, in characters: it is
// read by a program, which could not do with a part of it.
const maxNested = 1_000_000

// Invoke implements [tools.Host].
func (h host) Invoke(ctx context.Context, c tools.Call) tools.Result {
	t := h.turn
	run := &callRun{id: t.conv.ids.Call(), parent: h.call, above: h.waits}
	run.call = providers.Call{ID: string(run.id), Name: c.Name, Arguments: string(c.Args)}
	t.resolve(run)
	// What a script reads is not before the model: neither may it be told that it
	// has read this before, nor may the model be told so later.
	t.tools.Forget()
	err := t.dispatch(ctx, run)
	t.tools.Forget()
	switch {
	case err == nil:
		return run.result
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return tools.Cancelled(tools.View{}, "Stopped.")
	}
	if why, ok := stopReason(ctx, err); ok {
		return tools.Cancelled(tools.View{}, "Stopped: "+string(why)+".")
	}
	if !run.started.IsZero() && !run.recorded {
		run.result, run.outcome = tools.Failure(tools.View{}, err.Error()), event.OutcomeFailed
		_ = t.record(run) // a store that refuses is reported by the next commit
	}
	return tools.Failure(tools.View{}, err.Error())
}
