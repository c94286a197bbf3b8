package term

import (
	"unicode"

	"hermes-tui/tools/unseen"
)

// maxCluster bounds what is shown as one character, in code points: a letter with its
// marks, or pictures that are joined. Terminals and the code that measures text keep
// each as a unit, so that one without a bound takes memory and time without a bound.
const maxCluster = 128

// cluster counts the code points that may be one character. It errs on the side of
// counting more: what it takes for one may be several.
type cluster struct {
	size  int
	joins bool // what comes next belongs to it, whatever it is
	// selected is set behind a selector, of which a character has one.
	selected bool
}

// next takes a code point of more than one byte. It returns false when the code point
// would make the character too long.
func (c cluster) next(r rune) (cluster, bool) {
	part := joining(r)
	switch {
	case !part && !c.joins:
		return cluster{size: 1}, true
	case c.size+2 >= maxCluster: // a plain letter before it and one behind it do not count
		return c, false
	}
	return cluster{size: c.size + 1, joins: part, selected: part && unseen.Selects(r)}, true
}

// joining reports whether a code point can be part of the character before or after
// it: marks, format characters such as the joiners, modifiers of pictures, and the
// letters that Korean syllables are composed of.
func joining(r rune) bool {
	switch {
	case r < 0x300, r >= 0x2e80 && r < 0xa4d0 && r != 0x302a && r != 0x3099 && r != 0x309a:
		return r == 0xad
	case r >= 0x1100 && r < 0x1200, r >= 0xa960 && r < 0xa980, r >= 0xd7b0 && r < 0xd800, r >= 0x1f3fb && r <= 0x1f3ff:
		return true
	}
	return unicode.In(r, unicode.M, unicode.Cf)
}
