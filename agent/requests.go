package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/tools"
)

// asks holds the requests that wait for the user.
type asks struct {
	mu      sync.Mutex
	pending map[event.RequestID]*asked
}

type asked struct {
	request event.Request
	answer  chan event.Answer // takes one
}

// answer resolves a request. The goroutine that waits for it records the
// answer before it goes on.
func (a *asks) answer(id event.RequestID, ans event.Answer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.pending[id]
	if p == nil {
		return api.ErrStale
	}
	if !offered(p.request, ans.Choice) {
		return api.ErrChoice
	}
	delete(a.pending, id)
	p.answer <- ans
	return nil
}

// offered reports whether a request knows a choice.
func offered(r event.Request, c event.Choice) bool {
	switch r.Kind {
	case event.RequestApproval:
		switch c {
		case event.ChoiceOnce, event.ChoiceDeny:
			return true
		case event.ChoiceSession, event.ChoiceAlways:
			return r.Approval != nil && r.Approval.Rule != ""
		case event.ChoiceReview:
			return r.Approval != nil && r.Approval.Edit != nil
		case event.ChoiceEdit:
			return r.Approval != nil && r.Approval.Editable
		case event.ChoiceConfined:
			return r.Approval != nil && r.Approval.Confinable
		}
	case event.RequestClarify, event.RequestSecret:
		if c == event.ChoiceEdit {
			return r.Clarify != nil && r.Clarify.Draft != ""
		}
		return c == event.ChoiceText || c == event.ChoiceNone
	case event.RequestTrust:
		return c == event.ChoiceAlways || c == event.ChoiceDeny
	}
	return false
}

func (a *asks) add(r event.Request) *asked {
	p := &asked{request: r, answer: make(chan event.Answer, 1)}
	a.mu.Lock()
	a.pending[r.ID] = p
	a.mu.Unlock()
	return p
}

// withdraw takes a request back. It returns false when an answer came first.
func (a *asks) withdraw(id event.RequestID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, waits := a.pending[id]
	delete(a.pending, id)
	return waits
}

// ask puts a request to the user and waits. Both the request and how it ended
// are recorded. When no one is there to ask, the answer is the one that allows
// nothing, and so it is when within is over, which is for ever if it is 0. When
// ctx ends first, the request is withdrawn and the cause returned.
func (a *Agent) ask(ctx context.Context, turn event.TurnID, r event.Request, within time.Duration) (event.Answer, error) {
	c := a.conv
	r.ID, r.Agent, r.Path, r.At = c.ids.Request(), a.id, a.names, c.ids.Now()
	if within > 0 {
		r.Until = r.At.Add(within)
	} else if until, limited := ctx.Deadline(); limited {
		r.Until = until
	}
	p := c.asks.add(r)
	if _, decided := a.policy(r.Kind); !decided {
		defer a.member.Ask()() // from before it is seen to wait until after it is seen to go on
	}
	if err := c.com.Commit(&journal.Batch{Agent: a.id, Session: a.session, Turn: turn, Events: []event.Event{&event.Requested{Request: r}}}); err != nil {
		c.asks.withdraw(r.ID)
		return event.Answer{}, err
	}
	a.tellAsked(turn, r, nil)
	ans, by, cause := a.decide(ctx, p, within)
	told := ans
	if r.Kind == event.RequestSecret {
		told.Text = ""
	}
	err := c.com.Commit(&journal.Batch{
		Agent: a.id, Session: a.session, Turn: turn, Events: []event.Event{&event.RequestResolved{Request: r.ID, Answer: told, By: by}},
	})
	a.tellAsked(turn, r, &ans)
	if cause != nil {
		return ans, cause
	}
	return ans, err
}

// decide waits for the answer to a question. Time in which an agent waits for the
// user counts against nothing.
func (a *Agent) decide(ctx context.Context, p *asked, within time.Duration) (ans event.Answer, by event.Resolver, cause error) {
	c, id := a.conv, p.request.ID
	ans = event.Answer{Choice: refusal(p.request.Kind)}
	if decided, yes := a.policy(p.request.Kind); yes {
		c.asks.withdraw(id)
		return decided, event.ByPolicy, nil
	}
	var late <-chan time.Time
	if within > 0 {
		late = c.after(within)
	}
	select {
	case ans = <-p.answer:
		return ans, event.ByUser, nil
	case <-late:
		by = event.ByTimeout
	case <-ctx.Done():
		by, cause = event.ByInterrupt, context.Cause(ctx)
		if why, ok := stopReason(ctx, nil); ok && why == StoppedByShutdown {
			by = event.ByShutdown
		} else if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			by = event.ByTimeout
		} else if !ok {
			by = event.ByAsker
		}
	}
	if !c.asks.withdraw(id) {
		return <-p.answer, event.ByUser, nil
	}
	return ans, by, cause
}

// notDelegated is why a question of a subagent was answered with no.
const notDelegated = "subagents are not given this here (delegation.approvals: deny); report it to the agent above you instead"

// policy decides a question that is not put to the user.
func (a *Agent) policy(k event.RequestKind) (event.Answer, bool) {
	if a.parent != nil && k == event.RequestApproval {
		switch a.conv.delegated {
		case DelegatedDeny:
			return event.Answer{Choice: event.ChoiceDeny, Text: notDelegated}, true
		case DelegatedAllow:
			return event.Answer{Choice: event.ChoiceOnce}, true
		}
	}
	return event.Answer{Choice: refusal(k)}, a.conv.unattended
}

// noOne reports whether an answer came because no one can be asked here.
func (a *Agent) noOne(k event.RequestKind) bool {
	ans, decided := a.policy(k)
	return decided && ans.Choice == refusal(k) && ans.Text == ""
}

// refusal is the answer that allows nothing.
func refusal(k event.RequestKind) event.Choice {
	if k == event.RequestClarify || k == event.RequestSecret {
		return event.ChoiceNone
	}
	return event.ChoiceDeny
}

// host is what one call may ask of its surroundings; see [tools.Host].
type host struct {
	turn *turn
	call event.CallID
	// shown is the call that is seen to wait for an answer: the script's, when a
	// script has made this one.
	shown event.CallID
	// waits are how long the call, and those on whose behalf it is made, have waited.
	waits []*waiting
}

func (t *turn) host(c *callRun) host {
	h := host{turn: t, call: c.id, shown: c.id, waits: append(slices.Clip(c.above), &c.waited)}
	if c.parent != "" {
		h.shown = c.parent
	}
	return h
}

var _ tools.Host = host{}

// question is a question of the gate for the screen.
func question(q *tools.Approval) *event.Approval {
	a := &event.Approval{Action: q.Verb, Text: q.Text, SHA256: q.SHA256, Dir: q.Dir, Rule: q.Rule, Editable: q.Editable, Confinement: q.Confinement, Confinable: q.Confinable, Again: q.Again, Bound: q.Bound, Edit: event.EditOf(q.Edit)}
	for _, s := range q.Scopes {
		a.Scopes = append(a.Scopes, event.Scope(s))
	}
	for _, r := range q.Reasons {
		a.Reasons = append(a.Reasons, event.Reason(r))
	}
	if len(a.Reasons) > 0 {
		a.Reason, a.Category, a.Words = a.Reasons[0].Text, a.Reasons[0].Category, a.Reasons[0].Words
	}
	return a
}

// Ask implements [tools.Host].
func (h host) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	r := event.Request{Call: h.shown}
	switch {
	case q.Approval != nil:
		r.Kind = event.RequestApproval
		r.Approval = question(q.Approval)
		r.Approval.Edit.Mask(h.turn.mask.Code)
	case q.Clarify != nil:
		r.Kind = event.RequestClarify
		r.Clarify = clarify(q.Clarify)
	case q.Secret != nil:
		r.Kind = event.RequestSecret
		r.Secret = &event.Secret{Label: q.Secret.Label, Reason: q.Secret.Reason}
	default:
		return tools.Answer{Choice: tools.ChoiceNone}, errors.New("ask: empty question")
	}
	for _, w := range h.waits {
		w.begin(h.turn.conv.ids.Now())
		defer func() { w.end(h.turn.conv.ids.Now()) }()
	}
	ans, err := h.turn.ask(ctx, h.turn.id, r, q.Within)
	if err != nil {
		return tools.Answer{}, err
	}
	if h.turn.noOne(r.Kind) {
		return tools.Answer{Choice: tools.ChoiceNone}, nil
	}
	return tools.Answer{Choice: tools.Choice(ans.Choice), Text: ans.Text, Parts: ans.Parts, Review: ans.Review}, nil
}

// clarify is a question of a tool as the user gets it.
func clarify(q *tools.Clarify) *event.Clarify {
	out := &event.Clarify{Question: q.Question, Choices: q.Choices, Multi: q.Multi}
	for _, m := range q.More {
		out.More = append(out.More, event.ClarifyMore(m))
	}
	return out
}
