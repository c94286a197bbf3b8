package transcript

import (
	"slices"

	"hermes-tui/agent/event"
	"hermes-tui/ui/find"
)

// How much text is looked at in one go: on the goroutine of the view, which is about a
// millisecond of work, and on another one.
const (
	findBytes    = 2 << 20
	patternBytes = 64 << 10
	batchTimes   = 8
	// matchBytes is how much text takes as long to look at as a match to note.
	matchBytes = 64
)

// search is a search in the blocks. Blocks are looked at once and again when they
// change, from the place where the search began on: to the end, and then up from there;
// first the next ones of a goal.
type search struct {
	q      find.Query
	m      find.Matcher
	gen    uint64
	err    error
	counts []int32 // of matches in each block, unknown where it was not looked at yet
	from   int     // where the search began
	done   int     // blocks looked at, in that order
	total  int
	hit    hit
	goal   goal
	buf    []byte
	spot   spot
	// resolved is the match that was shown last.
	resolved resolved
}

// unknown marks a block that was not looked at yet.
const unknown = -1

// hit is a match: the n-th of a block.
type hit struct {
	block event.BlockID
	at    int // the index of the block
	n     int
}

// goal is a match that is to be shown as soon as it is found: the next one in a
// direction from the n-th of a block on. A step of 0 is none.
type goal struct {
	step  int
	at, n int
	steps int // blocks that were passed
}

// lastOf stands for the last match of a block.
const lastOf = -2

// aim is a line of a block that is to be in sight, from 1: what was found stands there.
// The block is open, and so is the group that holds it; where a block shows a part only,
// it is that part. 0 is any line.
type aim struct {
	block event.BlockID
	line  int
}

// Found tells how a search stands.
type Found struct {
	// At is the number of the match that is shown, from 1; 0 while it is not known
	// or there is none. N is how many were found so far.
	At, N int
	// More says that not all blocks were looked at yet.
	More bool
	// Err says what is wrong with a regular expression.
	Err error
	hit hit
}

// Same reports whether the same match is shown.
func (f Found) Same(other Found) bool { return f.hit == other.hit }

// Find begins a search from the top of the screen on, or from the match that is shown.
// An empty query ends it; the match stays in sight. What there is to find is looked
// for by [View.FindMore] and [View.FindRest].
func (v *View) Find(q find.Query) {
	v.layout()
	f := search{q: q, gen: v.find.gen + 1, counts: v.find.counts[:0], buf: v.find.buf, from: v.find.from}
	if v.find.m == nil && v.find.err == nil {
		if f.from = v.top; v.seg > 0 || v.off > v.gap(v.item(v.top)) {
			f.from++
		}
	}
	f.from = min(f.from, len(v.blocks))
	if f.m, f.err = q.Compile(); f.m != nil {
		f.counts = slices.Grow(f.counts, len(v.blocks))
	}
	v.find = f
	v.findFrom(0)
	v.changed()
}

// item is the item of a block that may not be there.
func (v *View) item(i int) item {
	if i >= len(v.blocks) {
		return item{}
	}
	return v.itemAt(i)
}

// Finding reports whether there is a search.
func (v *View) Finding() bool { return v.find.m != nil || v.find.err != nil }

// Query is what is looked for.
func (v *View) Query() find.Query { return v.find.q }

// Found tells how the search stands.
func (v *View) Found() Found {
	f := &v.find
	out := Found{N: f.total, More: f.m != nil && f.done < len(v.blocks), Err: f.err, hit: f.hit}
	if f.hit.block == "" || out.More {
		return out
	}
	for _, n := range f.counts[:f.hit.at] {
		out.At += int(n)
	}
	out.At += f.hit.n + 1
	return out
}

// FindMore looks at some more blocks. It reports whether there are others left, for
// [View.FindRest]. The first match that is found is shown.
func (v *View) FindMore() (more bool) { return v.findMore(v.find.bytes(), true) }

// bytes is how much text may be looked at in one go.
func (f *search) bytes() int {
	if f.q.Regexp {
		return patternBytes
	}
	return findBytes
}

func (v *View) findMore(left int, show bool) (more bool) {
	f := &v.find
	if f.m == nil {
		return false
	}
	if f.goal.step != 0 {
		v.seek(&left)
	}
	for ; f.done < len(v.blocks); f.done++ {
		i := f.order(f.done)
		c, known := v.matches(i, &left)
		if !known {
			return true
		}
		if c > 0 && show && f.hit.block == "" {
			n := 0
			if i < f.from {
				n = c - 1
			}
			v.showHit(i, n)
		}
	}
	return false
}

// order is the n-th block to be looked at.
func (f *search) order(n int) int {
	if i := f.from + n; i < len(f.counts) {
		return i
	}
	return len(f.counts) - 1 - n
}

// matches counts the matches of a block, and takes its text off what may be looked at.
// It reports false where that is too little.
func (v *View) matches(i int, left *int) (n int, known bool) {
	f := &v.find
	if f.counts[i] == unknown {
		if *left <= 0 || f.q.Regexp && v.blocks[i].Text.Len() > 2**left {
			return 0, false
		}
		n, size := count(v.blocks[i], f.m, &f.buf)
		f.counts[i] = int32(n)
		f.total += n
		*left -= size + n*matchBytes
	}
	return int(f.counts[i]), true
}

// Search is a part of a search, to be run on another goroutine. It holds nothing of the
// view that changes.
type Search struct {
	gen    uint64
	m      find.Matcher
	at     []int
	blocks []*event.Block
	counts []int32
}

// FindRest hands out what is to be looked at next; false when nothing is.
func (v *View) FindRest() (Search, bool) {
	f := &v.find
	s := Search{gen: f.gen, m: f.m}
	if f.m == nil {
		return s, false
	}
	left := batchTimes * f.bytes()
	take := func(i int) {
		if f.counts[i] == unknown {
			s.at, s.blocks = append(s.at, i), append(s.blocks, v.blocks[i])
			left -= sizeOf(v.blocks[i])
		}
	}
	if g := f.goal; g.step != 0 {
		for ; g.steps <= len(f.counts) && left > 0; g.steps++ {
			take(g.at)
			g.at = (g.at + g.step + len(f.counts)) % len(f.counts)
		}
	} else {
		for n := f.done; n < len(f.counts) && left > 0; n++ {
			take(f.order(n))
		}
	}
	return s, len(s.at) > 0
}

// Run looks for matches.
func (s Search) Run() Search {
	var buf []byte
	s.counts = make([]int32, len(s.blocks))
	for i, b := range s.blocks {
		n, _ := count(b, s.m, &buf)
		s.counts[i] = int32(n)
	}
	return s
}

// FindTake takes what a search has found, unless it is too late. The first match is
// shown, or the one that [View.FindNext] waits for. It reports whether there is more to
// look at.
func (v *View) FindTake(s Search) (more bool) {
	f := &v.find
	if s.gen == f.gen {
		for i, at := range s.at {
			if at < len(v.blocks) && v.blocks[at] == s.blocks[i] && f.counts[at] == unknown {
				f.counts[at] = s.counts[i]
				f.total += int(s.counts[i])
			}
		}
	}
	return v.findMore(0, true)
}

// FindNext shows the next match, or the previous one. After the last one comes the
// first. It reports false when there is none, or none is known yet; then it is shown
// as soon as it is.
func (v *View) FindNext(back bool) bool {
	f := &v.find
	if f.m == nil || len(f.counts) == 0 {
		return false
	}
	g := goal{step: 1, at: f.hit.at, n: f.hit.n + 1}
	if back {
		g.step, g.n = -1, f.hit.n-1
	}
	if f.hit.block == "" {
		g.at, g.n = min(f.from, len(f.counts)-1), 0
	}
	f.goal = g
	left := f.bytes()
	return v.seek(&left)
}

// seek goes on towards the goal. It reports whether that is reached.
func (v *View) seek(left *int) bool {
	f := &v.find
	for g := &f.goal; g.steps <= len(f.counts); g.steps++ {
		c, known := v.matches(g.at, left)
		if !known {
			return false
		}
		if g.n == lastOf {
			g.n = c - 1
		}
		if g.n >= 0 && g.n < c {
			i, n := g.at, g.n
			f.goal = goal{}
			v.showHit(i, n)
			return true
		}
		g.at, g.n = (g.at+g.step+len(f.counts))%len(f.counts), 0
		if g.step < 0 {
			g.n = lastOf
		}
	}
	f.goal = goal{}
	return false
}

// findFrom forgets what was found in the blocks from one on.
func (v *View) findFrom(from int) {
	f := &v.find
	if f.m == nil {
		f.total, f.counts, f.hit = 0, f.counts[:0], hit{}
		return
	}
	from = min(from, len(f.counts))
	whole := f.done > 0 && f.done >= len(f.counts)
	for _, n := range f.counts[from:] {
		f.total -= max(int(n), 0)
	}
	f.counts = f.counts[:from]
	for len(f.counts) < len(v.blocks) {
		f.counts = append(f.counts, unknown)
	}
	f.from, f.done = min(f.from, len(v.blocks)), 0
	f.spot, f.goal = spot{}, goal{}
	if f.hit.block != "" && f.hit.at >= from {
		i := slices.IndexFunc(v.blocks[from:], func(b *event.Block) bool { return b.ID == f.hit.block })
		if i < 0 {
			f.hit = hit{}
		}
		f.hit.at = from + max(i, 0)
	}
	if whole { // what has changed is little
		v.findMore(f.bytes(), false)
	}
}
