package tools

import (
	"strings"
	"unicode"
)

// FoldName makes names equal that some file system takes for equal: it drops
// characters that HFS+ ignores, and folds the case, the long s and the Kelvin
// sign included.
func FoldName(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] >= 0x80 || 'A' <= s[i] && s[i] <= 'Z' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		if 'A' <= least && least <= 'Z' {
			least += 'a' - 'A'
		}
		return least
	}, s)
}
