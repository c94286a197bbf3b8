package shellrisk

import "strings"

// words makes a set of the words in a text. The sets of this package are tables
// that never change.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
