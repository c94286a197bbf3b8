package patch

import (
	"cmp"
	"slices"
	"strings"
)

// How alike blocks must be.
const (
	anchorAlone   = 0.50 // what stands between the anchors, with one candidate
	anchorSeveral = 0.70 // the same, with several
	lineClose     = 0.80 // at least half of the lines
	lineLeast     = 0.50 // every line
)

// findAnchored finds blocks of which the first and the last line are right and the names
// between are the same.
func findAnchored(h *haystack, n *needle) []int {
	last := len(n.lines) - 1
	if last < 1 {
		return nil
	}
	candidates := anchored(h.lines(), n.lines)
	if len(candidates) == 0 {
		return nil
	}
	least := anchorAlone
	if len(candidates) > 1 {
		least = anchorSeveral
	}
	middle := newLikeness(strings.Join(n.lines[1:last], "\n"))
	var found []int
	for _, c := range candidates {
		have := joined(h.lines()[c+1 : c+last])
		hist := histogramOf(have)
		if !h.work.spend(len(have)) {
			return nil
		}
		if middle.bound(&hist) < least {
			continue
		}
		ratio, ok := middle.ratio(have, h.work)
		if !ok {
			return nil
		}
		if ratio >= least && sameNames(h, n.lines, h.lines()[c:c+last+1], true) {
			found = append(found, c)
		}
	}
	return found
}

// anchored finds the places where the first and the last line are right.
func anchored(lines []line, want []string) []int {
	last := len(want) - 1
	first, end := strings.TrimSpace(want[0]), strings.TrimSpace(want[last])
	var found []int
	for i := 0; i+last < len(lines); i++ {
		if strings.TrimSpace(lines[i].text) == first && strings.TrimSpace(lines[i+last].text) == end {
			found = append(found, i)
		}
	}
	return found
}

func joined(lines []line) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text
	}
	return strings.Join(texts, "\n")
}

// findAlike finds blocks in which at least half of the lines are close to what is
// searched for, none is far from it, and the names are the same.
func findAlike(h *haystack, n *needle) []int {
	lines := h.lines()
	if len(n.lines) > len(lines) {
		return nil
	}
	m := newMatcher(n.lines, h.work)
	var found []int
	for i := 0; i+len(n.lines) <= len(lines); i++ {
		alike, ok := m.block(lines[i : i+len(n.lines)])
		if !ok {
			return nil
		}
		if alike && sameNames(h, n.lines, lines[i:i+len(n.lines)], false) {
			found = append(found, i)
		}
	}
	return found
}

// matcher compares blocks with the lines that are searched for. The longest lines
// come first: they are the rarest to resemble anything.
type matcher struct {
	want  []string // trimmed
	like  []*likeness
	order []int
	far   int // how many lines need not be close
	work  *work
	seen  map[pair]float64
}

// pair is a line of a block and the number of the line it is compared with.
type pair struct {
	have string
	want int
}

// maxPairs bounds the ratios that are kept.
const maxPairs = 10_000

func newMatcher(lines []string, w *work) *matcher {
	m := &matcher{
		want: make([]string, len(lines)), like: make([]*likeness, len(lines)), order: make([]int, len(lines)),
		far: len(lines) / 2, work: w, seen: map[pair]float64{},
	}
	for i, l := range lines {
		m.want[i], m.order[i] = strings.TrimSpace(l), i
	}
	slices.SortStableFunc(m.order, func(a, b int) int { return cmp.Compare(len(m.want[b]), len(m.want[a])) })
	return m
}

// block compares a block. The second value is false when the work that was left
// did not suffice.
func (m *matcher) block(lines []line) (alike, ok bool) {
	possible, ok := m.pass(lines, func(i int, have string) (float64, bool) {
		hist := histogramOf(have)
		return m.likeness(i).bound(&hist), m.work.spend(8 + len(have)/4)
	})
	if !possible || !ok {
		return false, ok
	}
	return m.pass(lines, m.ratio)
}

// pass judges the lines of a block until the outcome is clear.
func (m *matcher) pass(lines []line, ratio func(i int, have string) (float64, bool)) (alike, ok bool) {
	far := 0
	for _, i := range m.order {
		if !m.work.spend(4) {
			return false, false
		}
		have := strings.TrimSpace(lines[i].text)
		if have == m.want[i] {
			continue
		}
		r, ok := ratio(i, have)
		switch {
		case !ok:
			return false, false
		case r < lineLeast:
			return false, true
		case r < lineClose:
			if far++; far > m.far {
				return false, true
			}
		}
	}
	return true, true
}

// likeness prepares a line when it is first needed.
func (m *matcher) likeness(i int) *likeness {
	if m.like[i] == nil {
		m.like[i] = newLikeness(m.want[i])
	}
	return m.like[i]
}

// ratio compares a line with one of those searched for.
func (m *matcher) ratio(i int, have string) (float64, bool) {
	if r, ok := m.seen[pair{have, i}]; ok {
		return r, true
	}
	r, ok := m.likeness(i).ratio(have, m.work)
	if ok && len(m.seen) < maxPairs {
		m.seen[pair{have, i}] = r
	}
	return r, ok
}
