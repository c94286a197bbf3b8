package learnings

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Query is a call for which learnings are looked for.
type Query struct {
	Kind    string // see [Kind]
	Text    string // the call as it reads
	Failure string // what it failed of, empty for one that has not failed
	// ErrorType is the class of the failure.
	ErrorType string
	Project   string
}

// How much of the words of an entry a query must hold, by weight: where the kind is
// the same, and where only the words tell.
const (
	coverSameKind = 0.35
	coverWords    = 0.6
)

// maxMatches bounds the entries that fit a query.
const maxMatches = 2

// Match returns the entries that fit a call, the best first, at most two, and none of
// another project.
func (s *Store) Match(q Query) []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.load() != nil || len(s.lines.entries) == 0 {
		return nil
	}
	if s.index == nil {
		s.index = newIndex(s.lines.entries, Entry.failure)
	}
	type hit struct {
		i     int
		score float64
	}
	var hits []hit
	for i, covered := range s.index.covered(words(q.Text + " " + q.Failure)) {
		e := &s.lines.entries[i]
		if e.Project != "" && e.Project != q.Project {
			continue
		}
		same := e.Kind != "" && e.Kind == q.Kind
		switch {
		case e.Kind != "" && !same, // a call of another kind
			q.Failure != "" && e.ErrorType != "" && q.ErrorType != "" && e.ErrorType != q.ErrorType,
			same && covered < coverSameKind, !same && covered < coverWords:
			continue
		}
		if same {
			covered++
		}
		hits = append(hits, hit{i, covered})
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if a.score != b.score {
			if a.score > b.score {
				return -1
			}
			return 1
		}
		return b.i - a.i
	})
	var list []Entry
	for _, h := range hits {
		if e := s.lines.entries[h.i]; len(s.o.Scan(e.whole())) == 0 { // another program may have written it
			list = append(list, e)
		}
		if len(list) == maxMatches {
			break
		}
	}
	return list
}

// Search returns the entries that hold words of a query, the best first.
func (s *Store) Search(query string, limit int) []Entry {
	list, _, err := s.List()
	if err != nil {
		return nil
	}
	cover := newIndex(list, Entry.whole).share(words(query))
	order := make([]int, 0, len(cover))
	for i, c := range cover {
		if c > 0 && len(s.o.Scan(list[i].whole())) == 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if cover[a] != cover[b] {
			if cover[a] > cover[b] {
				return -1
			}
			return 1
		}
		return a - b
	})
	found := make([]Entry, 0, limit)
	for _, i := range order[:min(len(order), limit)] {
		found = append(found, list[i])
	}
	return found
}

// index finds entries by their words.
type index struct {
	by     map[string][]int // the entries with a word
	total  []float64        // the weight of all words of an entry
	number int
}

// failure returns the texts of an entry by which it is matched.
func (e Entry) failure() string {
	return e.Pattern + " " + e.Context + " " + strings.Join(e.Tags, " ")
}

func newIndex(list []Entry, text func(Entry) string) *index {
	x := &index{by: map[string][]int{}, total: make([]float64, len(list)), number: len(list)}
	of := make([][]string, len(list))
	for i, e := range list {
		of[i] = words(text(e))
		for _, w := range of[i] {
			x.by[w] = append(x.by[w], i)
		}
	}
	for i := range list {
		for _, w := range of[i] {
			x.total[i] += x.weight(w)
		}
	}
	return x
}

// weight is high for words that few entries have.
func (x *index) weight(word string) float64 {
	return math.Log(1 + float64(x.number)/float64(len(x.by[word])))
}

// share sums the weights of the words that entries have in common with a query.
func (x *index) share(query []string) []float64 {
	sum := make([]float64, x.number)
	for _, w := range query {
		if list := x.by[w]; len(list) > 0 {
			weight := x.weight(w)
			for _, i := range list {
				sum[i] += weight
			}
		}
	}
	return sum
}

// covered returns how much of the words of each entry a query holds, from 0 to 1.
func (x *index) covered(query []string) []float64 {
	sum := x.share(query)
	for i, total := range x.total {
		if total > 0 {
			sum[i] /= total
		}
	}
	return sum
}

// maxWords bounds the words of a text.
const maxWords = 200

// words returns the different words of a text, in lower case.
func words(text string) []string {
	seen := map[string]bool{}
	var list []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if len(w) > 1 && !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
		if len(list) == maxWords {
			break
		}
	}
	return list
}

// sameFailure reports whether calls of one kind have failed of the same.
func (e Entry) sameFailure(o Entry) bool {
	return e.Kind != "" && e.Kind == o.Kind && e.ErrorType == o.ErrorType && e.ErrorType != ""
}

// common reports whether of the different words of two texts four of five are in both.
func common(x, y []string) bool {
	if 5*min(len(x), len(y)) < 4*max(len(x), len(y)) {
		return false
	}
	n := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			n++
		}
	}
	return n > 0 && 5*n >= 4*(len(x)+len(y)-n)
}
