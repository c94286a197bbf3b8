package overlay

import (
	"sort"
	"strconv"
	"strings"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// Pager shows a long text, wrapped to the width of the window. Colours in the
// text are kept. The zero value is not ready, see [NewPager].
//
// Typing has a meaning: "g" and "G" go to the start and the end, "/" begins a
// search, "n" and "N" go to the next and the previous match, "j", "k", "b" and
// the blank scroll. While a search is being typed, all text belongs to it.
type Pager struct {
	st    *rows.Styles
	title string
	doc   *document
	hints []status.Hint
	// source makes the text for a width, if it depends on it; made is what the text
	// at hand was made for, raw what is copied of it.
	source Source
	made   sourceKey
	stale  bool // it is to be made again
	raw    string
	// live says that the text grows, follow that its end is to be in sight.
	live, follow bool

	top  int // offset of the first row in sight
	w, h int // of the text, at the newest drawing

	finding bool // the query is being typed
	draft   Query
	query   string
	folded  string // the text for searches that ignore case
	matches []uint32
	current int // index into matches, -1 without one
}

// NewPager makes a pager. The text is indexed once, which takes some
// milliseconds per megabyte; this may be done on any goroutine.
func NewPager(st *rows.Styles, title, text string, hints []status.Hint) *Pager {
	return &Pager{st: st, title: term.Line(title), doc: newDocument(text), hints: hints, current: -1}
}

// Source makes a text for windows in which rows have w cells: one line for each
// row, in colours.
type Source func(w int, st *rows.Styles) string

// sourceKey is what a text depends on that a [Source] makes.
type sourceKey struct {
	w  int
	st *rows.Styles
}

// NewPagerOf makes a pager of a text that depends on the width. It is made again
// when the width or the colours change; the page stays where it was, as near as
// the new text allows. raw is what is copied.
func NewPagerOf(st *rows.Styles, title, raw string, source Source, hints []status.Hint) *Pager {
	p := NewPager(st, title, "", hints)
	p.source, p.raw = source, raw
	return p
}

// Renew has the text made again of another source, when it is drawn next. The page
// stays where it was, as near as the new text allows. raw is what is copied.
func (p *Pager) Renew(raw string, source Source) { p.source, p.raw, p.stale = source, raw, true }

// remake makes the text again if it is for another width, in other colours or of
// another source.
func (p *Pager) remake() {
	key := sourceKey{p.w, p.st}
	if p.source == nil || p.made == key && !p.stale {
		return
	}
	p.stale = false
	before, line := p.doc, p.doc.segmentAt(p.top)
	first := p.made == sourceKey{}
	p.made, p.doc = key, newDocument(p.source(key.w, key.st))
	if first {
		return
	}
	at := line * len(p.doc.starts) / max(len(before.starts), 1)
	p.top = p.doc.offset(place{segment: min(at, len(p.doc.starts)-1)}, p.w)
	p.searchAgain()
}

// searchAgain finds the matches of a search in another text.
func (p *Pager) searchAgain() {
	p.folded = ""
	if p.query != "" {
		p.folded = fold(p.doc.text)
		p.matches = p.doc.find(p.query, p.folded)
		p.current = min(p.current, len(p.matches)-1)
	}
}

// Follow goes to the end and stays there while the text grows, until another place
// is gone to.
func (p *Pager) Follow() { p.live, p.follow = true, true }

// Grow replaces the text by one that goes on at its end and may have lost some of
// its beginning. It reports whether there is something new. The page stays at its
// text.
func (p *Pager) Grow(text string) bool {
	if text == p.raw {
		return false
	}
	before := p.doc.text
	p.raw, p.doc = text, newDocument(text)
	lost := max(strings.Index(before, p.doc.text[:min(len(p.doc.text), lostBytes)]), 0)
	p.top = min(max(p.top-lost, 0), len(p.doc.text))
	p.searchAgain()
	return true
}

// lostBytes is how much of a text is looked for in the one before it.
const lostBytes = 256

// SetStyles implements [Box].
func (p *Pager) SetStyles(st *rows.Styles) { p.st = st }

// Text is the text without colours, for copying.
func (p *Pager) Text() string {
	if p.source != nil {
		return p.raw
	}
	return p.doc.text
}

// Finding reports whether a search is being typed.
func (p *Pager) Finding() bool { return p.finding }

// Found tells how many matches a search has found; false when none was made.
func (p *Pager) Found() (n int, searched bool) { return len(p.matches), p.query != "" }

// leastHeight is the least height of a window that is as high as its text.
const leastHeight = 5

// Most is the size of a window for as much as can be: nearly the whole screen, and
// all of a small one.
func Most(w, h int) (bw, bh int) {
	if w < 60 || h < 16 {
		return max(w, 0), max(h, 0)
	}
	return w - 4, h - 2
}

// Size implements [Box]: as high as the text, up to nearly the whole screen, which
// a text takes at once that grows.
func (p *Pager) Size(w, h int) (bw, bh int) {
	bw, bh = Most(w, h)
	if p.live || bw <= edges || bh <= leastHeight {
		return bw, bh
	}
	p.w = bw - edges
	p.remake()
	return bw, max(p.doc.height(p.w, bh-2)+2, leastHeight)
}

// Move implements [Box].
func (p *Pager) Move(m Move) Request {
	if p.w <= 0 || p.h <= 0 {
		return nil
	}
	at, page := p.doc.rowAt(p.top, p.w), max(p.h-1, 1)
	switch m {
	case Up:
		at = p.doc.back(at, 1, p.w)
	case Down:
		at = p.doc.forward(at, 1, p.w)
	case PageUp:
		at = p.doc.back(at, page, p.w)
	case PageDown:
		at = p.doc.forward(at, page, p.w)
	case Top:
		at = place{}
	case Bottom:
		at = p.doc.lastPage(p.h, p.w)
	}
	p.show(at)
	return nil
}

// show brings a row to the top, as far as the end of the text allows.
func (p *Pager) show(at place) {
	if last := p.doc.lastPage(p.h, p.w); last.before(at) {
		at = last
	}
	p.top = p.doc.offset(at, p.w)
	p.follow = p.live && !at.before(p.doc.lastPage(p.h, p.w))
}

// Type implements [Box]: it adds to the query of a search, once that was begun.
func (p *Pager) Type(text string) Request {
	if p.finding {
		p.draft = p.draft.Add(text)
	}
	return nil
}

// Act implements [Box].
func (p *Pager) Act(a keys.Action) Request {
	switch a {
	case keys.Accept:
		p.Accept()
	case keys.Backspace:
		p.Backspace()
	case keys.Find:
		p.Find()
	case keys.FindNext:
		p.Next()
	case keys.FindPrev:
		p.Prev()
	case keys.Copy:
		return Copy{p.Text()}
	}
	return nil
}

// Contexts are where keys of the table have a meaning here besides those of any window:
// none while a search is typed.
func (p *Pager) Contexts() []keys.Context {
	if p.finding {
		return nil
	}
	return []keys.Context{keys.InText}
}

// Hints are the keys worth knowing just now, besides those on its lower edge. leave says
// where the one leads to that closes the window.
func (p *Pager) Hints(leave string) []keys.Hint {
	n, searched := p.Found()
	switch {
	case !p.finding && !searched:
		return []keys.Hint{{Action: keys.Escape, Text: leave}}
	case p.finding || n < 2:
		return []keys.Hint{{Action: keys.Escape, Text: "end the search"}}
	}
	return []keys.Hint{{Action: keys.FindNext, Text: "next"}, {Action: keys.FindPrev, Text: "previous"}, {Action: keys.Escape, Text: "end the search"}}
}

// Backspace takes the last character of a search back that is being typed.
func (p *Pager) Backspace() {
	if p.finding {
		p.draft = p.draft.Shorter()
	}
}

// Back implements [Box]: it gives up the search being typed, or else the matches
// that are shown.
func (p *Pager) Back() (closed bool) {
	if p.finding {
		p.finding = false
		return false
	}
	if p.query != "" {
		p.query, p.matches, p.current = "", nil, -1
		return false
	}
	return true
}

// Find begins a search: what is typed from now on is its query.
func (p *Pager) Find() { p.finding, p.draft = true, "" }

// Accept searches for the query that was typed and goes to the first match from
// the top of the page on. Without a search it goes on by a page.
func (p *Pager) Accept() {
	if !p.finding {
		p.Move(PageDown)
		return
	}
	p.finding = false
	if p.query = string(p.draft); p.query == "" {
		p.matches, p.current = nil, -1
		return
	}
	if p.folded == "" {
		p.folded = fold(p.doc.text)
	}
	p.matches = p.doc.find(p.query, p.folded)
	p.goTo(sort.Search(len(p.matches), func(i int) bool { return int(p.matches[i]) >= p.top }))
}

// Next goes to the next match, after the last to the first.
func (p *Pager) Next() { p.goTo(p.current + 1) }

// Prev goes to the previous match, before the first to the last.
func (p *Pager) Prev() { p.goTo(p.current - 1) }

// goTo makes match i the current one and brings it into sight.
func (p *Pager) goTo(i int) {
	n := len(p.matches)
	if n == 0 {
		p.current = -1
		return
	}
	p.current = (i%n + n) % n
	if p.w <= 0 || p.h <= 0 {
		return
	}
	at := p.doc.rowAt(int(p.matches[p.current]), p.w)
	top := p.doc.rowAt(p.top, p.w)
	if bottom := p.doc.forward(top, p.h-1, p.w); at.before(top) || bottom.before(at) {
		p.show(p.doc.back(at, p.h/3, p.w))
	}
}

// found says how the search stands.
func (p *Pager) found() (string, rows.Style) {
	switch n := len(p.matches); {
	case p.query == "":
		return "", p.st.Muted
	case n == 0:
		return "not found", p.st.Warn
	case n == maxMatches:
		return strconv.Itoa(p.current+1) + " of many", p.st.Muted
	default:
		return strconv.Itoa(p.current+1) + " of " + strconv.Itoa(n), p.st.Muted
	}
}
