package models

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// hit is a model that a query has found.
type hit struct {
	group, row int
	named      int // words that name the provider, which count more than any letters
	score      int
	match      []int // offsets in bytes into the name that is shown
}

// better compares two hits: negative when a comes first.
func better(a, b hit) int {
	if a.named != b.named {
		return b.named - a.named
	}
	return cmp.Compare(b.score, a.score)
}

// search finds the models that fit every word of a query: by their name, whose
// letters need only come in the order of the word, or by their provider. A word
// with a slash or a colon may name both: "groq/llama". The hits of an endpoint
// stand together, best first; the endpoint with the best comes first.
func (l *List) search(query string) []hit {
	words := strings.Fields(query)
	if len(words) == 0 {
		return nil
	}
	hits := make([]hit, 0, 64)
	for gi, g := range l.groups {
		from := len(hits)
		hits = g.search(hits, gi, words)
		slices.SortStableFunc(hits[from:], better)
	}
	best := make([]hit, len(l.groups))
	for i := len(hits) - 1; i >= 0; i-- { // the first of a group is its best
		best[hits[i].group] = hits[i]
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.group == b.group {
			return 0
		}
		if c := better(best[a.group], best[b.group]); c != 0 {
			return c
		}
		return a.group - b.group
	})
	return hits
}

// search appends the hits of one endpoint, in the order of its list.
func (g *group) search(dst []hit, gi int, words []string) []hit {
	left := subset{g, nil}
	var found []hit
	for n, w := range words {
		found = g.word(found, left, w, n == 0)
		if len(found) == 0 {
			return dst
		}
		left.at = make([]int, len(found))
		for i := range found {
			left.at[i] = found[i].row
		}
	}
	for i := range found {
		found[i].group = gi
	}
	return append(dst, found...)
}

// word narrows hits down to those that fit a word, too.
func (g *group) word(before []hit, in subset, word string, first bool) []hit {
	at := func(i int) hit {
		if first {
			return hit{row: in.row(i)}
		}
		return before[i]
	}
	rest, named := g.named(word)
	if named && rest == "" {
		out := make([]hit, in.Len())
		for i := range out {
			out[i] = at(i)
			out[i].named++
		}
		return out
	}
	out := make([]hit, 0, 64)
	add := func(list fuzzy.Matches, named int) {
		for _, m := range list {
			h := at(m.Index)
			h.named += named
			h.score += min(m.Score, math.MaxInt32) // it grows fast with the length of a word
			h.match = merge(h.match, m.MatchedIndexes)
			out = append(out, h)
		}
	}
	if named { // what follows the provider is about the model
		add(fuzzy.FindFromNoSort(rest, in), 1)
		taken := map[int]bool{}
		for _, h := range out {
			taken[h.row] = true
		}
		byName := fuzzy.FindFromNoSort(word, in)
		add(slices.DeleteFunc(byName, func(m fuzzy.Match) bool { return taken[in.row(m.Index)] }), 0)
		return out
	}
	add(fuzzy.FindFromNoSort(word, in), 0)
	return out
}

// named reports whether a word names the provider. What stands behind a slash or a
// colon in it is about the model.
func (g *group) named(word string) (rest string, ok bool) {
	word = strings.ToLower(word)
	if at := strings.IndexAny(word, "/:"); at > 0 && slices.Contains(g.names, word[:at]) {
		return word[at+1:], true
	}
	return "", slices.ContainsFunc(g.names, func(n string) bool {
		return n == word || len(word) > 2 && strings.HasPrefix(n, word)
	})
}

// merge joins two ascending lists of offsets.
func merge(a, b []int) []int {
	if len(a) == 0 {
		return b
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// subset are rows of an endpoint, all of them when at is nil.
type subset struct {
	g  *group
	at []int
}

func (s subset) row(i int) int {
	if s.at == nil {
		return i
	}
	return s.at[i]
}

// Len implements [fuzzy.Source].
func (s subset) Len() int {
	if s.at == nil {
		return len(s.g.rows)
	}
	return len(s.at)
}

// String implements [fuzzy.Source].
func (s subset) String(i int) string { return s.g.rows[s.row(i)].name }
