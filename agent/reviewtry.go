package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/failure"
)

// each has the models try it in their order.
func (r *review) each(parent context.Context) error {
	ctx, cancel := context.WithTimeoutCause(parent, reviewWithin, fmt.Errorf("it took longer than %v", reviewWithin))
	defer cancel()
	var err error
	if each := r.conv.look.Each; each != nil {
		err = each(ctx, r.try)
	} else {
		_, err = r.try(ctx, r.own, true)
	}
	switch {
	case r.err != nil:
		return r.sentence(r.err)
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return r.sentence(err)
}

// try has one model look back. What it has kept is not to be kept again by another one: an
// error after that is put aside.
func (r *review) try(ctx context.Context, rt Runtime, same bool) (began bool, err error) {
	if same {
		rt = r.own
	}
	r.leave()
	if rt.Local {
		leave, ok := r.conv.look.Locals.look(r.stop)
		if !ok {
			return false, ErrBusy
		}
		r.leave = leave
	}
	r.rt, r.gauge, r.began = rt, compress.Gauge{}, false
	if err = r.begin(same); err == nil {
		err = r.run(ctx)
	}
	if err != nil && (len(r.kept.Changes) > 0 || errors.Is(err, errSpent)) {
		r.err, err = err, nil
	}
	return r.began, err
}

// end says what came of it. An agent that waits for the model goes on when all of it is
// said.
func (r *review) end(err error) {
	r.stop(nil)
	r.show(true)
	r.tell(err)
	r.conv.mu.Lock()
	r.conv.look.stop = nil
	r.conv.mu.Unlock()
	r.leave()
}

// begin makes the first request: the conversation itself for the model that has its
// beginning in its cache, if there is room for some calls, and what it comes to for others.
func (r *review) begin(same bool) error {
	r.req = r.whole
	r.req.Messages = append(slices.Clip(r.req.Messages), r.says(r.note))
	if same && 4*r.gauge.Request(r.req) <= r.bound {
		return nil
	}
	text, err := r.digest(r.rt.Model.ContextMax)
	if err != nil {
		return fmt.Errorf("write down what was said: %w", err)
	}
	r.req = providers.Request{
		Model: r.rt.Model.Name, System: digestSystem, Messages: []providers.Message{r.says(text + "\n\n" + r.note)},
		Effort: r.rt.Model.Effort, MaxOutput: r.rt.MaxOutput, CacheFor: r.rt.CacheFor,
	}
	for _, d := range r.whole.Tools {
		if _, ok := r.tools[d.Name]; ok {
			r.req.Tools = append(r.req.Tools, d)
		}
	}
	r.gauge = compress.Gauge{}
	return nil
}

// says is a message to the model.
func (r *review) says(text string) providers.Message {
	return providers.Message{ID: string(r.conv.ids.Message()), Role: providers.User, Parts: providers.TextParts(text), At: r.conv.ids.Now()}
}

// sentence says what an error of a service means.
func (r *review) sentence(err error) error {
	if p, ok := errors.AsType[*providers.Error](err); ok {
		err = errors.New(strings.TrimRight(r.mask.Text(failure.Classify(p, r.rt.about(0, len(r.req.Messages))).Sentence()), "."))
	}
	return err
}

// tell says in the transcript what came of it. One by itself that had to make way is due
// again after the next turn, and that one fails is said once until one does not.
func (r *review) tell(err error) {
	c := r.conv
	if c.ctx.Err() != nil {
		return
	}
	if r.auto {
		waits := len(r.kept.Changes) == 0 && (errors.Is(err, errNeeded) || errors.Is(err, ErrBusy))
		c.mu.Lock()
		told := waits || err != nil && c.look.failed && r.kept.Usage.Prompt() == 0
		c.look.again = waits
		c.look.failed = err != nil && !waits && !errors.Is(err, errStopped)
		c.mu.Unlock()
		if err != nil {
			c.report(fmt.Errorf("look back: %w", err))
		}
		if told {
			return
		}
	}
	level, text := words(r.kept, err)
	c.Notify(level, text)
}

// words returns the notice about looking back that ended with an error, nil for none.
func words(k api.Kept, err error) (event.Level, string) {
	switch {
	case err == nil:
		return event.LevelInfo, k.Sentence()
	case len(k.Changes) == 0:
		return event.LevelWarn, "Looking back ended, and nothing was kept" + k.Price() + ": " + strings.TrimRight(err.Error(), ".") + "."
	}
	return event.LevelWarn, k.Sentence() + " Then it ended: " + strings.TrimRight(err.Error(), ".") + "."
}
