package tools

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// maxCandidates bounds the names that are looked at.
const maxCandidates = 10_000

// SimilarNames gives those of the candidates that someone may have meant by a
// file name, best first, at most limit of them. Case does not matter.
func SimilarNames(name string, candidates []string, limit int) []string {
	type scored struct {
		name  string
		score int
	}
	var found []scored
	for _, c := range candidates[:min(len(candidates), maxCandidates)] {
		if s := similarity(name, c); s > 0 {
			found = append(found, scored{c, s})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		return cmp.Or(b.score-a.score, distance(a.name, name)-distance(b.name, name), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range found[:min(limit, len(found))] {
		names = append(names, f.name)
	}
	return names
}

// distance is the difference in length of two names.
func distance(a, b string) int { return max(len(a)-len(b), len(b)-len(a)) }

// similarity ranks how alike two file names are: equal but for case, the same
// stem, one the beginning of the other, one inside the other, or half of the
// letters and the same extension. 0 is not alike.
func similarity(want, have string) int {
	want, have = strings.ToLower(want), strings.ToLower(have)
	wantExt, haveExt := filepath.Ext(want), filepath.Ext(have)
	wantStem, haveStem := strings.TrimSuffix(want, wantExt), strings.TrimSuffix(have, haveExt)
	switch {
	case want == "" || have == "":
		return 0
	case want == have:
		return 100
	case wantStem == haveStem:
		return 90
	case wantStem != "" && strings.HasPrefix(have, wantStem), haveStem != "" && strings.HasPrefix(want, haveStem):
		return 70
	case wantStem != "" && strings.Contains(have, wantStem):
		return 60
	case len(haveStem) > 2 && strings.Contains(want, haveStem):
		return 40
	case wantExt == haveExt && overlap(wantStem, haveStem):
		return 30
	}
	return 0
}

// overlap reports whether at least half of the different letters of two names are
// the same.
func overlap(a, b string) bool {
	letters := func(s string) map[rune]bool {
		set := map[rune]bool{}
		for _, r := range s {
			set[r] = true
		}
		return set
	}
	in, other := letters(a), letters(b)
	shared := 0
	for r := range in {
		if other[r] {
			shared++
		}
	}
	return shared > 0 && 2*shared >= max(len(in), len(other))
}
