package patch

import (
	"math"
	"unicode/utf8"
)

// maxWork bounds the comparing that one search may do, so that no pair of texts,
// however long and repetitive, keeps a call busy. The unit is one step of an
// inner loop, a few nanoseconds.
const maxWork = 200_000_000

// work is what is left to spend; it is shared by all comparisons of a search.
type work struct{ left int }

// spend takes n steps and reports whether there were that many.
func (w *work) spend(n int) bool {
	w.left -= n
	return w.left >= 0
}

// autojunkFrom is the length from which on characters that make up more than a
// hundredth of a text are not looked up in it: they only prolong what matches
// anyway.
const autojunkFrom = 200

// likeness compares texts with one text b by the Ratcliff/Obershelp ratio: twice
// the number of characters in matching blocks over the characters of both. A
// matching block is the longest common stretch (of several the one that begins
// first in a, then in b), and left and right of it the same again.
type likeness struct {
	b    []rune
	hist histogram
	// first and next chain the positions of a character in b, ascending, -1 at the
	// end. ASCII has a table, the rest a map.
	ascii [128]int32
	wide  map[rune]int32
	next  []int32

	a          []rune
	runs, prev []int32 // length of the match that ends at a position of b, by position+1
	queue      []block
}

// block is a pair of stretches that are yet to be compared.
type block struct{ alo, ahi, blo, bhi int }

// newLikeness prepares a text to be compared with others.
func newLikeness(b string) *likeness {
	l := &likeness{b: []rune(b), hist: histogramOf(b)}
	n := len(l.b)
	l.next = make([]int32, n)
	l.runs, l.prev = make([]int32, n+1), make([]int32, n+1)
	for i := range l.ascii {
		l.ascii[i] = -1
	}
	counts := map[rune]int{}
	for i := n - 1; i >= 0; i-- {
		r := l.b[i]
		l.next[i] = l.head(r)
		l.setHead(r, int32(i))
		if n >= autojunkFrom {
			counts[r]++
		}
	}
	for r, count := range counts {
		if count > n/100+1 {
			l.setHead(r, -1)
		}
	}
	return l
}

// head is the first position of a character in b.
func (l *likeness) head(r rune) int32 {
	if r < utf8.RuneSelf {
		return l.ascii[r]
	}
	if i, ok := l.wide[r]; ok {
		return i
	}
	return -1
}

func (l *likeness) setHead(r rune, i int32) {
	if r < utf8.RuneSelf {
		l.ascii[r] = i
		return
	}
	if l.wide == nil {
		l.wide = map[rune]int32{}
	}
	l.wide[r] = i
}

// bound is at least the ratio with a text, and quick to find.
func (l *likeness) bound(h *histogram) float64 { return l.hist.bound(h) }

// ratio compares a text with b. The second value is false when the work that was
// left did not suffice; then the first says nothing.
func (l *likeness) ratio(a string, w *work) (float64, bool) {
	l.a = appendRunes(l.a[:0], a)
	total := len(l.a) + len(l.b)
	if total == 0 {
		return 1, true
	}
	matched := 0
	l.queue = append(l.queue[:0], block{0, len(l.a), 0, len(l.b)})
	for len(l.queue) > 0 {
		q := l.queue[len(l.queue)-1]
		l.queue = l.queue[:len(l.queue)-1]
		i, j, size, ok := l.longest(q, w)
		if !ok {
			return 0, false
		}
		if size == 0 {
			continue
		}
		matched += size
		if q.alo < i && q.blo < j {
			l.queue = append(l.queue, block{q.alo, i, q.blo, j})
		}
		if i+size < q.ahi && j+size < q.bhi {
			l.queue = append(l.queue, block{i + size, q.ahi, j + size, q.bhi})
		}
	}
	return 2 * float64(matched) / float64(total), true
}

// longest finds the longest common stretch of a block: where it begins in a and
// in b, and its length.
func (l *likeness) longest(q block, w *work) (besti, bestj, size int, ok bool) {
	besti, bestj = q.alo, q.blo
	for i := q.alo; i < q.ahi; i++ {
		steps := 1
		for j := l.head(l.a[i]); j >= 0 && int(j) < q.bhi; j = l.next[j] {
			steps++
			if int(j) < q.blo {
				continue
			}
			k := int(l.prev[j]) + 1 // prev is shifted by one: this is position j-1
			l.runs[j+1] = int32(k)
			if k > size {
				besti, bestj, size = i-k+1, int(j)-k+1, k
			}
		}
		if i > q.alo {
			l.clear(l.prev, l.a[i-1])
		}
		l.prev, l.runs = l.runs, l.prev
		if !w.spend(steps) {
			clear(l.prev)
			clear(l.runs)
			return 0, 0, 0, false
		}
	}
	if q.ahi > q.alo {
		l.clear(l.prev, l.a[q.ahi-1])
	}
	// Characters that are not looked up still prolong a match.
	for besti > q.alo && bestj > q.blo && l.a[besti-1] == l.b[bestj-1] {
		besti, bestj, size = besti-1, bestj-1, size+1
	}
	for besti+size < q.ahi && bestj+size < q.bhi && l.a[besti+size] == l.b[bestj+size] {
		size++
	}
	return besti, bestj, size, true
}

// clear undoes what the row of a character has noted.
func (l *likeness) clear(row []int32, r rune) {
	for j := l.head(r); j >= 0; j = l.next[j] {
		row[j+1] = 0
	}
}

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}

// histogram counts characters by their lowest five bits.
type histogram struct {
	counts [32]uint16
	total  int
	// complete says that counts was filled; of a very long text only the length
	// is known.
	complete bool
}

func histogramOf(s string) histogram {
	var h histogram
	if len(s) > math.MaxUint16 {
		h.total = utf8.RuneCountInString(s)
		return h
	}
	for _, r := range s {
		h.counts[r&31]++
		h.total++
	}
	h.complete = true
	return h
}

// bound is at least the ratio of two texts with these counts: no block can match
// more characters than both have.
func (h *histogram) bound(g *histogram) float64 {
	total := h.total + g.total
	if total == 0 {
		return 1
	}
	most := min(h.total, g.total)
	if h.complete && g.complete {
		most = 0
		for i, c := range h.counts {
			most += int(min(c, g.counts[i]))
		}
	}
	return 2 * float64(most) / float64(total)
}
