// Package queue draws what waits to be sent: the region above the composer that
// lists the texts of the user, and what jobs and agents have to say, until their
// turn comes.
//
// Guarantees:
//
//   - [Pane.Rows] yields exactly h rows of exactly w cells. A text takes one row,
//     whatever is in it; no part of it can move the cursor or hide another row.
//   - Everything that waits is counted, also what is out of sight.
//   - Who a text is for, who wrote it and what becomes of it have signs and words of
//     their own; colours are not needed.
//   - The selected entry is in sight, and stays selected while others come, go and
//     change places. When it goes, the one that takes its place is selected.
//   - The pane changes nothing that waits: moving says what is to be moved, and the
//     conversation carries it out.
//
// Of a text at most [MaxText] bytes are looked at. A [Pane] belongs to one
// goroutine.
package queue

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// MaxText is how many bytes of a text are prepared for the screen; more never fits
// into a row.
const MaxText = 4 << 10

// How many entries are listed, and how many while the pane has the focus.
const (
	listed        = 3
	listedFocused = 10
)

// Pane lists what waits. The zero value is not ready, see [New].
type Pane struct {
	st      *rows.Styles
	source  []event.Queued
	entries []entry
	held    bool

	focused  bool
	at       int // selected, while focused
	keys     []status.Hint
	whenHeld string
}

// entry is what waits, made fit for a row.
type entry struct {
	id    event.InputID
	text  string
	steer bool
	from  event.Origin
	to    string // the name of the agent that it steers, empty for the root
}

// New makes an empty pane.
func New(st *rows.Styles) *Pane { return &Pane{st: st} }

// SetStyles changes the colours.
func (p *Pane) SetStyles(st *rows.Styles) { p.st = st }

// SetHints tells which keys apply while the pane has the focus, the most important
// first, and what the user can do while the queue is held, in a few words.
func (p *Pane) SetHints(keys []status.Hint, held string) {
	p.keys, p.whenHeld = slices.Clone(keys), held
}

// Sync takes over what waits, the next to be sent first, and whether it waits for
// the user to send it. names gives the name of an agent. Entries without an id are
// not yet known to the conversation and cannot be moved. Sync reports whether
// anything is to be drawn again.
func (p *Pane) Sync(list []event.Queued, held bool, names func(event.AgentID) string) (changed bool) {
	entries := make([]entry, len(list))
	for i := range list {
		if i < len(p.source) && same(&p.source[i], &list[i]) && list[i].Agent == "" {
			entries[i] = p.entries[i]
			continue
		}
		entries[i] = prepare(&list[i], names)
	}
	if held == p.held && slices.Equal(entries, p.entries) {
		return false
	}
	selected := p.Selected()
	p.source, p.entries, p.held = slices.Clone(list), entries, held
	if i := p.find(selected); i >= 0 {
		p.at = i
	}
	p.at = max(min(p.at, len(entries)-1), 0)
	p.focused = p.focused && len(entries) > 0
	return true
}

// same reports whether two texts that wait give the same row.
func same(a, b *event.Queued) bool {
	return a.ID == b.ID && a.Text == b.Text && a.Steer == b.Steer && a.Origin == b.Origin && a.Agent == b.Agent
}

// prepare makes an entry of what waits.
func prepare(q *event.Queued, names func(event.AgentID) string) entry {
	e := entry{id: q.ID, text: line(q.Text), steer: q.Steer, from: q.Origin}
	if q.Agent != "" {
		if names != nil {
			e.to = line(names(q.Agent))
		}
		if e.to == "" {
			e.to = line(string(q.Agent))
		}
	}
	return e
}

// line is the beginning of a text, fit for one row.
func line(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= MaxText {
		return term.Line(text)
	}
	end := MaxText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return term.Line(text[:end]) + "…"
}

// find is the place of an entry, -1 if it does not wait.
func (p *Pane) find(id event.InputID) int {
	if id == "" {
		return -1
	}
	return slices.IndexFunc(p.entries, func(e entry) bool { return e.id == id })
}

// Len is how many texts wait.
func (p *Pane) Len() int { return len(p.entries) }

// SetFocused gives the keys to the pane, with the last entry selected, which is the
// newest, or takes them back. It reports whether the pane has them: an empty one
// takes none, and gives them back when it becomes empty.
func (p *Pane) SetFocused(on bool) bool {
	if on && !p.focused {
		p.at = max(len(p.entries)-1, 0)
	}
	p.focused = on && len(p.entries) > 0
	return p.focused
}

// Focused reports whether the pane has the keys.
func (p *Pane) Focused() bool { return p.focused }

// Selected is the id of the selected entry. It is empty without the focus, and for
// an entry that the conversation does not know yet.
func (p *Pane) Selected() event.InputID {
	if !p.focused {
		return ""
	}
	return p.entries[p.at].id
}

// Up selects the entry before. It reports false when there is none.
func (p *Pane) Up() bool { return p.selectAt(p.at - 1) }

// Down selects the entry after. It reports false when there is none.
func (p *Pane) Down() bool { return p.selectAt(p.at + 1) }

func (p *Pane) selectAt(i int) bool {
	if !p.focused || i < 0 || i >= len(p.entries) {
		return false
	}
	p.at = i
	return true
}

// MoveUp says what is to be moved to make the selected entry come earlier: its id,
// and by how many places, which is -1. It is 0 when that makes no sense: at the
// start, and beside an entry that the conversation does not know.
func (p *Pane) MoveUp() (id event.InputID, by int) { return p.move(-1) }

// MoveDown says what is to be moved to make the selected entry come later; see
// [Pane.MoveUp].
func (p *Pane) MoveDown() (id event.InputID, by int) { return p.move(1) }

func (p *Pane) move(by int) (event.InputID, int) {
	id, to := p.Selected(), p.at+by
	if id == "" || to < 0 || to >= len(p.entries) || p.entries[to].id == "" {
		return "", 0
	}
	return id, by
}
