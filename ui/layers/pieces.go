package layers

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
	"hermes-tui/ui/host"
	"hermes-tui/ui/overlay"
)

// piecesMsg asks for the list of what can be dropped or pinned.
type piecesMsg struct{ api.Layers }

// pieceMsg asks what is to be done with a piece; all are those of its kind and tool.
type pieceMsg struct {
	api.Piece
	all []api.Piece
}

// What can be done with a piece.
const (
	pieceRead  = "read"
	pieceDrop  = "drop"
	pieceAll   = "all"
	piecePin   = "pin"
	pieceUnpin = "unpin"
	pieceBack  = "back"
)

// pieceDoMsg asks to do it with pieces, of which one was chosen.
type pieceDoMsg struct {
	api.Piece
	what string
	ids  []string
}

// dropPriceMsg brings what dropping pieces does to the next requests, dropMsg asks to do
// it.
type (
	dropPriceMsg struct {
		api.Change
		name string
		ids  []string
	}
	dropMsg struct{ ids []string }
)

// pieceGroups are the headings of the kinds of pieces.
var pieceGroups = map[string]string{
	"turn": "Turns", "result": "Results", "attached": "Attached", "images": "Images", "instructions": "Instructions of folders",
}

// Handle implements [host.Message].
func (msg piecesMsg) Handle(h host.Host) tea.Cmd { return ShowPieces(h, msg.Layers) }

// ShowPieces opens the window of the parts of the history.
func ShowPieces(h host.Host, l api.Layers) tea.Cmd {
	byID := map[string]api.Piece{}
	var items []overlay.Item
	for _, group := range []string{"dropped", "turn", "result", "attached", "images", "instructions"} {
		for _, p := range l.Pieces {
			it := overlay.Item{ID: p.ID, Label: p.Name, Group: pieceGroups[group], Right: format.Tokens(int64(p.Tokens))}
			if p.Dropped {
				it.Group = "Dropped"
			}
			if p.Pinned {
				it.Right = "pinned  " + it.Right
			}
			if p.Dropped == (group == "dropped") && (p.Dropped || string(p.Kind) == group) {
				byID[p.ID], items = p, append(items, it)
			}
		}
	}
	p := overlay.NewPicker(h.Styles(), overlay.PickerOptions{
		Title: "Context · parts of the history", Hints: h.WindowHints("open"),
		Chosen: func(it overlay.Item) overlay.Request {
			one := byID[it.ID]
			return pieceMsg{one, alike(l.Pieces, one)}
		},
	})
	h.ShowOver(p)
	p.SetItems(p.Load(), items)
	return h.Dispatch(p.Search())
}

// alike are the pieces that are dropped together with one: those of its kind and tool.
func alike(list []api.Piece, one api.Piece) (all []api.Piece) {
	for _, p := range list {
		if p.Kind == one.Kind && p.Tool == one.Tool && !p.Dropped && !p.Pinned {
			all = append(all, p)
		}
	}
	return all
}

func (msg pieceMsg) Handle(h host.Host) tea.Cmd {
	items := []overlay.Item{}
	if msg.Text != "" {
		items = append(items, overlay.Item{ID: pieceRead, Label: "Read it"})
	}
	switch {
	case msg.Dropped:
		items = append(items, overlay.Item{ID: pieceBack, Label: "Bring it back"})
	case msg.Pinned:
		items = append(items, overlay.Item{ID: pieceUnpin, Label: "Let compressions shorten it again"})
	default:
		items = append(items, overlay.Item{ID: pieceDrop, Label: "Drop it", Detail: "the next question shows the price"},
			overlay.Item{ID: piecePin, Label: "Pin it", Detail: "compressions leave it as it is"})
	}
	var ids []string
	tokens := 0
	for _, p := range msg.all {
		ids, tokens = append(ids, p.ID), tokens+p.Tokens
	}
	if len(ids) > 1 && !msg.Dropped {
		what := pieceGroups[string(msg.Kind)]
		if msg.Tool != "" {
			what = "results of " + msg.Tool
		}
		items = append(items, overlay.Item{ID: pieceAll, Label: fmt.Sprintf("Drop all %d: %s", len(ids), what), Right: format.Tokens(int64(tokens))})
	}
	p := overlay.NewPicker(h.Styles(), overlay.PickerOptions{
		Title: msg.Name, Hints: h.WindowHints("choose"),
		Chosen: func(it overlay.Item) overlay.Request {
			if it.ID == pieceAll {
				return pieceDoMsg{msg.Piece, pieceDrop, ids}
			}
			return pieceDoMsg{msg.Piece, it.ID, []string{msg.ID}}
		},
	})
	h.ShowOver(p)
	p.SetItems(p.Load(), items)
	return h.Dispatch(p.Search())
}

func (msg pieceDoMsg) Handle(h host.Host) tea.Cmd {
	c, ctx := h.Conv(), h.Context()
	switch msg.what {
	case pieceRead:
		h.ShowOver(overlay.NewPager(h.Styles(), msg.Name, msg.Text, h.ReadHints()))
		return nil
	case pieceDrop:
		name := msg.Name
		if len(msg.ids) > 1 {
			name = fmt.Sprintf("%d parts of the history", len(msg.ids))
		}
		return h.Do(func() tea.Msg { return dropPriceMsg{c.DropPrice(ctx, msg.ids...), name, msg.ids} })
	case pieceBack:
		return choose(h, func() error { return c.Undrop(ctx, msg.ids...) })
	}
	return choose(h, func() error { return c.Pin(ctx, msg.what == piecePin, msg.ids...) })
}

// choose closes all windows and makes a choice about the context, which waits for a turn that runs.
func choose(h host.Host, do func() error) tea.Cmd {
	h.Show(nil)
	done := h.Do(func() tea.Msg { return host.Outcome(do(), "") })
	if h.State().Busy() {
		return tea.Batch(h.Say("That is done when the turn has ended."), done)
	}
	return done
}

func (msg dropPriceMsg) Handle(h host.Host) tea.Cmd {
	lines := []overlay.Line{{Text: fmt.Sprintf("The model gets about %s tokens less, from the next request on. The session keeps everything, and /context brings it back.", format.Tokens(int64(msg.Tokens)))}}
	lines = append(lines, changeLines(msg.Change)...)
	ask := overlay.NewConfirm(h.Styles(), "Drop "+msg.name+"?", lines, h.QuestionHints("drop it", "keep it"))
	ask.Yes = dropMsg{msg.ids}
	h.ShowOver(ask)
	return nil
}

func (msg dropMsg) Handle(h host.Host) tea.Cmd {
	c, ctx := h.Conv(), h.Context()
	return choose(h, func() error { return c.Drop(ctx, msg.ids...) })
}
