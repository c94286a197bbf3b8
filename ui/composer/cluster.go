package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/ui/rows"
)

// Inside the buffer a collapsed paste stands as a reference: refOpen, the
// decimal id of its chip, refClose. Both are control characters, which no text
// from outside can bring in, and they end every cluster beside them.
const (
	refOpen  = '\x01'
	refClose = '\x02'
)

// next is the end of the cluster that begins at off, which is before the end of
// the text.
func next(text string, off int) int {
	switch c := text[off]; {
	case c == refOpen:
		if n := strings.IndexByte(text[off:], refClose); n >= 0 {
			return off + n + 1
		}
		return len(text)
	case c < utf8.RuneSelf && (off+1 == len(text) || text[off+1] < utf8.RuneSelf):
		return off + 1
	}
	cluster, _ := rows.Cluster(text[off:])
	return off + max(len(cluster), 1)
}

// prev is the start of the cluster that ends at off, which is a boundary after
// the start of the text.
func prev(text string, off int) int {
	if text[off-1] == refClose {
		return max(strings.LastIndexByte(text[:off], refOpen), 0)
	}
	if off == 1 || text[off-1] < utf8.RuneSelf && text[off-2] < utf8.RuneSelf {
		return off - 1
	}
	at := anchor(text, off)
	for {
		end := next(text, at)
		if end >= off {
			return at
		}
		at = end
	}
}

// snap is the first boundary between clusters at or after off.
func snap(text string, off int) int {
	if off <= 0 || off >= len(text) {
		return min(max(off, 0), len(text))
	}
	at := anchor(text, off)
	for at < off {
		at = next(text, at)
	}
	return at
}

// anchor is a boundary before off, near it where the text allows: the next one
// back between two characters that never join their neighbours.
func anchor(text string, off int) int {
	if text[off-1] == refClose {
		return max(strings.LastIndexByte(text[:off], refOpen), 0)
	}
	right, size := utf8.DecodeLastRuneInString(text[:off])
	for off -= size; off > 0; off -= size {
		var left rune
		left, size = utf8.DecodeLastRuneInString(text[:off])
		if left == refClose || steady(left) && steady(right) {
			return off
		}
		right = left
	}
	return 0
}

// steady reports whether a character joins neither what stands before it nor what
// stands after it into one cluster. It says so only of common ones.
func steady(r rune) bool {
	switch {
	case r >= 0x20 && r < 0x7f:
		return true
	case r >= 0xc0 && r < 0x300, r >= 0x391 && r < 0x483, r >= 0x48a && r < 0x530:
		return true // Latin, Greek, Cyrillic
	case r >= 0x3001 && r < 0x302a, r >= 0x3041 && r < 0x3097, r >= 0x30a1 && r < 0x30fb:
		return true // CJK punctuation, kana
	case r >= 0x3400 && r < 0x4dc0, r >= 0x4e00 && r < 0xa000, r >= 0xff01 && r < 0xff5f:
		return true // ideographs, fullwidth forms
	}
	return false
}

// class sorts clusters for moving by words.
type class uint8

const (
	blank class = iota
	word
	sign
	paste
)

func classOf(cluster string) class {
	r, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case r == refOpen:
		return paste
	case unicode.IsSpace(r):
		return blank
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return word
	}
	return sign
}
