package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hermes-tui/agent/api"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// ErrNoPiece says that what was named is not before the model, or is not dropped.
var ErrNoPiece = errors.New("that is not in the context any more: look at /context again")

// scaled corrects the sizes of pieces by what the service counts.
func (s *sight) scaled(list []api.Piece) []api.Piece {
	for i := range list {
		list[i].Tokens = s.tokens(list[i].Tokens)
	}
	return list
}

func (s *sight) tokens(n int) int {
	if s.scale > 0 {
		return int(float64(n) * s.scale)
	}
	return n
}

// backID is behind the id of a message of which something was dropped.
const backID = "#dropped"

// chosen is what was dropped: whole turns, and messages as they were.
type chosen struct{ turns, whole []providers.Message }

func (c *Conversation) chosen(ctx context.Context) (ch chosen, err error) {
	dropped, replaced, err := c.store.Chosen(ctx, string(c.session))
	if err == nil {
		ch.turns, err = restore(dropped)
	}
	if err == nil {
		ch.whole, err = restore(replaced)
	}
	return ch, err
}

// pieces lists what was dropped, for undoing that.
func (ch *chosen) pieces(e ContextEngine) (list []api.Piece) {
	for _, p := range e.Pieces(ch.turns) {
		if p.Kind == api.PieceTurn {
			p.Dropped = true
			list = append(list, p)
		}
	}
	for _, m := range ch.whole {
		p := api.Piece{ID: m.ID + backID, Message: m.ID, Kind: api.PieceAttached, Dropped: true, Tokens: compress.Size(&m), Text: m.Text()}
		for _, part := range e.Pieces([]providers.Message{m}) {
			p.Name, p.Tool = part.Name, part.Tool
			if m.Role == providers.Tool {
				p.Kind = api.PieceResult
				break
			}
		}
		list = append(list, p)
	}
	return list
}

// Drop leaves pieces of the context out, from the next request on. They stay in the
// session, and [Conversation.Undrop] brings them back. It waits while a turn runs. The
// error is [ErrNoPiece], or of the store.
func (c *Conversation) Drop(ctx context.Context, ids ...string) error {
	return c.chore(ctx, func(t *turn) error {
		d := c.tuning.Load().engine.Drop(t.history, ids)
		if len(d.Pieces) == 0 {
			return ErrNoPiece
		}
		seen := c.root.seen()
		text := fmt.Sprintf("Taken out of the context: %s (about %s tokens less). Nothing was deleted, and /context brings it back.", named(d.Pieces), tools.Grouped(seen.tokens(d.Before-d.After)))
		return t.choose(ctx, sessions.ChooseContext{Replaced: t.rows(d.Replaced...), Dropped: d.Gone}, text)
	})
}

// Undrop brings back what [Conversation.Drop] has left out, by the ids of pieces that are
// dropped. It waits while a turn runs.
func (c *Conversation) Undrop(ctx context.Context, ids ...string) error {
	return c.chore(ctx, func(t *turn) error {
		ch, err := c.chosen(ctx)
		if err != nil {
			return err
		}
		e := sessions.ChooseContext{Back: c.tuning.Load().engine.MessagesOf(ch.turns, ids)}
		var back []api.Piece
		for _, p := range ch.pieces(c.tuning.Load().engine) {
			if !slices.Contains(ids, p.ID) {
				continue
			}
			if back = append(back, p); p.Kind != api.PieceTurn {
				e.Whole = append(e.Whole, p.Message)
			}
		}
		if len(back) == 0 {
			return ErrNoPiece
		}
		return t.choose(ctx, e, fmt.Sprintf("Back in the context: %s.", named(back)))
	})
}

// Pin keeps compressions from changing pieces of the context, or lets them. It waits
// while a turn runs.
func (c *Conversation) Pin(ctx context.Context, on bool, ids ...string) error {
	return c.chore(ctx, func(t *turn) error {
		list := c.tuning.Load().engine.MessagesOf(t.history, ids)
		if len(list) == 0 {
			return ErrNoPiece
		}
		e, text := sessions.ChooseContext{Pinned: list}, "Pinned: a compression leaves it as it is."
		if !on {
			e, text = sessions.ChooseContext{Unpinned: list}, "No longer pinned."
		}
		return t.choose(ctx, e, text)
	})
}

// choose stores a choice about the context and takes it over.
func (t *turn) choose(ctx context.Context, e sessions.ChooseContext, text string) error {
	c := t.conv
	err := c.com.Commit(&journal.Batch{Agent: t.Agent.id, Session: t.session, Effects: []sessions.Effect{e}, Events: []event.Event{
		&event.NoticeRaised{Block: c.ids.Block(), Level: event.LevelInfo, Text: text},
	}})
	if err == nil {
		err = t.reload(ctx)
	}
	if err == nil {
		t.measure(ctx)
	}
	return err
}

// named says what pieces are.
func named(list []api.Piece) string {
	const most = 3
	text := ""
	for i, p := range list {
		if i == most {
			return text + fmt.Sprintf(" and %d more", len(list)-most)
		}
		if i > 0 {
			text += ", "
		}
		text += p.Name
	}
	return text
}

// DropPrice says what [Conversation.Drop] would do to the next requests.
func (c *Conversation) DropPrice(ctx context.Context, ids ...string) api.Change {
	s := c.sight(ctx)
	l, rt := c.layersOf(&s), c.Runtime()
	d := c.tuning.Load().engine.Drop(s.history, ids)
	ahead := l.Tokens
	for i := range s.history[d.From:] {
		ahead -= s.tokens(compress.Size(&s.history[d.From+i]))
	}
	return change(&l, rt, s.tokens(d.Before-d.After), ahead)
}
