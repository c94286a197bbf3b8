package transcript

import (
	"cmp"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
)

// DefaultCache bounds the drawn blocks that are kept, in bytes.
const DefaultCache = 4 << 20

// Options of a [View]. The zero value is ready.
type Options struct {
	// CacheBytes bounds the drawn blocks that are kept; 0 means
	// [DefaultCache]. What is on the screen is kept in any case.
	CacheBytes int
	// Clock measures how long a lexer takes; nil means [time.Now].
	Clock func() time.Time
	// Keys are named in hints; an empty name means the default.
	Keys Keys
	// Apart takes apart a text of the user that had collapsed pastes; nil knows none.
	// See [composer.Composer.Apart].
	Apart func(text string) (typed string, pastes []composer.Paste)
	// HideReasoning leaves out what the model thought; see [View.SetReasoning].
	HideReasoning bool
	// Times shows when each block came; see [View.SetTimes].
	Times bool
	// OutputLines is how many lines of output a folded call shows; see
	// [View.SetOutputLines].
	OutputLines int
}

// Keys are the names of the keys that unfold a block and open it in a window, enter and o
// by default, and of the one that goes to what the user wrote before; empty for none.
type Keys struct{ Fold, Open, Turn string }

// View shows a transcript.
type View struct {
	st     *rows.Styles
	look   uint64 // grows with the styles
	w, h   int
	blocks []*event.Block // that are shown
	// While reasoning is hidden, all are the blocks with those that are left out.
	hidden bool
	all    []*event.Block
	md     *markdown.Renderer
	cache  cache
	keys   Keys
	apart  func(string) (string, []composer.Paste)

	asked map[event.RequestID]event.RequestKind
	heard map[event.CallID]heard // calls at work

	now   time.Time
	frame int

	long  map[event.BlockID]*longAnswer
	least int // from how many bytes on an answer is drawn in parts

	// Unless follow is set, the screen begins at row off of block top.
	follow   bool
	top, off int
	seg      int // the part of that, in a long answer
	// tall is the height of the top block when off was set; a block that has
	// another height at another width keeps its place in proportion.
	tall    int
	resized bool

	find search
	aim  aim

	sel   event.BlockID
	selAt int // where sel was last

	selection textSelection

	// folds are the blocks that were folded or opened by hand, sections what holds for
	// the others of a kind, allFolded for the rest. A group is open when its first block is in groups;
	// all that it had when it was opened are, so that it stays open without the first.
	folds     map[event.BlockID]bool
	groups    map[event.BlockID]bool
	sections  [sections]fold
	allFolded bool
	coded     codeOf // the code of the block that the cursor is on

	new arrivals

	bookmarks []event.BlockID

	pinned int // the block that is pinned to the first row, -1 for none
	times  bool
	lines  int // of output that a folded call shows

	version uint64
	laid    uint64 // the version parts belong to
	parts   []part
	moving  bool // something on the screen changes with time
}

// New makes an empty view that follows.
func New(st *rows.Styles, o Options) *View {
	if o.CacheBytes <= 0 {
		o.CacheBytes = DefaultCache
	}
	o.Keys = Keys{cmp.Or(o.Keys.Fold, "enter"), cmp.Or(o.Keys.Open, "o"), o.Keys.Turn}
	v := &View{
		st: st, keys: o.Keys, apart: o.Apart, follow: true, allFolded: true, version: 1,
		md:    markdown.New(markdown.Options{Clock: o.Clock, Defer: true}),
		folds: map[event.BlockID]bool{}, groups: map[event.BlockID]bool{}, heard: map[event.CallID]heard{},
		long: map[event.BlockID]*longAnswer{}, least: longBytes,
		hidden: o.HideReasoning, times: o.Times, lines: o.OutputLines, pinned: -1,
	}
	v.cache.limit = o.CacheBytes
	return v
}

// changed makes the next frame a new one.
func (v *View) changed() { v.version++ }

// SetStyles changes the styles.
func (v *View) SetStyles(st *rows.Styles) {
	if st != v.st {
		v.st = st
		v.look++
		v.changed()
	}
}

// SetSize changes the size of the screen in cells and rows. The top row stays
// at its place in the text, and a match that is in sight stays there.
func (v *View) SetSize(w, h int) {
	w, h = max(w, 0), max(h, 0)
	if w == v.w && h == v.h {
		return
	}
	if w != v.w {
		v.EndSelection()
	}
	if w != v.w {
		v.recount(0)
	}
	hold := v.hitInSight()
	v.resized = v.resized || w != v.w
	v.w, v.h = w, h
	v.changed()
	if hold {
		v.showAgain()
	}
}

// SetOutputLines says how many lines of its output a folded call shows, while it runs and
// when it has ended.
func (v *View) SetOutputLines(n int) {
	if n != v.lines {
		v.lines = n
		v.look++ // all is drawn again
		v.recount(0)
		v.changed()
	}
}

// Tick tells the time and the number of the animation's frame. It changes
// something only while [View.Animating]. Code that is in view and not coloured
// yet is coloured here, some milliseconds at a time.
func (v *View) Tick(now time.Time, frame int) {
	v.now = now
	v.listen()
	if !v.Animating() {
		v.frame = frame
		return
	}
	v.frame = frame
	v.changed()
	for _, p := range v.parts {
		if s := p.entry.stream; s != nil && s.Pending() {
			if s.Refine() {
				p.entry.key.w = -1 // draw it again
			}
			break
		}
	}
}

// Animating reports whether something on the screen changes with time, so that
// [View.Tick] should be called.
func (v *View) Animating() bool {
	v.layout()
	return v.moving
}

// Rows appends exactly h rows of exactly w cells.
func (v *View) Rows(dst []string, w, h int) []string {
	v.SetSize(w, h)
	v.layout()
	base := len(dst)
	for i := range v.parts {
		dst = v.appendPart(dst, &v.parts[i])
	}
	if v.pinned >= 0 {
		dst[base] = v.pinnedRow()
	}
	return rows.Fill(dst, base, v.h, v.w)
}
