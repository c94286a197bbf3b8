// Package hunks compares texts line by line, and puts texts together of those of the
// differences that someone has accepted.
//
// Guarantees:
//
//   - A text put together with every difference accepted is the new one, with none the
//     old one, byte for byte, whatever the texts hold: carriage returns, no line feed at
//     the end, bytes that are no text. See [Compared.Join].
//   - What is found is the same for the same texts, so that two parts of the program
//     that compare them speak of the same differences by their numbers.
//   - The work is bounded: texts of more than [MaxCompared] bytes are one difference, and
//     so is what lies between lines that both texts have once when it differs in more than
//     a few dozen places.
//
// All of it is pure and safe for concurrent use.
package hunks

import (
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// MaxCompared is how many bytes two texts may have together to be compared.
const MaxCompared = 4 << 20

// Span is a run of lines, counted from 0, without the one at To.
type Span struct{ From, To int }

// Len is how many lines it has.
func (s Span) Len() int { return s.To - s.From }

// Hunk is a place where two texts differ: in the stead of the lines Old of the old text
// the new one has the lines New. Between two hunks is at least one line of both.
type Hunk struct{ Old, New Span }

// Compared are two texts with the places where they differ.
type Compared struct {
	// Old and New are their lines with what ends them; only the last may lack that.
	Old, New []string
	Hunks    []Hunk
}

// Compare finds where two texts differ.
func Compare(before, after string) *Compared {
	c := &Compared{Old: Lines(before), New: Lines(after)}
	switch {
	case before == after:
	case len(before)+len(after) > MaxCompared:
		c.add(Hunk{Span{0, len(c.Old)}, Span{0, len(c.New)}})
	default:
		c.between(Span{0, len(c.Old)}, Span{0, len(c.New)}, 0)
	}
	return c
}

// Lines splits a text into its lines, each with its line feed.
func Lines(text string) []string {
	list := make([]string, 0, strings.Count(text, "\n")+1)
	for l := range strings.Lines(text) {
		list = append(list, l)
	}
	return list
}

// add adds a hunk behind those that are there; one that touches the last is a part of it.
func (c *Compared) add(h Hunk) {
	if n := len(c.Hunks); n > 0 && c.Hunks[n-1].Old.To == h.Old.From && c.Hunks[n-1].New.To == h.New.From {
		c.Hunks[n-1].Old.To, c.Hunks[n-1].New.To = h.Old.To, h.New.To
		return
	}
	c.Hunks = append(c.Hunks, h)
}

// maxDepth bounds how often what lies between common lines is divided by others.
const maxDepth = 64

// between finds the differences of two runs of lines, in order.
func (c *Compared) between(a, b Span, depth int) {
	for a.Len() > 0 && b.Len() > 0 && c.Old[a.From] == c.New[b.From] {
		a.From, b.From = a.From+1, b.From+1
	}
	for a.Len() > 0 && b.Len() > 0 && c.Old[a.To-1] == c.New[b.To-1] {
		a.To, b.To = a.To-1, b.To-1
	}
	switch {
	case a.Len() == 0 && b.Len() == 0:
		return
	case a.Len() == 0 || b.Len() == 0 || !c.share(a, b):
		c.add(Hunk{a, b})
		return
	}
	anchors := []pair(nil)
	if depth < maxDepth {
		anchors = c.anchors(a, b)
	}
	if len(anchors) == 0 {
		c.search(a, b)
		return
	}
	for _, p := range anchors {
		c.between(Span{a.From, p.old}, Span{b.From, p.new}, depth+1)
		a.From, b.From = p.old+1, p.new+1
	}
	c.between(a, b, depth+1)
}

// share reports whether two runs have a line in common.
func (c *Compared) share(a, b Span) bool {
	if a.Len()*b.Len() <= 64 {
		for _, l := range c.Old[a.From:a.To] {
			if slices.Contains(c.New[b.From:b.To], l) {
				return true
			}
		}
		return false
	}
	has := make(map[string]bool, a.Len())
	for _, l := range c.Old[a.From:a.To] {
		has[l] = true
	}
	return slices.ContainsFunc(c.New[b.From:b.To], func(l string) bool { return has[l] })
}

// search finds the differences of runs without a line that stands once in both.
func (c *Compared) search(a, b Span) {
	for _, d := range lcs.DiffLines(c.Old[a.From:a.To], c.New[b.From:b.To]) {
		c.add(Hunk{Span{a.From + d.Start, a.From + d.End}, Span{b.From + d.ReplStart, b.From + d.ReplEnd}})
	}
}

// pair is a line of both texts.
type pair struct{ old, new int }

// anchors are lines that stand once in each of two runs, as many of them as stand in the
// same order there.
func (c *Compared) anchors(a, b Span) []pair {
	type place struct{ old, new, olds, news int }
	seen := make(map[string]*place, a.Len())
	for i := a.From; i < a.To; i++ {
		p := seen[c.Old[i]]
		if p == nil {
			p = &place{}
			seen[c.Old[i]] = p
		}
		p.old, p.olds = i, p.olds+1
	}
	for i := b.From; i < b.To; i++ {
		if p := seen[c.New[i]]; p != nil {
			p.new, p.news = i, p.news+1
		}
	}
	var list []pair
	for i := a.From; i < a.To; i++ {
		if p := seen[c.Old[i]]; p.olds == 1 && p.news == 1 {
			list = append(list, pair{p.old, p.new})
		}
	}
	return rising(list)
}

// rising is the longest part of a list, whose old lines rise, in which the new ones rise
// as well.
func rising(list []pair) []pair {
	var ends []int // of the best run of each length, where it ends
	before := make([]int, len(list))
	for i, p := range list {
		n := sort.Search(len(ends), func(k int) bool { return list[ends[k]].new >= p.new })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	best := make([]pair, len(ends))
	if len(ends) > 0 {
		for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
			best[n] = list[i]
		}
	}
	return best
}
