package agent

import (
	"context"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/failure"
	"hermes-tui/store/sessions"
)

// loop asks the model and runs its calls until it has answered.
func (t *turn) loop(ctx context.Context) ending {
	for {
		if e, stop := t.stopped(ctx, nil); stop {
			return e
		}
		if t.requests >= t.budget {
			return t.summarise(ctx)
		}
		r, err := t.request(ctx, t.defs, nil)
		if err != nil {
			return t.failed(ctx, r, err)
		}
		calls, err := t.keep(r)
		if err != nil {
			return t.broken(ctx, err)
		}
		if len(calls) == 0 {
			return answered(r)
		}
		t.enter(event.PhaseTools, "")
		if err := t.runBatch(ctx, calls); err != nil {
			return t.broken(ctx, err)
		}
		if err := t.conv.deliverSteer(t); err != nil {
			return t.broken(ctx, err)
		}
	}
}

// request makes one model call. extra messages travel with this request only.
func (t *turn) request(ctx context.Context, defs []providers.ToolDef, extra []providers.Message) (*reply, error) {
	t.requests++
	return t.stream(ctx, providers.Request{
		Model:     t.rt.Model.Name,
		System:    t.system,
		Messages:  wireCopy(t.history, extra...),
		Tools:     defs,
		MaxOutput: t.rt.MaxOutput,
		Effort:    t.rt.Model.Effort,
		Session:   string(t.conv.session),
	})
}

// keep stores a complete reply and returns the calls it makes.
func (t *turn) keep(r *reply) ([]*callRun, error) {
	calls := t.plan(r)
	m := r.message(t, calls)
	if len(calls) == 0 && m.Text() == "" && m.Reasoning == "" {
		return nil, t.count(r) // nothing was said
	}
	e := r.committed(m, calls)
	b := &batch{agent: t.Agent.id, turn: t.id, rows: t.rows(m), events: []event.Event{e},
		effects: []sessions.Effect{sessions.ClearPartial{Agent: string(t.Agent.id)}}}
	for i, c := range calls {
		b.effects = append(b.effects, c.planned(t, m.ID, i))
	}
	t.addUsage(r, b)
	if err := t.conv.com.commit(b); err != nil {
		return nil, err
	}
	t.history = append(t.history, m)
	return calls, nil
}

// count stores the usage of a reply that had no content.
func (t *turn) count(r *reply) error {
	b := &batch{agent: t.Agent.id, turn: t.id, effects: []sessions.Effect{sessions.ClearPartial{Agent: string(t.Agent.id)}}}
	t.addUsage(r, b)
	return t.conv.com.commit(b)
}

// addUsage adds the usage of a reply to the agent's and to a batch.
func (t *turn) addUsage(r *reply, b *batch) {
	u := event.Usage{Calls: 1}
	if r.usage != nil {
		u.Input, u.Output, u.CacheRead = r.usage.Input, r.usage.Output, r.usage.CacheRead
		u.CacheWrite, u.Reasoning = r.usage.CacheWrite, r.usage.Reasoning
	}
	t.usage = t.usage.Plus(u)
	used := 0
	if r.usage != nil {
		used = int(u.Prompt() + u.Output)
	}
	b.events = append(b.events, &event.UsageUpdated{
		Usage: t.usage, Context: event.Context{Used: used, Max: t.rt.Model.ContextMax}, Final: true,
	})
	b.effects = append(b.effects, sessions.AddUsage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning, APICalls: 1,
	})
}

// answered is the ending of a turn whose last reply made no calls.
func answered(r *reply) ending {
	switch {
	case r.finish == providers.FinishLength:
		return ending{event.TurnFailed, "length", "The answer reached the model's output limit and was cut off; send \"go on\" to get the rest."}
	case r.finish == providers.FinishFilter:
		return ending{event.TurnFailed, "content_filter", "The provider's content filter ended the answer; rephrase the request or choose another model with /model."}
	case r.text.Len() == 0:
		return ending{event.TurnFailed, "empty", "The model answered nothing; send the message again or choose another model with /model."}
	}
	return ending{outcome: event.TurnCompleted}
}

// failed is the ending of a turn whose model call failed or was stopped. The
// text that had arrived is kept; calls that were not complete are not.
func (t *turn) failed(ctx context.Context, r *reply, err error) ending {
	if kept := t.keepPartial(r); kept != nil {
		return t.broken(ctx, kept)
	}
	if e, ok := t.stopped(ctx, err); ok {
		return e
	}
	f := failure.Classify(err, failure.Context{
		Provider: t.rt.Model.Provider, Model: t.rt.Model.Name, ContextMax: t.rt.Model.ContextMax, Messages: len(t.history),
	})
	return ending{event.TurnFailed, string(f.Reason), f.Sentence()}
}

// keepPartial stores the text of a reply that broke off.
func (t *turn) keepPartial(r *reply) error {
	if r == nil || (r.text.Len() == 0 && r.reasoning.Len() == 0) {
		return nil
	}
	r.finish = providers.FinishInterrupted
	m := r.message(t, nil)
	e := r.committed(m, nil)
	e.Partial = true
	b := &batch{agent: t.Agent.id, turn: t.id, events: []event.Event{e},
		effects: []sessions.Effect{sessions.ClearPartial{Agent: string(t.Agent.id)}}}
	if m.Text() != "" { // reasoning alone is shown, but is nothing to send
		b.rows = t.rows(m)
	}
	if err := t.conv.com.commit(b); err != nil {
		return err
	}
	if b.rows != nil {
		t.history = append(t.history, m)
	}
	return nil
}

// budgetNote asks for a last answer when no more calls are allowed.
const budgetNote = "The number of steps allowed for this turn is used up, so no tool can be called any more. " +
	"Say in a few sentences what was done, what was found, and what is left to do."

// summarise makes one last call without tools.
func (t *turn) summarise(ctx context.Context) ending {
	note := providers.Message{Role: providers.User, Parts: providers.TextParts(budgetNote)}
	r, err := t.request(ctx, nil, []providers.Message{note})
	if err != nil {
		return t.failed(ctx, r, err)
	}
	r.calls = nil
	if _, err := t.keep(r); err != nil {
		return t.broken(ctx, err)
	}
	return ending{event.TurnExhausted, "budget",
		"The turn used up its model calls (agent.max_turns); send a message to let it continue."}
}
