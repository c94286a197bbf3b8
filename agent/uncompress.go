package agent

import (
	"context"
	"errors"
	"slices"

	"hermes-tui/agent/api"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// ErrNotShortened says that nothing was shortened that could be taken back.
var ErrNotShortened = errors.New("nothing was shortened in this session that could be taken back")

// Uncompress takes back the last compression: the model gets what it got before. It
// returns how many tokens that is, and waits while a turn runs. An error is
// [ErrNotShortened], or of the store.
func (c *Conversation) Uncompress(ctx context.Context) (tokens int, err error) {
	err = c.chore(ctx, func(t *turn) error {
		any, err := c.store.Shortened(ctx, string(t.session))
		if err == nil && !any {
			err = ErrNotShortened
		}
		if err != nil {
			return err
		}
		err = c.com.Commit(&journal.Batch{Agent: t.Agent.id, Session: t.session, Effects: []sessions.Effect{sessions.RestoreContext{}}, Events: []event.Event{
			&event.ContextCompressed{Block: c.ids.Block(), Restored: true},
		}})
		if err == nil {
			err = t.reload(ctx)
		}
		if err != nil {
			return err
		}
		t.measure(ctx)
		t.gauge().Kept()
		tokens = t.asking.tokens
		return nil
	})
	return tokens, err
}

// takenBack reports whether the newest compression of the conversation was taken back.
func (t *turn) takenBack() bool {
	for _, b := range slices.Backward(t.conv.box.Fold().Root().Blocks) {
		if b.Compact != nil {
			return b.Compact.Restored
		}
	}
	return false
}

// planText is how much of a text a plan has, in characters.
const planText = 100

// PlanCompress says what [Conversation.Compress] would do now, and changes nothing.
func (c *Conversation) PlanCompress(ctx context.Context) (p api.CompressPlan, err error) {
	err = c.chore(ctx, func(t *turn) error {
		t.measure(ctx)
		p.Before = t.asking.tokens
		b := t.tuned.engine.Tighter(t.gauge(), t.window())
		r := t.tuned.engine.Compress(t.history, b, t.tools.Open())
		p.Results, p.Calls, p.Messages, p.Kept = r.Results, r.Arguments, r.Messages, len(r.History)
		for _, m := range r.Past.Messages {
			if m.Role == providers.User {
				said, _ := tools.Detach(m.Text())
				p.Gone = append(p.Gone, shorten.Line(said, planText))
			}
		}
		p.After = p.Before - int(float64(r.Before-r.After)*t.gauge().Scale())
		if r.Messages > 0 {
			room := r.Past.Room - compress.TextSize(compress.Summary(r.History))
			p.After = min(p.After+int(float64(max(room, 0))*t.gauge().Scale()), p.Before)
		}
		first := t.rt.bill(&providers.Usage{Input: int64(p.After)})
		p.First, p.Priced = first.Cost, first.Status != event.CostUnknown
		p.Each, p.EachNow = t.rt.bill(&providers.Usage{CacheRead: int64(p.After)}).Cost, t.rt.bill(&providers.Usage{CacheRead: int64(p.Before)}).Cost
		return nil
	})
	return p, err
}
