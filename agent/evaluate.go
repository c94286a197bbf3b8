package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/failure"
	"hermes-tui/providers/repair"
	"hermes-tui/store/sessions"
)

// attempts count what was tried about answers that were of no use.
type attempts struct {
	cut       recovery.Truncation
	empty     recovery.Empty
	malformed recovery.Malformed
	unclosed  recovery.Unclosed
	written   recovery.Written
}

// outcome is what follows from an answer: its calls run, another request is made
// in its place, or the turn ends.
type outcome struct {
	calls []*callRun
	next  *nextRequest
	end   *ending
}

func ended(e ending) (outcome, error) { return outcome{end: &e}, nil }

// evaluateReply says what follows from a complete answer and stores it when it is
// kept.
func (t *turn) evaluateReply(ctx context.Context, r *reply) (outcome, error) {
	if r.finish == providers.FinishFilter {
		return t.filteredReply(ctx, r)
	}
	if r.finish == providers.FinishLength || t.limitHidden(r) {
		return t.cutOff(r, r.callNames())
	}
	if len(r.calls) > 0 {
		t.written = recovery.Written{}
		return t.evaluateCalls(r)
	}
	if step, next := t.unclosed.Decide(r.text.String()); step.Kind != recovery.StepProceed {
		t.unclosed = next
		return t.follow(r, step)
	}
	if before, found := t.writtenCall(r); found {
		t.replaceText(r, before)
		step, next := t.written.Decide(r.text.String())
		t.written = next
		return t.follow(r, step)
	}
	t.unclosed, t.cut, t.written = recovery.Unclosed{}, recovery.Truncation{}, recovery.Written{}
	if r.text.Len() == 0 {
		return t.emptyReply(ctx, r)
	}
	t.empty = recovery.Empty{}
	if err := t.transformed(ctx, r); err != nil {
		return outcome{}, err
	}
	if err := t.keep(r, nil); err != nil {
		return outcome{}, err
	}
	if on, err := t.letGoOn(ctx, r); on || err != nil {
		return outcome{next: &nextRequest{}}, err
	}
	return ended(ending{outcome: event.TurnCompleted})
}

// writtenCall reports whether the answer has a call as text, and returns the text before it.
func (t *turn) writtenCall(r *reply) (before string, found bool) {
	text := r.text.String()
	if r.scrub.Written() > 0 {
		return text, true
	}
	asked := false
	for _, m := range slices.Backward(t.history) {
		if m.Role == providers.User {
			asked = strings.Contains(strings.ToLower(m.Text()), "json")
			break
		}
	}
	return recovery.WrittenCall(text, asked, func(name string) bool {
		return slices.Contains(t.tools.Names(), name)
	})
}

// replaceText makes the text of an answer that is not stored yet another one.
func (t *turn) replaceText(r *reply, text string) {
	if text = strings.TrimRight(text, " \t\r\n"); text == r.text.String() {
		return
	}
	r.mu.Lock()
	r.text.Reset()
	r.text.WriteString(text)
	r.saved, r.base.text = -1, min(r.base.text, len(text))
	r.mu.Unlock()
	t.redraw(r)
}

// limitHidden reports whether the answer was cut off although the server says nothing
// of it.
func (t *turn) limitHidden(r *reply) bool {
	n := len(t.history)
	return recovery.MaskedLimit(recovery.Ended{
		Chat: true, Local: t.rt.Stale == 0, Model: t.rt.Model.Name, ToolsRan: n > 0 && t.history[n-1].Role == providers.Tool,
		Calls: len(r.calls) > 0, Text: r.text.String(),
	})
}

// filteredReply is an answer that a content filter ended: another service once, or
// the end.
func (t *turn) filteredReply(ctx context.Context, r *reply) (outcome, error) {
	act, next := t.rec.Refused()
	if a, ok := act.(recovery.FallBack); ok {
		before := t.rec
		t.rec = next
		if err := t.count(r); err != nil {
			return outcome{}, err
		}
		err := t.fallBack(ctx, a, "The provider's content filter ended the answer")
		if err == nil {
			t.takeBack(r)
			return outcome{next: &nextRequest{}}, nil
		}
		if !errors.Is(err, errImpossible) {
			return outcome{}, err
		}
		act, t.rec = before.Without(a).Refused()
	}
	if err := t.keepCut(r); err != nil {
		return outcome{}, err
	}
	abort, _ := act.(recovery.Abort)
	return ended(ending{event.TurnFailed, string(failure.ContentPolicyBlocked), abort.Sentence})
}

// cutOff is an answer that stopped before it was complete.
func (t *turn) cutOff(r *reply, calls []string) (outcome, error) {
	used := 0
	if r.usage != nil {
		used = int(r.usage.Output)
	}
	step, next := t.cut.Decide(recovery.Cut{
		Text: r.text.Len() > 0, Calls: calls, MaxOutput: t.rt.MaxOutput, Used: used, Ceiling: t.rt.Ceiling,
	})
	t.cut = next
	return t.follow(r, step)
}

// emptyReply is an answer without text and calls.
func (t *turn) emptyReply(ctx context.Context, r *reply) (outcome, error) {
	n := len(t.history)
	afterTools := n > 0 && t.history[n-1].Role == providers.Tool
	step, next := t.empty.Decide(recovery.Silence{
		Earlier: afterTools && t.saidBefore(), AfterTools: afterTools, Reasoning: r.reasoning.String(), Fallbacks: t.rec.Fallbacks(),
	})
	t.empty = next
	if step.Kind != recovery.StepFallBack {
		return t.follow(r, step)
	}
	before := t.rec
	a, moved, ok := t.rec.MoveOn(failure.Unknown)
	if ok {
		t.rec = moved
		if err := t.count(r); err != nil {
			return outcome{}, err
		}
		err := t.fallBack(ctx, a, "The model answered nothing")
		if err == nil {
			t.takeBack(r)
			return outcome{next: &nextRequest{}}, nil
		}
		if !errors.Is(err, errImpossible) {
			return outcome{}, err
		}
		t.rec = before.Without(a)
	}
	return t.endEmpty(r)
}

// endEmpty is the end of a turn in which nothing more was said.
func (t *turn) endEmpty(r *reply) (outcome, error) {
	for {
		step, next := t.empty.Decide(recovery.Silence{})
		t.empty = next
		if step.Kind == recovery.StepStop {
			return t.follow(r, step)
		}
	}
}

// saidBefore reports whether the message before the newest results was an answer
// beside calls that only keep notes.
func (t *turn) saidBefore() bool {
	for i := len(t.history) - 1; i >= 0; i-- {
		if m := t.history[i]; m.Role == providers.Assistant {
			return m.Text() != "" && t.housekeeping(m.Calls)
		} else if m.Role == providers.User {
			return false
		}
	}
	return false
}

// housekeeping reports whether all calls of a message only keep the agent's own
// notes, so that its text was the answer. A message without calls is not.
func (t *turn) housekeeping(calls []providers.Call) bool {
	for _, c := range calls {
		if tool, _ := t.tools.Registered(c.Name); !tool.Housekeeping {
			return false
		}
	}
	return len(calls) > 0
}

// evaluateCalls looks at the calls of an answer before any of them runs.
func (t *turn) evaluateCalls(r *reply) (outcome, error) {
	calls := t.plan(r)
	var b recovery.Batch
	for _, c := range calls {
		switch {
		case c.unknown:
			b.Unknown = append(b.Unknown, c.call.Name)
		case c.read == repair.CutOff:
			b.CutOff = append(b.CutOff, c.call.Name)
		case c.read == repair.Rejected:
			b.Garbled = append(b.Garbled, c.call.Name)
		}
	}
	step, next := t.malformed.Decide(b)
	t.malformed = next
	switch step.Kind {
	case recovery.StepCut:
		return t.cutOff(r, b.CutOff)
	case recovery.StepProceed:
	case recovery.StepAnswer:
		t.refuse(calls, len(b.Unknown) > 0)
	default:
		return t.follow(r, step)
	}
	t.empty, t.cut = recovery.Empty{}, recovery.Truncation{}
	if err := t.keep(r, calls); err != nil {
		return outcome{}, err
	}
	return outcome{calls: calls}, nil
}

// refuse marks calls that do not run because one of them cannot.
func (t *turn) refuse(calls []*callRun, unknown bool) {
	for _, c := range calls {
		switch {
		case c.fault != "":
		case unknown:
			c.fault = recovery.SkippedUnknown
		default:
			c.fault = recovery.SkippedGarbled
		}
	}
}

// follow takes the step decided for an answer that is not kept as it is.
func (t *turn) follow(r *reply, s recovery.Step) (outcome, error) {
	switch s.Kind {
	case recovery.StepAgain:
		if err := t.count(r); err != nil {
			return outcome{}, err
		}
		t.takeBack(r)
		return outcome{next: &nextRequest{extra: s.Extra, maxOutput: s.MaxOutput}}, nil
	case recovery.StepContinue:
		if err := t.charge(r); err != nil {
			return outcome{}, err
		}
		return outcome{next: &nextRequest{extra: s.Extra, maxOutput: s.MaxOutput, into: r}}, nil
	case recovery.StepUseEarlier:
		if err := t.count(r); err != nil {
			return outcome{}, err
		}
		return ended(ending{outcome: event.TurnCompleted})
	}
	if err := t.keepCut(r); err != nil {
		return outcome{}, err
	}
	return ended(ending{event.TurnFailed, s.Reason, s.Sentence})
}

// keepCut stores the text of an answer that is not complete; calls in it are
// not.
func (t *turn) keepCut(r *reply) error {
	r.calls = nil
	if r.text.Len() == 0 && r.reasoning.Len() == 0 {
		return t.count(r)
	}
	return t.keep(r, nil)
}

// keep stores an answer.
func (t *turn) keep(r *reply, calls []*callRun) error {
	m := r.message(t, calls)
	e := r.committed(m, calls)
	e.Partial = m.Finish == providers.FinishLength
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Events: []event.Event{e},
		Effects: []sessions.Effect{sessions.ClearPartial{Agent: string(t.Agent.id)}}}
	silent := len(calls) == 0 && m.Text() == ""
	if !silent { // reasoning alone is shown, but is nothing to send
		b.Rows = t.rows(m)
	}
	for i, c := range calls {
		b.Effects = append(b.Effects, c.planned(t, m.ID, i))
	}
	t.addUsage(r, b)
	if err := t.conv.com.Commit(b); err != nil {
		return err
	}
	if !silent {
		t.history = append(t.history, m)
	}
	return nil
}
