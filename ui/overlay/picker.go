package overlay

import (
	"slices"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// Item is an entry of a [Picker].
type Item struct {
	// ID is given back when the entry is chosen. It should be the entry's own:
	// the selection follows it when the entries change.
	ID string
	// Label is what is searched first; Detail stands behind it, Right at the end
	// of the row.
	Label, Detail, Right string
	// Group, when it differs from the entry before, is a header above it.
	Group string
	// Also are words that find the entry, too, and are not shown.
	Also string
	// Disabled says why the entry can't be chosen; empty when it can.
	Disabled string
	// Current marks the entry that is in force now.
	Current bool
	// Match are the offsets in bytes of characters of the label that stand out while
	// nothing is typed to filter.
	Match []int
}

// MaxItems bounds the entries of a [Picker]. What is over is left out.
const MaxItems = 20_000

// The bounds of a picker's work on the screen's own goroutine and of a query.
const (
	searchAtOnce = 1_000 // entries
)

// PickerOptions are the texts of a [Picker].
type PickerOptions struct {
	Title string
	// Empty is shown when there is nothing to choose.
	Empty string
	// Hints remind of keys, on the lower edge.
	Hints []status.Hint
	// Ask asks for the entries that a text finds, instead of filtering those that are
	// there: after each key. They come as [Picker.Load] says. Unasked is shown while
	// nothing is typed.
	Ask     func(query string) Request
	Unasked string
	// Could says what can be typed; empty says that it filters.
	Could string
	// Chosen says what is asked for when an entry is taken; nil asks for nothing.
	Chosen func(Item) Request
	// Above gives lines of so many cells to stand over the list where the window is high
	// enough, as many for every width; nil gives none. It is of no use together with Notes.
	Above func(cells int) []string
	// Notes makes room for what [Picker.SetNotes] brings about the marked entry: beside
	// the list on a wide screen, else below it where the screen is high enough.
	Notes bool
	// Tail leaves the lower part of the window, which is as large as can be, to the text that
	// [Picker.SetTail] brings about the marked entry. Nothing is typed to filter then, so that
	// letters can be keys.
	Tail bool
	// Low keeps a window with notes beside the list no higher than the list, so that more
	// of the screen stays in sight.
	Low bool
}

// Picker lets the user choose from a list, which typing narrows down. The zero
// value is not ready, see [NewPicker].
//
// Entries may come late: [Picker.Load] says that they are on their way and
// [Picker.SetItems] delivers them. Lists of more than a thousand entries are not
// searched here: after each [Picker.Type], [Picker.Backspace], [Picker.Back] and
// [Picker.SetItems] the caller asks [Picker.Pending] for a search to run and
// brings its result to [Picker.Found]. Until then the former entries stay.
type Picker struct {
	st   *rows.Styles
	opts PickerOptions

	gen     uint64 // of the entries
	loading bool
	wanted  bool // one of the entries that load was asked for
	failure string

	items           []Item // sanitised
	labels, details []string

	query     Query
	searchGen uint64
	pending   bool // the entries shown are of an older query
	handedOut bool

	whole    []entry // what is shown without a query
	entries  []entry
	selected int // index into entries, -1 when nothing can be selected
	top      int // first entry in sight
	page     int // entries in sight

	notes   []Note
	notesOf string // the entry they are about
	tail    string
}

// entry is a row of the list: a header or an item.
type entry struct {
	item     int // -1 for a header
	header   string
	match    []int // offsets in bytes into the label, or into the detail
	inDetail bool
}

// NewPicker makes a picker without entries.
func NewPicker(st *rows.Styles, o PickerOptions) *Picker {
	o.Title, o.Empty = term.Line(o.Title), term.Line(o.Empty)
	if o.Empty == "" {
		o.Empty = "There is nothing to choose from."
	}
	return &Picker{st: st, opts: o, selected: -1, page: 1}
}

// SetStyles implements [Box].
func (p *Picker) SetStyles(st *rows.Styles) { p.st = st }

// SetHints changes the reminders of keys.
func (p *Picker) SetHints(hints []status.Hint) { p.opts.Hints = hints }

// SetTitle gives the window another title.
func (p *Picker) SetTitle(title string) { p.opts.Title = term.Line(title) }

// Load says that entries are on their way. It returns the number to deliver them
// with; deliveries for earlier numbers are dropped from now on.
func (p *Picker) Load() (gen uint64) {
	p.gen++
	p.loading, p.failure = true, ""
	return p.gen
}

// SetItems delivers the entries that [Picker.Load] announced and reports whether
// they were taken. The selection stays with its entry; at first it is on the
// current one.
func (p *Picker) SetItems(gen uint64, items []Item) bool {
	if gen != p.gen {
		return false
	}
	keep := ""
	if it, ok := p.Selected(); ok {
		keep = it.ID
	}
	items = items[:min(len(items), MaxItems)]
	p.items = make([]Item, len(items))
	p.labels, p.details = make([]string, len(items)), make([]string, len(items))
	for i, it := range items {
		it.Label, it.Detail, it.Right = term.Line(it.Label), term.Line(it.Detail), term.Line(it.Right)
		it.Group, it.Disabled = term.Line(it.Group), term.Line(it.Disabled)
		if it.Label != items[i].Label {
			it.Match = nil // they were of another text
		}
		p.items[i], p.labels[i], p.details[i] = it, it.Label, it.Detail
		if it.Also != "" {
			p.details[i] += " " + it.Also
		}
	}
	p.loading, p.failure = false, ""
	p.whole = p.all()
	p.entries = p.whole
	p.refresh()
	p.selectID(keep)
	return true
}

// Fail says why the entries that [Picker.Load] announced don't come, in one
// sentence, and reports whether they were still waited for.
func (p *Picker) Fail(gen uint64, reason string) bool {
	if gen != p.gen {
		return false
	}
	p.loading, p.failure = false, term.Line(reason)
	return true
}

// Search asks for the search that is [Picker.Pending], to be run elsewhere.
type Search struct{ Of *Picker }

// Search asks for the search that is due, nil for none.
func (p *Picker) Search() Request {
	if p.pending && !p.handedOut {
		return Search{p}
	}
	return nil
}

// Act implements [Box].
func (p *Picker) Act(a keys.Action) Request {
	switch a {
	case keys.Accept:
		if it, ok := p.Accept(); ok && p.opts.Chosen != nil {
			return p.opts.Chosen(it)
		}
	case keys.Backspace:
		p.Backspace()
		return p.looked()
	}
	return nil
}

// looked is what is asked for after the query has changed.
func (p *Picker) looked() Request {
	if p.opts.Ask != nil {
		return p.opts.Ask(string(p.query))
	}
	return p.Search()
}

// Hints are the keys worth knowing just now, besides those on its lower edge. leave says
// where the one leads to that closes the window.
func (p *Picker) Hints(leave string) []keys.Hint {
	if p.query != "" && p.opts.Ask == nil {
		leave = "clear the filter"
	}
	return []keys.Hint{{Action: keys.Escape, Text: leave}}
}

// Query is what was typed.
func (p *Picker) Query() string { return string(p.query) }

// Type implements [Box]: it adds to the query.
func (p *Picker) Type(text string) Request {
	if p.opts.Tail {
		return nil
	}
	if q := p.query.Add(text); q != p.query {
		p.wanted = false
		p.setQuery(q)
		return p.looked()
	}
	return p.Search()
}

// Backspace takes the last character of the query back.
func (p *Picker) Backspace() { p.setQuery(p.query.Shorter()) }

// Back implements [Box]: it gives up the query.
func (p *Picker) Back() (closed bool) {
	if p.query == "" || p.opts.Ask != nil {
		return true
	}
	p.setQuery("")
	return false
}

func (p *Picker) setQuery(q Query) {
	same := needle(q) == needle(p.query)
	if p.query = q; same || p.opts.Ask != nil {
		return
	}
	p.refresh()
	if !p.pending {
		p.selectFirst()
	}
}

// refresh works out the entries to show, or leaves that to a search elsewhere and
// keeps what is shown.
func (p *Picker) refresh() {
	p.searchGen++
	q := needle(p.query)
	if p.opts.Ask != nil {
		q = ""
	}
	p.pending, p.handedOut = q != "" && len(p.items) > searchAtOnce, false
	switch {
	case q == "":
		p.entries = p.whole
	case !p.pending:
		p.entries = search(q, p.labels, p.details)
	}
}

// all are the entries without a query: all items, with headers.
func (p *Picker) all() []entry {
	list := make([]entry, 0, len(p.items))
	group := ""
	for i := range p.items {
		if g := p.items[i].Group; g != group {
			if group = g; g != "" {
				list = append(list, entry{item: -1, header: g})
			}
		}
		list = append(list, entry{item: i, match: p.items[i].Match})
	}
	return list
}

// Pending hands out the search that the entries wait for, once.
func (p *Picker) Pending() (Filter, bool) {
	if !p.pending || p.handedOut {
		return Filter{}, false
	}
	p.handedOut = true
	return p.filter(), true
}

func (p *Picker) filter() Filter {
	return Filter{p.searchGen, needle(p.query), p.labels, p.details}
}

// Found takes the result of a search and reports whether it was still wanted.
func (p *Picker) Found(f Found) bool {
	if !p.pending || f.gen != p.searchGen {
		return false
	}
	p.entries, p.pending = f.entries, false
	p.selectFirst()
	return true
}

// Selected is the entry under the marker.
func (p *Picker) Selected() (Item, bool) {
	if p.selected < 0 || p.selected >= len(p.entries) {
		return Item{}, false
	}
	return p.items[p.entries[p.selected].item], true
}

// Accept is the entry to act on. There is none while nothing is selected or when
// the selected entry is disabled. A search that is still under way is finished
// first, so that what is chosen fits what was typed.
//
// While entries load, what is marked when they have come is wanted, see
// [Picker.Wanted], unless more is typed before.
func (p *Picker) Accept() (Item, bool) {
	p.wanted = p.loading
	if p.pending {
		p.Found(p.filter().Run())
	}
	it, ok := p.Selected()
	return it, ok && it.Disabled == ""
}

// Wanted reports, once, whether an entry was to be taken before the entries had
// come, and they have now.
func (p *Picker) Wanted() bool {
	if p.loading || !p.wanted {
		return false
	}
	p.wanted = false
	return true
}

// Move implements [Box]. It steps over headers.
func (p *Picker) Move(m Move) Request {
	switch m {
	case Up:
		p.step(p.selected-1, -1)
	case Down:
		p.step(p.selected+1, 1)
	case PageUp:
		p.step(max(p.selected-max(p.page-1, 1), 0), 1)
	case PageDown:
		p.step(min(p.selected+max(p.page-1, 1), len(p.entries)-1), -1)
	case Top:
		p.step(0, 1)
	case Bottom:
		p.step(len(p.entries)-1, -1)
	}
	return nil
}

// step selects entry i, or the next one in the direction by that is no header.
func (p *Picker) step(i, by int) {
	for ; i >= 0 && i < len(p.entries); i += by {
		if p.entries[i].item >= 0 {
			p.selected = i
			return
		}
	}
}

func (p *Picker) selectFirst() {
	p.selected, p.top = -1, 0
	p.step(0, 1)
}

// selectID selects an entry by its id, or else the current one, or the first.
func (p *Picker) selectID(id string) {
	for _, fits := range []func(Item) bool{
		func(it Item) bool { return id != "" && it.ID == id },
		func(it Item) bool { return it.Current },
	} {
		if i := slices.IndexFunc(p.entries, func(e entry) bool { return e.item >= 0 && fits(p.items[e.item]) }); i >= 0 {
			p.selected = i
			return
		}
	}
	p.selectFirst()
}
