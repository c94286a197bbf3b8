package overlay

import (
	"sort"
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

// search finds the entries that hold the characters of a query in their order:
// in the label, or else in the detail. The best come first, those found by
// their label before the others; entries that fit equally well keep their order.
func search(query string, labels, details []string) []entry {
	byLabel := fuzzy.FindNoSort(query, labels)
	sort.Stable(byLabel)
	list := make([]entry, 0, len(byLabel))
	taken := make([]bool, len(labels))
	for _, m := range byLabel {
		list = append(list, entry{item: m.Index, match: m.MatchedIndexes})
		taken[m.Index] = true
	}
	rest := fuzzy.FindFromNoSort(query, untaken{details, taken})
	sort.Stable(rest)
	for _, m := range rest {
		list = append(list, entry{item: m.Index, match: m.MatchedIndexes, inDetail: true})
	}
	return list
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
