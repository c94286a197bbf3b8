package models

import (
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// Picker is the window in which a model is chosen from a [List]; typing narrows it
// down. The zero value is not ready, see [NewPicker]. When the list has changed,
// [Picker.Refresh] takes that over.
type Picker struct {
	st    *rows.Styles
	list  *List
	hints []status.Hint
	title string

	failure string
	query   overlay.Query
	hits    []hit
	shapes  shapes
	frame   int

	entries  []entry
	width    int // of the rows that the entries were made for
	stale    bool
	selected int // index into entries, -1 when nothing can be selected
	at       app.Choice
	chosen   bool // the user has moved or typed
	top      int  // first entry in sight
	page     int  // entries in sight
	tall     bool // a list has been waited for
}

var _ overlay.Box = (*Picker)(nil)

// kind says what an entry is.
type kind uint8

const (
	header kind = iota
	note
	model
)

// entry is a row of the list.
type entry struct {
	kind  kind
	group *group
	row   int
	text  string // of a note
	bad   bool
	match []int
}

// NewPicker makes a window over a list. The hints are reminders of the caller's
// keys.
func NewPicker(st *rows.Styles, list *List, hints []status.Hint) *Picker {
	p := &Picker{st: st, list: list, hints: hints, title: "Models", selected: -1, page: 1, width: -1}
	p.Refresh()
	return p
}

// SetStyles implements [overlay.Box].
func (p *Picker) SetStyles(st *rows.Styles) { p.st = st }

// SetTitle gives the window another title.
func (p *Picker) SetTitle(title string) { p.title = term.Line(title) }

// Mark selects a model, if it is listed.
func (p *Picker) Mark(c app.Choice) {
	p.at = c
	p.rebuild()
}

// Tick tells the frame of the animation.
func (p *Picker) Tick(_ time.Time, frame int) { p.frame = frame }

// Animating reports whether the window changes with time: while someone is asked.
func (p *Picker) Animating() bool { return p.list.Asking() > 0 }

// Fail says in a sentence why there is nothing to choose from.
func (p *Picker) Fail(reason string) { p.failure = term.Line(reason) }

// Refresh takes over what has changed in the list. The selection stays with its
// model, on its row of the screen where that can be.
func (p *Picker) Refresh() {
	p.tall = p.tall || p.list.Asking() > 0
	p.shapes = measure(p.list)
	p.hits = p.list.search(string(p.query))
	p.rebuild()
}

// Sync takes over which model answers now.
func (p *Picker) Sync(s *event.State) {
	if p.list.SetCurrent(s.Model) {
		p.Refresh()
	}
}

// Query is what was typed.
func (p *Picker) Query() string { return string(p.query) }

// Type implements [overlay.Box].
func (p *Picker) Type(text string) overlay.Request {
	if q := p.query.Add(text); q != p.query {
		p.setQuery(q)
	}
	return nil
}

// Chosen asks to have a model answer.
type Chosen struct{ Option }

// Act implements [overlay.Box].
func (p *Picker) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Accept:
		if choice, info, ok := p.Selected(); ok {
			return Chosen{Option{Choice: choice, Info: info, Label: p.list.Label(choice)}}
		}
	case keys.Backspace:
		p.Backspace()
	}
	return nil
}

// Hints are the keys worth knowing just now, besides those on its lower edge. leave says
// where the one leads to that closes the window.
func (p *Picker) Hints(leave string) []keys.Hint {
	switch {
	case p.query != "":
		leave = "clear the filter"
	case p.Animating():
		leave = "stop asking and close"
	}
	return []keys.Hint{{Action: keys.Escape, Text: leave}}
}

// Backspace takes the last character of the query back.
func (p *Picker) Backspace() {
	if p.query != "" {
		p.setQuery(p.query.Shorter())
	}
}

// Back implements [overlay.Box]: it gives up the query first.
func (p *Picker) Back() (closed bool) {
	if p.query == "" {
		return true
	}
	p.chosen = false // back to what answers now
	p.setQuery("")
	return false
}

func (p *Picker) setQuery(q overlay.Query) {
	p.query = q
	p.hits = p.list.search(string(q))
	p.at = app.Choice{}
	p.selected, p.top = -1, 0
	p.chosen = p.chosen || q != ""
	p.rebuild()
}

// Selected is the model under the marker.
func (p *Picker) Selected() (app.Choice, app.ModelInfo, bool) {
	if p.selected < 0 || p.selected >= len(p.entries) {
		return app.Choice{}, app.ModelInfo{}, false
	}
	e := &p.entries[p.selected]
	info := e.group.rows[e.row].info
	return e.group.choice(info.Name), info, true
}

// Move implements [overlay.Box]. It steps over headers and notes.
func (p *Picker) Move(m overlay.Move) overlay.Request {
	p.chosen = true
	page := max(p.page-1, 1)
	switch m {
	case overlay.Up:
		if !p.step(p.selected-1, -1) {
			p.top = 0 // what stands above the first model
		}
	case overlay.Down:
		if !p.step(p.selected+1, 1) {
			p.top = len(p.entries) // what stands below the last one
		}
	case overlay.PageUp:
		p.step(max(p.selected-page, 0), 1)
	case overlay.PageDown:
		p.step(min(p.selected+page, len(p.entries)-1), -1)
	case overlay.Top:
		p.step(0, 1)
		p.top = 0
	case overlay.Bottom:
		p.step(len(p.entries)-1, -1)
		p.top = len(p.entries)
	}
	return nil
}

// step selects entry i, or the next model in the direction by.
func (p *Picker) step(i, by int) bool {
	for ; i >= 0 && i < len(p.entries); i += by {
		if p.entries[i].kind == model {
			p.selectAt(i)
			return true
		}
	}
	return false
}

func (p *Picker) selectAt(i int) {
	e := &p.entries[i]
	p.selected, p.at = i, e.group.choice(e.group.rows[e.row].info.Name)
}

// rebuild makes the entries again and finds the selection again.
func (p *Picker) rebuild() {
	above := p.selected - p.top // rows of the screen over the selection
	p.entries = p.entries[:0]
	if len(p.query) > 0 {
		p.found()
	} else {
		p.all()
	}
	p.stale = false
	if p.reselect(); p.selected >= 0 && above >= 0 {
		p.top = max(p.selected-above, 0)
	}
}

// all makes the entries without a query.
func (p *Picker) all() {
	for _, g := range p.list.groups {
		p.head(g)
		for i := range g.rows {
			p.entries = append(p.entries, entry{kind: model, group: g, row: i})
		}
	}
}

// found makes the entries for what a query has found.
func (p *Picker) found() {
	var last *group
	for _, h := range p.hits {
		if g := p.list.groups[h.group]; g != last {
			last = g
			p.head(g)
		}
		p.entries = append(p.entries, entry{kind: model, group: last, row: h.row, match: h.match})
	}
}

// maxProblem is the most rows that a problem takes.
const maxProblem = 4

// head makes the entries above the models of an endpoint.
func (p *Picker) head(g *group) {
	p.entries = append(p.entries, entry{kind: header, group: g})
	say := func(text string, bad bool) {
		p.entries = append(p.entries, entry{kind: note, group: g, text: text, bad: bad})
	}
	switch {
	case g.problem != "" && !g.Asking:
		list := rows.Wrap(nil, g.problem, max(p.width-markCells-1, 8))
		if len(list) > maxProblem {
			list = list[:maxProblem]
			list[maxProblem-1] += " …"
		}
		for _, text := range list {
			say(text, true)
		}
	case len(g.rows) == 0 && !g.Asking:
		say("offers no model", false)
	}
}

// reselect finds the selected model again, or else the one that answers now, or
// the first.
func (p *Picker) reselect() {
	p.selected = -1
	now, first := -1, -1
	for i := range p.entries {
		e := &p.entries[i]
		if e.kind != model {
			continue
		}
		if first < 0 {
			first = i
		}
		name := e.group.rows[e.row].info.Name
		if p.at.Name == name && e.group.choice(name) == p.at {
			p.selectAt(i)
			return
		}
		if now < 0 && p.query == "" && e.group.current(name, p.list.now) {
			now = i
		}
	}
	switch {
	case now >= 0:
		p.selectAt(now)
	case first >= 0:
		p.selectAt(first)
		if !p.chosen {
			p.at = app.Choice{} // the one that answers now may still come
		}
	}
}

// current reports whether a model of the endpoint is the one that answers.
func (g *group) current(name string, now event.Model) bool { return name == now.Name && g.offers(now) }
