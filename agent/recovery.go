package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/hooks"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/failure"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// nextRequest is what is special about the next request of a turn.
type nextRequest struct {
	// extra travels behind the history with this request only.
	extra []providers.Message
	// maxOutput caps the answer in tokens; 0 leaves the usual cap.
	maxOutput int
	// into is an unfinished reply that the answer goes on with, nil for a new one.
	into *reply
}

// gaveUp is a model call that no recovery helped.
type gaveUp struct{ recovery.Abort }

// Error implements error.
func (g *gaveUp) Error() string { return g.Sentence }

// errImpossible is an action that cannot be carried out here.
var errImpossible = errors.New("not possible here")

// request makes one model call and recovers from what goes wrong with it. Its
// error is the end of the turn: a [gaveUp], the cause of the context, or a store
// that refuses. What had arrived by then comes with it.
func (t *turn) request(ctx context.Context, defs []providers.ToolDef, next nextRequest) (*reply, error) {
	t.requests++
	t.rec = t.rec.Begin()
	for {
		r := t.newReply(next)
		if err := t.member.Checkpoint(ctx); err != nil {
			return r, err
		}
		req, err := t.fit(ctx, defs, next)
		if err != nil {
			return r, err
		}
		if err = t.tellDearer(); err != nil {
			return r, err
		}
		began := t.conv.ids.Now()
		t.tellRequest(hooks.PreAPIRequest, req, nil)
		err = t.stream(ctx, r, req, t.asking.tokens)
		if err == nil {
			t.answered(r)
			t.answeredWell(ctx)
			t.tellRequest(hooks.PostAPIRequest, req, r)
			return r, nil
		}
		_, stopped := stopReason(ctx, err)
		if _, over := errors.AsType[*gaveUp](err); over || stopped || errors.Is(err, journal.ErrClosed) {
			return r, err
		}
		now := t.conv.ids.Now()
		t.tellFailed(req, err, now.Sub(began))
		about := t.rt.about(t.asking.tokens, len(req.Messages))
		about.ContextMax = t.window().Max
		f := recovery.Read(err, recovery.Sent{
			Context: about, Now: now, Took: now.Sub(began),
			Began: r.grown(), Text: r.text.Len() > r.base.text, Calls: r.callNames(),
			Tools: toolNames(req.Tools), Images: countImages(req.Messages), Effort: t.rt.Model.Effort,
		})
		t.conv.report(fmt.Errorf("model call: %w", err))
		if err := t.recoverCall(ctx, f, r, &next); err != nil {
			if g, over := errors.AsType[*gaveUp](err); over {
				t.refused(f, req, g, r)
			}
			return r, err
		}
	}
}

// answeredWell notes that the service works.
func (t *turn) answeredWell(ctx context.Context) {
	if t.rt.Keys != nil {
		t.rt.Keys.Good(ctx)
	}
	if t.rt.Offline {
		t.conv.online()
		t.rt.Offline = false
	}
}

// build makes the request around a history.
func (t *turn) build(history []providers.Message, defs []providers.ToolDef, next nextRequest) providers.Request {
	extra := next.extra
	if next.into != nil {
		extra = append([]providers.Message{{
			Role: providers.Assistant, Parts: providers.TextParts(next.into.text.String()), Finish: providers.FinishLength,
		}}, extra...)
	}
	req := providers.Request{
		Model:     t.rt.Model.Name,
		System:    t.system,
		Messages:  wireCopy(history, extra...),
		Tools:     defs,
		MaxOutput: t.rt.MaxOutput,
		Effort:    t.rt.Model.Effort,
		Session:   string(t.session),
		CacheFor:  t.rt.CacheFor,
	}
	if next.maxOutput > 0 {
		req.MaxOutput = next.maxOutput
	}
	req.Messages = withoutRefused(req.Messages, t.room.refused[endpointOf(t.rt.Model)])
	return reshape(req, t.rec.Shape())
}

// recoverCall does what recovery says about a failed call, after which the
// request is to be sent again. When the text that had arrived is kept, the next
// request asks for the rest of it.
func (t *turn) recoverCall(ctx context.Context, f recovery.Fault, r *reply, next *nextRequest) error {
	for {
		act, state := t.tuned.Policy.Next(f, t.rec)
		if a, ok := act.(recovery.Abort); ok {
			if a.Cause == recovery.CauseTooLong {
				a.Sentence = t.tooLong(f)
			}
			return &gaveUp{a}
		}
		note, goOn := f.GoOn(act)
		r.goesOn = goOn
		before := t.rec
		t.rec = state
		err := t.execute(ctx, act, f, r)
		if errors.Is(err, errImpossible) {
			t.rec = before.Without(act)
			continue
		}
		if _, told := act.(recovery.Tell); err == nil && (goOn || told) {
			next.extra = []providers.Message{note}
		}
		if err == nil && goOn {
			next.into = r
			err = t.charge(r)
		}
		return err
	}
}

// execute carries out an action after which the request is sent again.
func (t *turn) execute(ctx context.Context, act recovery.Action, f recovery.Fault, r *reply) error {
	switch a := act.(type) {
	case recovery.Resend:
		t.takeBack(r)
		t.reconnect()
		t.retrying(a.Attempt, a.Max, whyRetry(f), 0)
		return nil
	case recovery.Wait:
		t.takeBack(r)
		return t.pause(ctx, a.Attempt, a.Max, whyRetry(f), a.Delay)
	case recovery.Rebuild:
		t.takeBack(r)
		t.reconnect()
		return t.pause(ctx, a.Attempt, a.Max, whyRetry(f), a.Delay)
	case recovery.Rotate:
		return t.rotate(ctx, f, r)
	case recovery.Refresh:
		return t.renew(ctx, r)
	case recovery.Tell:
		t.takeBack(r)
		t.retrying(a.Attempt, a.Max, "unreadable tool call", 0)
		return nil
	case recovery.Reshape:
		err := t.change(a, f, r)
		if err == nil {
			t.conv.learnt.keep(t.rt.Model, t.rec.Shape())
		}
		return err
	case recovery.Compress:
		return t.compressFor(ctx, a, r)
	case recovery.FallBack:
		t.takeBack(r)
		return t.fallBack(ctx, a, f.Sentence())
	}
	return errImpossible
}

// takeBack removes from the screen what a call brought that is asked for again: all
// of it, or the calls alone when the reply goes on.
func (t *turn) takeBack(r *reply) {
	if r == nil || !r.grown() || r.goesOn && len(r.calls) == 0 {
		return
	}
	if r.goesOn {
		r.calls = nil
	} else {
		r.restart()
	}
	t.redraw(r)
}

// redraw shows a reply as it stands, with nothing else that was not committed.
func (t *turn) redraw(r *reply) {
	t.live(&event.StreamReset{})
	if text := r.reasoning.String(); text != "" {
		t.live(&event.ReasoningDelta{Block: r.reasoningBlock, Text: text})
	}
	if text := r.text.String(); text != "" {
		t.live(&event.TextDelta{Block: r.textBlock, Text: text})
	}
}

func (t *turn) reconnect() {
	if t.rt.Reset != nil {
		t.rt.Reset()
	}
}

// retrying shows that a request is sent again.
func (t *turn) retrying(attempt, most int, why string, in time.Duration) {
	t.phase = event.PhaseRetrying
	t.live(&event.RetryScheduled{Attempt: attempt, Max: most, Reason: why, Until: t.conv.ids.Now().Add(in)})
}

// pause waits before another attempt. The user can cut it short.
func (t *turn) pause(ctx context.Context, attempt, most int, why string, d time.Duration) error {
	select {
	case <-t.hurry: // an old one
	default:
	}
	t.retrying(attempt, most, why, d)
	t.member.Beat()
	defer t.member.Beat()
	select {
	case <-t.conv.after(d):
	case <-t.hurry:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// tooLong says why a call is made again with a shorter history.
const tooLong = "too long, compressing"

// whyRetry says in few words why a call is made again.
func whyRetry(f recovery.Fault) string {
	switch f.Reason {
	case failure.RateLimit:
		return "rate limit"
	case failure.Overloaded:
		return "overloaded"
	case failure.ServerError:
		return "server error"
	case failure.Timeout:
		return whyLate(f)
	case failure.Billing:
		return "quota used up"
	}
	if f.Invalid {
		return "garbled response"
	}
	return "failed"
}

// whyLate tells apart the ways in which an answer does not come.
func whyLate(f recovery.Fault) string {
	switch {
	case f.Err == nil || errors.Is(f.Err.Cause, errStale) || errors.Is(f.Err.Cause, errLong):
		return "no answer in time"
	case f.Lost:
		return "connection lost"
	case f.Err.Kind == providers.ErrorConnect:
		return "no connection"
	}
	return "no answer in time"
}

// rotate goes on with another credential of the service.
func (t *turn) rotate(ctx context.Context, f recovery.Fault, r *reply) error {
	if t.rt.Keys == nil {
		return errImpossible
	}
	client, err := t.rt.Keys.Rotate(ctx, f)
	return t.useClient(client, err, r)
}

// renew goes on with the credential renewed.
func (t *turn) renew(ctx context.Context, r *reply) error {
	if t.rt.Keys == nil {
		return errImpossible
	}
	client, err := t.rt.Keys.Renew(ctx)
	return t.useClient(client, err, r)
}

func (t *turn) useClient(client providers.Client, err error, r *reply) error {
	if err != nil {
		t.conv.report(fmt.Errorf("credential: %w", err))
	}
	if err != nil || client == nil {
		return errImpossible
	}
	t.takeBack(r)
	t.rt.Client = client
	return nil
}

// change sends the request in another form, unless it has nothing to change.
func (t *turn) change(a recovery.Reshape, f recovery.Fault, r *reply) error {
	switch a.Change {
	case recovery.DropImages, recovery.ShrinkImages, recovery.FewerImages:
		if !slices.ContainsFunc(t.history, hasImage) {
			return errImpossible
		}
	}
	t.takeBack(r)
	var text string
	switch a.Change {
	case recovery.DropReasoning:
		t.refuseThoughts()
		return nil
	case recovery.SmallerAnswer:
		t.gauge().Counted(f.Window - f.Output) // of the request
		return nil
	case recovery.OtherEffort:
		asked := "asked for " + t.rec.Shape().Effort
		if t.rec.Shape().Effort == "" {
			asked = "not told how much to reason"
		}
		text = fmt.Sprintf("%s refuses the reasoning effort %s, so it is %s in this session.", t.rt.Model.Name, f.Effort, asked)
	case recovery.DropImages:
		text = fmt.Sprintf("%s takes no images, so it is told where there were some. /model shows which models see.", t.rt.Model.Name)
	case recovery.FewerImages:
		text = fmt.Sprintf("%s takes %s in a request, so the model is told where older ones were.", t.rt.Model.Provider, tools.Plural(a.Most, "image", "images"))
	case recovery.FewerTools:
		text = fmt.Sprintf("%s takes %s in a request, so those of servers beyond that are left out.", t.rt.Model.Provider, tools.Plural(a.Most, "tool", "tools"))
	case recovery.SetAside:
		said := strings.TrimRight(f.Message, ".!: ")
		text = fmt.Sprintf("%s refuses the tool %s, so this session goes on without it (“%s”).", t.rt.Model.Provider, a.Tool, shorten.Line(said, 200))
		t.tools.Aside(a.Tool, t.rt.Model.Provider+" refuses it: "+said)
	default:
		return nil
	}
	return t.commit(&event.NoticeRaised{Block: t.conv.ids.Block(), Level: event.LevelWarn, Text: text})
}

// tellDearer says, once for each size, that the request about to be made is so large that it
// costs more.
func (t *turn) tellDearer() error {
	if t.rt.Dearer == nil {
		return nil
	}
	size, of := t.rt.Dearer(t.asking.tokens), endpointOf(t.rt.Model)
	if size <= t.room.dear[of] {
		return nil
	}
	if t.room.dear == nil {
		t.room.dear = map[endpoint]int{}
	}
	t.room.dear[of] = size
	text := fmt.Sprintf("The conversation has about %d,000 tokens now: requests of more than %d,000 cost more with %s. /compress makes it shorter.", t.asking.tokens/1000, size/1000, t.rt.Model.Name)
	return t.commit(&event.NoticeRaised{Block: t.conv.ids.Block(), Level: event.LevelWarn, Text: text})
}

// fallBack goes to the next service of the chain that can be reached, for the
// rest of the turn.
func (t *turn) fallBack(ctx context.Context, a recovery.FallBack, why string) error {
	if a.Rest > 0 && !t.moved {
		t.conv.rest(t.conv.ids.Now().Add(a.Rest))
	}
	for t.chain < len(t.conv.fallbacks) {
		next := t.conv.fallbacks[t.chain]
		t.chain++
		rt, err := next.Open(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || endpointOf(rt.Model) == endpointOf(t.rt.Model) && rt.Account == t.rt.Account {
			if err != nil {
				t.conv.report(fmt.Errorf("fallback %s: %w", next.Name, err))
			}
			continue
		}
		return t.moveTo(rt, string(a.Reason), why)
	}
	return errImpossible
}

// moveTo makes rt answer for the rest of the turn, and says so.
func (t *turn) moveTo(rt Runtime, reason, why string) error {
	from := t.rt.Model.Name
	t.rt, t.moved = rt, true
	t.Agent.answeredBy(rt) // its subagents, too
	m := rt.means(0, false)
	t.rec = t.rec.Adopt(m.Spare, m.Refresh).Knowing(t.conv.learnt.about(rt.Model))
	text := fmt.Sprintf("%s %s of %s answers for the rest of this turn.", tools.Sentence(errors.New(why)), rt.Model.Name, rt.Model.Provider)
	return t.commit(
		&event.FallbackActivated{From: from, To: rt.Model.Name, Reason: reason},
		&event.NoticeRaised{Block: t.conv.ids.Block(), Level: event.LevelWarn, Text: text},
	)
}

// takeKey takes the credential that is due. When none is, the one at hand is
// tried: what the service says about it is worth more than a guess.
func (t *turn) takeKey(ctx context.Context) {
	if t.rt.Keys == nil {
		return
	}
	client, err := t.rt.Keys.Client(ctx)
	if err != nil {
		t.conv.report(fmt.Errorf("credential: %w", err))
		return
	}
	t.rt.Client = client
	m := t.rt.means(0, false)
	t.rec = t.rec.Adopt(m.Spare, m.Refresh)
}

// startRested begins a turn on the fallback chain while the first service rests.
func (t *turn) startRested(ctx context.Context) error {
	if !t.conv.ids.Now().Before(t.conv.resting()) {
		return nil
	}
	a, next, ok := t.rec.MoveOn(failure.RateLimit)
	if !ok {
		return nil
	}
	before := t.rec
	t.rec = next
	a.Rest = 0
	err := t.fallBack(ctx, a, "The usual model ran into a limit a moment ago")
	if errors.Is(err, errImpossible) {
		t.rec, t.chain = before, 0
		return nil
	}
	return err
}
