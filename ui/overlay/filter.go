package overlay

import (
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// Filter is a search through the entries of a [Picker], to be run on a goroutine
// of its own. It is a value and holds no part of the picker that changes.
type Filter struct {
	gen             uint64
	query           string
	labels, details []string
}

// Found is what a [Filter] found, for [Picker.Found].
type Found struct {
	gen     uint64
	entries []entry
}

// Run searches. It takes some milliseconds for the largest lists.
func (f Filter) Run() Found {
	return Found{f.gen, search(f.query, f.labels, f.details)}
}

// search finds the entries that hold each word of a query, its characters in their order:
// in the label, or else in the detail. Those come first that hold the words in one piece,
// as far as they have three letters: where there are such, no others are found. Then come
// those found by their label alone, then the best; entries that fit equally well keep their
// order.
func search(query string, labels, details []string) []entry {
	var list []hit
	for n, word := range strings.Fields(query) {
		found := searchWord(word, labels, details)
		if n == 0 {
			list = found
			continue
		}
		of := make(map[int]hit, len(found))
		for _, h := range found {
			of[h.item] = h
		}
		both := list[:0]
		for _, h := range list {
			if o, ok := of[h.item]; ok {
				both = append(both, h.and(o))
			}
		}
		list = both
	}
	slices.SortStableFunc(list, func(a, b hit) int {
		if a.scattered != b.scattered {
			return a.scattered - b.scattered
		}
		if a.outside != b.outside {
			return a.outside - b.outside
		}
		if a.score != b.score {
			return b.score - a.score
		}
		return a.item - b.item
	})
	if i := slices.IndexFunc(list, func(h hit) bool { return h.scattered > 0 }); i > 0 && list[0].scattered == 0 {
		list = list[:i]
	}
	entries := make([]entry, len(list))
	for i, h := range list {
		entries[i] = h.entry
	}
	return entries
}

// hit is an entry that some words were found in.
type hit struct {
	entry
	score   int
	outside int // words that are not in the label
	// scattered counts longer words whose characters stand apart.
	scattered int
}

// and is an entry that other words were found in, too. What stands out is in its label, if
// something is.
func (h hit) and(o hit) hit {
	switch {
	case h.inDetail && !o.inDetail:
		h.entry = o.entry
	case h.inDetail == o.inDetail:
		match := append(slices.Clone(h.match), o.match...)
		slices.Sort(match)
		h.match = slices.Compact(match)
	}
	h.score, h.outside, h.scattered = h.score+o.score, h.outside+o.outside, h.scattered+o.scattered
	return h
}

// searchWord finds the entries that hold the characters of a word.
func searchWord(word string, labels, details []string) []hit {
	byLabel := fuzzy.FindNoSort(word, labels)
	list := make([]hit, 0, len(byLabel))
	taken := make([]bool, len(labels))
	for _, m := range byLabel {
		list = append(list, hit{entry{item: m.Index, match: m.MatchedIndexes}, m.Score, 0, apart(word, labels[m.Index])})
		taken[m.Index] = true
	}
	for _, m := range fuzzy.FindFromNoSort(word, untaken{details, taken}) {
		if len(details[m.Index]) > longDetail && apart(word, details[m.Index]) > 0 {
			continue
		}
		list = append(list, hit{entry{item: m.Index, match: m.MatchedIndexes, inDetail: true}, m.Score, 1, apart(word, details[m.Index])})
	}
	return list
}

// pieceLetters is from how many letters on a word is looked for in one piece first: the
// first letters of words, as in "nf" for a new file, are few.
const pieceLetters = 3

// longDetail is from how many bytes on a detail is a sentence, in which a longer word is
// found in one piece only: its letters stand somewhere in most of them.
const longDetail = 60

// apart is 1 for a longer word that does not stand in a text in one piece.
func apart(word, text string) int {
	if len(word) < pieceLetters || strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
		return 0
	}
	return 1
}

// untaken are the details of entries that were not found by their label.
type untaken struct {
	details []string
	taken   []bool
}

// Len implements [fuzzy.Source].
func (u untaken) Len() int { return len(u.details) }

// String implements [fuzzy.Source].
func (u untaken) String(i int) string {
	if u.taken[i] {
		return ""
	}
	return u.details[i]
}

// needle is a query as it is searched for.
func needle(q Query) string { return strings.TrimSpace(string(q)) }
