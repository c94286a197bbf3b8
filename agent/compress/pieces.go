package compress

import (
	"slices"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// What stands in place of what was dropped. A result keeps one line, which is too short
// for a compression to make anything of it.
const (
	droppedMark   = "[taken out by the user]"
	droppedResult = 160 // characters
	droppedImages = "\n\n[note from the program: the user took the images of this message out]"
	longName      = 80 // characters
)

// The ids of pieces are those of their messages with one of these behind.
const (
	ofTurn, ofImages, ofInstructions = "#turn", "#images", "#instructions"
	ofAttached                       = "#attached "
)

// Pieces lists what can be dropped or pinned, in the order of the history. The turn that
// carries the notice of a compression is none, and so is what was dropped already.
func (e *Engine) Pieces(history []providers.Message) []api.Piece {
	w, turn := newWork(e, history, nil), -1
	var list []api.Piece
	for i := range history {
		m := &history[i]
		add := func(kind api.PieceKind, id, name, text string, tokens int) {
			list = append(list, api.Piece{ID: m.ID + id, Message: m.ID, Kind: kind, Name: shorten.Line(name, longName), Tool: m.CallName, Tokens: tokens, Pinned: m.Pinned, Text: text})
		}
		if m.Role == providers.User {
			said, attached := tools.Detach(m.Text())
			said, notice := splitNotice(said)
			if turn = -1; notice.messages == 0 {
				turn = len(list)
				add(api.PieceTurn, ofTurn, said, said, 0)
			}
			for _, a := range attached {
				add(api.PieceAttached, ofAttached+a.Name, a.Name, a.Text, weight(a))
			}
			if shows(m) {
				plain := *m
				plain.Parts = providers.TextParts(m.Text())
				add(api.PieceImages, ofImages, "images of: "+said, "", w.sizes[i]-size(&plain))
			}
		}
		if text := m.Text(); m.Role == providers.Tool && !strings.HasPrefix(text, droppedMark) {
			body, _ := w.said.split(text)
			result, given := w.given(body)
			result, _ = tools.Unfence(result)
			add(api.PieceResult, "", e.oneLine(w.calls[i], result), text, w.sizes[i])
			if given != "" && !strings.HasSuffix(given, droppedMark) {
				add(api.PieceInstructions, ofInstructions, strings.TrimPrefix(given, w.e.c.GivenOpen), given, TextSize(given))
			}
		}
		if turn >= 0 {
			list[turn].Tokens += w.sizes[i]
		}
	}
	return list
}

// given divides the body of a result from the instructions behind it.
func (w *work) given(body string) (result, given string) {
	open := w.e.c.GivenOpen
	i := strings.Index(body, "\n\n"+open)
	if open == "" || i < 0 {
		return body, ""
	}
	return body[:i], body[i+len("\n\n"):]
}

// Drop is a history without what a user has dropped.
type Drop struct {
	History []providers.Message
	// Replaced are the messages of History that differ, Gone the ids of those that are
	// not in it.
	Replaced []providers.Message
	Gone     []string
	// Pieces are those that were dropped.
	Pieces []api.Piece
	// From is the first message that differs, by its place in the history before.
	From int
	// Before and After are the sizes of the histories.
	Before, After int
}

// Drop leaves out pieces of a history by their ids. Ids that it does not have are passed
// over.
func (e *Engine) Drop(history []providers.Message, ids []string) Drop {
	w := newWork(e, history, nil)
	d := Drop{From: len(history), Before: w.before}
	chosen := map[string][]api.Piece{}
	for _, p := range e.Pieces(history) {
		if slices.Contains(ids, p.ID) {
			chosen[p.Message] = append(chosen[p.Message], p)
			d.Pieces = append(d.Pieces, p)
		}
	}
	gone := false
	for i, m := range history {
		list := chosen[m.ID]
		if m.Role == providers.User {
			gone = slices.ContainsFunc(list, func(p api.Piece) bool { return p.Kind == api.PieceTurn })
		}
		switch {
		case gone:
			d.Gone = append(d.Gone, m.ID)
		case len(list) > 0:
			m = w.without(i, list)
			d.Replaced = append(d.Replaced, m)
		}
		if gone || len(list) > 0 {
			d.From = min(d.From, i)
		}
		if !gone {
			d.History = append(d.History, m)
			d.After += size(&m)
		}
	}
	return d
}

// without is a message without pieces of it.
func (w *work) without(i int, pieces []api.Piece) providers.Message {
	m := w.old[i]
	has := func(k api.PieceKind) bool {
		return slices.ContainsFunc(pieces, func(p api.Piece) bool { return p.Kind == k })
	}
	if m.Role == providers.Tool {
		body, said := w.said.split(m.Text())
		result, given := w.given(body)
		if has(api.PieceResult) {
			content, _ := tools.Unfence(result)
			m.Parts = providers.TextParts(shorten.Line(droppedMark+" "+w.e.oneLine(w.calls[i], content), droppedResult) + said)
			return m
		}
		line, _, _ := strings.Cut(given, "\n") // by which it is known that it was given
		m.Parts = providers.TextParts(result + "\n\n" + line + "\n" + droppedMark + said)
		return m
	}
	images := imagesOf(m)
	said, attached := tools.Detach(m.Text())
	attached = slices.DeleteFunc(attached, func(a tools.Attached) bool {
		return slices.ContainsFunc(pieces, func(p api.Piece) bool { return p.Kind == api.PieceAttached && p.ID == m.ID+ofAttached+a.Name })
	})
	if has(api.PieceImages) {
		said, images = said+droppedImages, nil
	}
	m.Parts = append(providers.TextParts(said+tools.Attach(attached)), images...)
	return m
}

// MessagesOf are the ids of the messages in which pieces are; a turn is in all of its own.
func (e *Engine) MessagesOf(history []providers.Message, ids []string) (messages []string) {
	var pieces []api.Piece
	for _, p := range e.Pieces(history) {
		if slices.Contains(ids, p.ID) {
			pieces = append(pieces, p)
		}
	}
	whole := false
	for _, m := range history {
		of := slices.IndexFunc(pieces, func(p api.Piece) bool { return p.Message == m.ID })
		if m.Role == providers.User {
			whole = slices.ContainsFunc(pieces, func(p api.Piece) bool { return p.Message == m.ID && p.Kind == api.PieceTurn })
		}
		if whole || of >= 0 {
			messages = append(messages, m.ID)
		}
	}
	return messages
}
