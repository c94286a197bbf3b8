package overlay

import (
	"strings"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// Pager shows a long text, wrapped to the width of the window. Colours in the
// text are kept. The zero value is not ready, see [NewPager].
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

	finder
}

// NewPager makes a pager. The text is indexed once, which takes some
// milliseconds per megabyte; this may be done on any goroutine.
func NewPager(st *rows.Styles, title, text string, hints []status.Hint) *Pager {
	return &Pager{st: st, title: term.Line(title), doc: newDocument(text), hints: hints, finder: finder{found: found{current: -1}}}
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
