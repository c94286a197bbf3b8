package agent

import (
	"context"

	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// endpoint names a model of a service.
type endpoint struct{ provider, host, model string }

func endpointOf(m event.Model) endpoint { return endpoint{m.Provider, m.Host, m.Name} }

// room is what an agent knows of how much fits into a request.
type room struct {
	// gauge measures requests to one endpoint; another one counts differently.
	gauge compress.Gauge
	// of is the endpoint that gauge measures.
	of endpoint
	// windows are the sizes that services stated when they refused a request as
	// too long, in tokens.
	windows map[endpoint]int
}

// asking is the request that a turn is about to make.
type asking struct {
	defs   []providers.ToolDef
	next   nextRequest
	tokens int // of the request that was built last, estimated
	// windows are those of [room], for this turn only.
	windows map[endpoint]int
}

// engine makes what compresses histories. It knows the marks around what the
// user says while a tool runs, and the tools whose results it shortens.
func engine(c compress.Config, box Toolbox) *compress.Engine {
	c.SaidOpen, c.SaidClose = steerOpen, steerClose
	return compress.New(c, box.Registered)
}

// gauge measures requests to the model that answers.
func (t *turn) gauge() *compress.Gauge {
	if at := endpointOf(t.rt.Model); t.room.of != at {
		t.room.gauge, t.room.of = compress.Gauge{}, at
	}
	return &t.room.gauge
}

// window is the room of the model that answers: what is known of it, or less
// when the service said so.
func (t *turn) window() compress.Window {
	w := compress.Window{Max: t.rt.Model.ContextMax, Reserve: t.rt.MaxOutput}
	at := endpointOf(t.rt.Model)
	for _, n := range []int{t.room.windows[at], t.asking.windows[at]} {
		if n > 0 && (w.Max == 0 || n < w.Max) {
			w.Max = n
		}
	}
	return w
}

// adoptWindow takes over the window that a service stated: for good when it is the
// model's own, otherwise for the rest of the turn.
func (t *turn) adoptWindow(a recovery.Compress) {
	if a.Window <= 0 {
		return
	}
	known := &t.asking.windows
	if a.Persist {
		known = &t.room.windows
		if t.rt.Learnt != nil {
			t.rt.Learnt(a.Window)
		}
	}
	if *known == nil {
		*known = map[endpoint]int{}
	}
	(*known)[endpointOf(t.rt.Model)] = a.Window
}

// fit builds the request that is due, with a shorter history when the present
// one leaves too little room.
func (t *turn) fit(defs []providers.ToolDef, next nextRequest) (providers.Request, error) {
	t.asking.defs, t.asking.next = defs, next
	req := t.measured(t.history)
	e := t.conv.engine
	if !e.Due(t.gauge(), t.asking.tokens, t.window(), len(t.history)) {
		return req, nil
	}
	changed, err := t.compress(e.Budget(t.gauge(), t.window()))
	if changed {
		req = t.measured(t.history)
	}
	return req, err
}

// measured builds the request around a history and notes its size.
func (t *turn) measured(history []providers.Message) providers.Request {
	req := t.build(history, t.asking.defs, t.asking.next)
	if t.rt.Model.Vision == event.No {
		req.Messages = without(req.Messages, blindNote)
	}
	t.asking.tokens = t.gauge().Request(req)
	t.see(req, t.gauge().Scale())
	return req
}

// answered notes what the service counted for the request.
func (t *turn) answered(r *reply) {
	if r.usage == nil {
		return
	}
	t.gauge().Counted(int(r.usage.Prompt()))
	if t.rt.Worked != nil {
		t.rt.Worked(int(r.usage.Prompt()))
	}
}

// compress makes the history fit a budget. It is stored what becomes of it
// before it counts, and the messages themselves stay in the store. It returns
// false when nothing could be changed.
func (t *turn) compress(b compress.Budget) (changed bool, err error) {
	before := t.asking.tokens
	r := t.conv.engine.Compress(t.history, b, t.tools.Open())
	t.gauge().Compressed(r)
	if !r.Changed() {
		return false, nil
	}
	t.measured(r.History)
	r.Before, r.After = before, t.asking.tokens // of the request, which is what the user sees
	err = t.conv.com.commit(&batch{
		agent: t.Agent.id, session: t.session, turn: t.id,
		events: []event.Event{&event.ContextCompressed{
			Block: t.conv.ids.Block(), Before: r.Before, After: r.After,
			Results: r.Results, Calls: r.Arguments, Turns: r.Turns, Dropped: r.Messages, Summary: r.Summary(),
		}},
		effects: []sessions.Effect{shortened(r)},
	})
	if err != nil {
		return false, err
	}
	t.history = r.History
	t.forget()
	return true, nil
}

// shortened is what the store keeps of a compression.
func shortened(r compress.Result) sessions.ShortenContext {
	e := sessions.ShortenContext{LeftOut: r.LeftOut}
	for _, m := range r.Replaced {
		s := sessions.Shortened{ID: m.ID, Content: m.Text()}
		if len(m.Calls) > 0 {
			s.ToolCalls = encode(storedCalls(m.Calls))
		}
		e.Replaced = append(e.Replaced, s)
	}
	return e
}

// compressFor compresses because a service refused the request as too long.
func (t *turn) compressFor(ctx context.Context, a recovery.Compress, r *reply) error {
	t.adoptWindow(a)
	changed, err := t.compress(t.conv.engine.Tighter(t.gauge(), t.window()))
	if err != nil {
		return err
	}
	if !changed {
		return errImpossible
	}
	t.takeBack(r)
	if a.Pause > 0 {
		return t.pause(ctx, a.Attempt, a.Max, tooLong, a.Pause)
	}
	t.retrying(a.Attempt, a.Max, tooLong, 0)
	return nil
}

// Compress shortens the history between turns, whether or not it is due. It
// returns false when there is nothing to shorten, and waits while a turn runs.
func (c *Conversation) Compress(ctx context.Context) (changed bool, err error) {
	err = c.chore(ctx, func(t *turn) error {
		t.asking.defs = t.tools.Definitions(ctx)
		t.measured(t.history)
		changed, err = t.compress(c.engine.Tighter(t.gauge(), t.window()))
		return err
	})
	return changed, err
}
