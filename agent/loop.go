package agent

import (
	"context"
	"errors"
	"slices"

	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// loop asks the model and runs its calls until it has answered.
func (t *turn) loop(ctx context.Context) ending {
	t.takeKey(ctx)
	if err := t.startRested(ctx); err != nil {
		return t.errorEnding(ctx, err)
	}
	var next nextRequest
	for {
		if e, stop := t.stopped(ctx, nil); stop {
			return t.dropped(ctx, next.into, e)
		}
		if t.requests-t.refunded >= t.budget {
			return t.summarise(ctx, t.usedUp())
		}
		if why, used := t.member.Exhausted(); used {
			return t.summarise(ctx, tools.Sentence(errors.New(why)))
		}
		r, err := t.request(ctx, t.defs, next)
		if err != nil {
			return t.failed(ctx, r, err)
		}
		o, err := t.evaluateReply(ctx, r)
		switch {
		case err != nil:
			return t.errorEnding(ctx, err)
		case o.end != nil:
			return *o.end
		case o.next != nil:
			next = *o.next
			continue
		}
		next = nextRequest{}
		if e, stop := t.work(ctx, o.calls); stop {
			return e
		}
	}
}

// work runs the calls of an answer.
func (t *turn) work(ctx context.Context, calls []*callRun) (ending, bool) {
	t.enter(event.PhaseTools, "")
	if err := t.runBatch(ctx, calls); err != nil {
		return t.errorEnding(ctx, err), true
	}
	t.refund(calls)
	if t.parent == nil {
		t.conv.look.calls += len(calls)
	}
	if d, halted := t.guard.Halted(); halted {
		return ending{event.TurnFailed, string(d.Code), d.Sentence()}, true
	}
	if err := t.tell(); err != nil {
		return t.errorEnding(ctx, err), true
	}
	if err := t.conv.deliverSteer(t); err != nil {
		return t.errorEnding(ctx, err), true
	}
	return ending{}, false
}

// refund gives an answer that does nothing but run scripts back to the budget:
// a script saves the model calls that its tool calls would have taken. It is given
// back at most as often as the budget has calls.
func (t *turn) refund(calls []*callRun) {
	scripts := !slices.ContainsFunc(calls, func(c *callRun) bool { return !c.tool.Refundable })
	if scripts && len(calls) > 0 && t.refunded < t.budget {
		t.refunded++
	}
}

// count stores the usage of a reply that had no content.
func (t *turn) count(r *reply) error {
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Effects: []sessions.Effect{sessions.ClearPartial{Agent: string(t.Agent.id)}}}
	t.addUsage(r, b)
	return t.conv.com.Commit(b)
}

// charge stores the usage of a call whose text the next one goes on from.
func (t *turn) charge(r *reply) error {
	if r.usage == nil {
		return nil
	}
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id}
	t.addUsage(r, b)
	return t.conv.com.Commit(b)
}

// addUsage adds the usage of a reply to the agent's and to a batch, with what the
// provider's cache gave for it.
func (t *turn) addUsage(r *reply, b *journal.Batch) {
	u := r.used(t.asking.tokens)
	bill := t.rt.bill(r.usage)
	u.Charge(bill)
	cache := t.cached(r.usage, bill)
	t.member.Spend(1, u.Cost)
	t.usage = t.usage.Plus(u).Plus(t.takeAuxUsage())
	b.Events = append(b.Events, &event.UsageUpdated{
		Usage: t.usage, Context: event.Context{Used: int(u.Prompt() + u.Output), Max: t.window().Max}, Final: true,
		CostStatus: t.usage.Status(), Cache: cache,
	})
	spent := sessions.AddUsage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning, APICalls: 1,
		EstimatedCostUSD: float64(u.Cost) / float64(event.Dollar), CostStatus: string(t.usage.Status()), CostSource: costSource[t.usage.Status()],
	}
	if bill.Status == event.CostActual {
		spent.ActualCostUSD = spent.EstimatedCostUSD
	}
	b.Effects = append(b.Effects, spent)
}

// costSource is where a cost is known from, in the words of the reference.
var costSource = map[event.CostStatus]string{
	event.CostActual: "provider_cost_api", event.CostEstimated: "official_docs_snapshot", event.CostIncluded: "none", event.CostUnknown: "none",
}

// used is what the call of a reply has used, in tokens. Where the service does not say it, it is
// estimated: sent is the size of the request.
func (r *reply) used(sent int) event.Usage {
	u := r.usage
	if u != nil && u.Prompt()+u.Output > 0 {
		return event.Usage{Calls: 1, Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning}
	}
	written := r.text.Len() - r.base.text + r.reasoning.Len() - r.base.reasoning
	for _, c := range r.calls {
		written += len(c.name) + c.arguments.Len()
	}
	return event.Usage{Calls: 1, Uncounted: 1, Input: int64(sent), Output: int64((written + bytesPerToken - 1) / bytesPerToken)}
}

// cached says what the provider's cache gave for the request that was sent last; nil
// when none was. bill is what that has cost.
func (t *turn) cached(u *providers.Usage, bill event.Bill) *event.CacheReport {
	c, ok := t.cacheDiff.Answered(u)
	if !ok {
		return nil
	}
	c.Saved, c.Unpriced = bill.Saved, bill.Status == event.CostUnknown
	if short := c.Short(); short > 0 && u != nil {
		c.Lost = t.rt.lost(*u, short)
	}
	t.note(nil, &c)
	return &c
}

// lost is how much more a call cost than if so many more of its tokens had come from
// the cache; 0 when no one knows, or nothing was to be paid. It goes by the list of
// prices, also where the provider says what the call cost.
func (rt Runtime) lost(u providers.Usage, short int64) event.Money {
	u.Charged = ""
	better := u
	for _, n := range []*int64{&better.CacheWrite, &better.Input} {
		moved := min(*n, short)
		*n, short, better.CacheRead = *n-moved, short-moved, better.CacheRead+moved
	}
	is, could := rt.bill(&u), rt.bill(&better)
	if is.Status != event.CostEstimated || could.Status != event.CostEstimated {
		return 0
	}
	return max(is.Cost-could.Cost, 0)
}

// failed is the ending of a turn whose model call failed or was stopped. The
// text that had arrived is kept; calls that were not complete are not.
func (t *turn) failed(ctx context.Context, r *reply, err error) ending {
	if kept := t.keepPartial(r); kept != nil {
		return t.errorEnding(ctx, kept)
	}
	if a, ok := errors.AsType[*gaveUp](err); ok && a.Cause != recovery.CauseCancelled {
		explain := a.Sentence
		if a.Cause == recovery.CauseExhausted && r != nil && r.text.Len() > 0 {
			explain += " What had arrived is kept; send \"go on\" to get the rest."
		}
		return ending{event.TurnFailed, string(a.Reason), explain}
	}
	return t.errorEnding(ctx, err)
}

// dropped is an ending that leaves an unfinished reply behind, nil for none.
func (t *turn) dropped(ctx context.Context, r *reply, e ending) ending {
	if err := t.keepPartial(r); err != nil {
		return t.errorEnding(ctx, err)
	}
	return e
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
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Events: []event.Event{e},
		Effects: []sessions.Effect{sessions.ClearPartial{Agent: string(t.Agent.id)}}}
	if m.Text() != "" { // reasoning alone is shown, but is nothing to send
		b.Rows = t.rows(m)
	}
	if err := t.conv.com.Commit(b); err != nil {
		return err
	}
	if b.Rows != nil {
		t.history = append(t.history, m)
	}
	return nil
}

// budgetNote asks for a last answer when no more calls are allowed.
const budgetNote = "The number of steps allowed for this turn is used up, so no tool can be called any more. " +
	"Say in a few sentences what was done, what was found, and what is left to do."

// summarise makes one last call without tools.
func (t *turn) summarise(ctx context.Context, explain string) ending {
	note := providers.Message{Role: providers.User, Parts: providers.TextParts(budgetNote)}
	r, err := t.request(ctx, nil, nextRequest{extra: []providers.Message{note}})
	if err != nil {
		return t.failed(ctx, r, err)
	}
	if err := t.keepCut(r); err != nil {
		return t.errorEnding(ctx, err)
	}
	return ending{event.TurnExhausted, "budget", explain}
}

// usedUp says that the budget of the turn is used up.
func (t *turn) usedUp() string {
	if t.parent != nil {
		return "It used up the model calls that a subagent may make (delegation.max_iterations)."
	}
	return "The turn used up its model calls (agent.max_turns); send a message to let it continue."
}
