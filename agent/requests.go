package agent

import (
	"context"
	"errors"
	"sync"

	"hermes-tui/agent/event"
	"hermes-tui/tools"
)

// The ways an answer can be refused.
var (
	// ErrStale is an answer to a request that was resolved already.
	ErrStale = errors.New("that question was answered or withdrawn already")
	// ErrChoice is an answer that the request does not offer.
	ErrChoice = errors.New("that answer is not offered for this question")
)

// asks holds the requests that wait for the person.
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
		return ErrStale
	}
	if !offered(p.request, ans.Choice) {
		return ErrChoice
	}
	delete(a.pending, id)
	p.answer <- ans
	return nil
}

// offered tells whether a request knows a choice.
func offered(r event.Request, c event.Choice) bool {
	switch r.Kind {
	case event.RequestApproval:
		switch c {
		case event.ChoiceOnce, event.ChoiceDeny:
			return true
		case event.ChoiceSession, event.ChoiceAlways:
			return r.Approval != nil && r.Approval.Rule != ""
		case event.ChoiceEdit:
			return r.Approval != nil && r.Approval.Editable
		}
	case event.RequestClarify, event.RequestSecret:
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

// ask puts a request to the person and waits. Both the request and how it ended
// are recorded. When nobody is there to ask, the answer is the one that allows
// nothing. When ctx ends first, the request is withdrawn and the cause returned.
func (a *Agent) ask(ctx context.Context, turn event.TurnID, r event.Request) (event.Answer, error) {
	c := a.conv
	r.ID, r.Agent, r.Path, r.At = c.ids.Request(), a.id, a.path(), c.ids.Now()
	p := c.asks.add(r)
	if err := c.com.commit(&batch{agent: a.id, turn: turn, events: []event.Event{&event.Requested{Request: r}}}); err != nil {
		c.asks.withdraw(r.ID)
		return event.Answer{}, err
	}
	ans, by, cause := event.Answer{Choice: refusal(r.Kind)}, event.ByPolicy, error(nil)
	switch {
	case c.unattended:
		c.asks.withdraw(r.ID)
	default:
		select {
		case ans = <-p.answer:
			by = event.ByPerson
		case <-ctx.Done():
			if !c.asks.withdraw(r.ID) {
				ans, by = <-p.answer, event.ByPerson
				break
			}
			by, cause = event.ByInterrupt, context.Cause(ctx)
			if why, ok := stopReason(ctx, nil); ok && why == StoppedByShutdown {
				by = event.ByShutdown
			}
		}
	}
	told := ans
	if r.Kind == event.RequestSecret {
		told.Text = ""
	}
	err := c.com.commit(&batch{agent: a.id, turn: turn, events: []event.Event{&event.RequestResolved{Request: r.ID, Answer: told, By: by}}})
	if cause != nil {
		return ans, cause
	}
	return ans, err
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
}

func (t *turn) host(c *callRun) host {
	h := host{turn: t, call: c.id, shown: c.id}
	if c.parent != "" {
		h.shown = c.parent
	}
	return h
}

var _ tools.Host = host{}

// Ask implements [tools.Host].
func (h host) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	r := event.Request{Call: h.shown}
	switch {
	case q.Approval != nil:
		r.Kind = event.RequestApproval
		r.Approval = &event.Approval{
			Action: q.Approval.Verb, Text: q.Approval.Text, SHA256: q.Approval.SHA256, Reason: q.Approval.Reason,
			Category: q.Approval.Category, Words: q.Approval.Words, Dir: q.Approval.Dir, Rule: q.Approval.Rule,
			Editable: q.Approval.Editable,
		}
	case q.Clarify != nil:
		r.Kind = event.RequestClarify
		r.Clarify = &event.Clarify{Question: q.Clarify.Question, Choices: q.Clarify.Choices}
	case q.Secret != nil:
		r.Kind = event.RequestSecret
		r.Secret = &event.Secret{Label: q.Secret.Label, Reason: q.Secret.Reason}
	default:
		return tools.Answer{Choice: tools.ChoiceNone}, errors.New("ask: empty question")
	}
	ans, err := h.turn.ask(ctx, h.turn.id, r)
	if err != nil {
		return tools.Answer{}, err
	}
	if h.turn.conv.unattended {
		return tools.Answer{Choice: tools.ChoiceNone}, nil
	}
	return tools.Answer{Choice: tools.Choice(ans.Choice), Text: ans.Text}, nil
}
