// Package unseen knows the characters that no one sees.
//
// It is the one list of characters that leave no mark of their own on a screen, or change
// the order of what stands around them, and of where writing needs one of them all the
// same. What hides in a text is what a model reads and a user does not: letters as tags
// (U+E0000 and on), bytes as variation selectors behind any character, words cut by soft
// hyphens, bits as joiners.
//
// The functions are pure and keep nothing. Controls (line feeds, escapes) and characters
// for private use are not in the list: what they mean depends on who reads them.
package unseen

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The characters that are named below.
const (
	softHyphen    = '\u00ad'
	nonJoiner     = '\u200c'
	joiner        = '\u200d'
	byteOrderMark = '\ufeff'
	keycap        = '\u20e3'
	blackFlag     = '\U0001f3f4'
)

// Hides reports whether a character cannot be seen or reorders others: format characters
// but for those that are drawn around numbers, variation selectors, tags, and fillers and
// blanks that count as letters or symbols.
func Hides(r rune) bool {
	switch {
	case r < softHyphen, r > 0x3164 && r < 0xfe00:
		return false
	case r < 0x2000:
		switch r {
		case softHyphen, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x17b5:
			return true
		}
		return r >= 0x180b && r <= 0x180f
	case r < 0xfe00:
		return r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0x2800 || r == 0x3164
	case r < 0x10000:
		return r <= 0xfe0f || r == byteOrderMark || r == 0xffa0 || r >= 0xfff0 && r <= 0xfffb
	case r < 0xe0000:
		return r >= 0x13430 && r <= 0x1343f || r >= 0x1bca0 && r <= 0x1bca3 || r == 0x1d159 || r >= 0x1d173 && r <= 0x1d17a
	}
	return r <= 0xe0fff
}

// Part reports whether a character of the list is an ordinary part of writing beside some
// others, so that it takes the text around it to know whether something hides: joiners,
// selectors, fillers of Korean syllables, the soft hyphen, the empty pattern of Braille.
func Part(r rune) bool {
	switch r {
	case softHyphen, 0x034f, 0x115f, 0x1160, nonJoiner, joiner, 0x2800:
		return true
	}
	return Selects(r)
}

// Selects reports whether a character chooses a form of the one before it.
func Selects(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}

// All yields the characters that hide something in a text, with their places in bytes, in
// order. Those that stand where spelling needs them are left out: a byte-order mark at the
// very start, joiners between characters that are not ASCII, one selector behind a character
// that can have it, the tags of a flag, marks of direction beside writing from right to left.
func All(text string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		before := rune(-1)
		for i := 0; i < len(text); {
			if text[i] < utf8.RuneSelf {
				before = rune(text[i])
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(text[i:])
			if r == blackFlag {
				n += flagTags(text[i+n:])
			}
			if Hides(r) && !ordinary(text, i, before, r, n) && !yield(i, r) {
				return
			}
			before = r
			i += n
		}
	}
}

// Strip is a text without what hides in it. Bytes that are not UTF-8 become U+FFFD: without
// what stood between them they could be a character.
func Strip(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	var b strings.Builder
	last := 0
	for i, r := range All(text) {
		b.WriteString(text[last:i])
		last = i + utf8.RuneLen(r)
	}
	if last == 0 {
		return text
	}
	b.WriteString(text[last:])
	return b.String()
}

// ordinary reports whether the character r of n bytes at i is where spelling needs it.
func ordinary(text string, i int, before, r rune, n int) bool {
	after, _ := utf8.DecodeRuneInString(text[i+n:])
	if i+n == len(text) {
		after = -1
	}
	switch r {
	case byteOrderMark:
		return i == 0
	case joiner, nonJoiner:
		// Behind a selector there is a picture, whose parts are joined.
		return before >= 0x80 && (!Hides(before) || Selects(before)) && after >= 0x80 && !Hides(after)
	case '\u200e', '\u200f', '\u061c':
		return nearLetter(text[:i], true) || nearLetter(text[i+n:], false)
	case 0x115f, 0x1160: // what a Korean syllable begins or goes on with where it lacks that
		return before >= 0x1100 && before <= 0x115f || after >= 0x1160 && after <= 0x11a7
	case 0x2800:
		return before > 0x2800 && before <= 0x28ff || after > 0x2800 && after <= 0x28ff
	}
	switch {
	case !Selects(r) || before < 0 || Hides(before):
		return false
	case r >= 0xe0100:
		return unicode.Is(unicode.Han, before)
	case r < 0xfe00:
		return unicode.Is(unicode.Mongolian, before)
	}
	return before >= 0x80 || after == keycap && strings.ContainsRune("0123456789#*", before)
}

// rightToLeft are the scripts in which marks of direction are written.
var rightToLeft = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam}

// nearest bounds how far a mark of direction may be from the letters that need it.
const nearest = 8

// nearLetter reports whether the nearest letter of a text, seen from its end or its start, is
// written from right to left.
func nearLetter(text string, fromEnd bool) bool {
	for range nearest {
		r, n := utf8.DecodeRuneInString(text)
		if fromEnd {
			r, n = utf8.DecodeLastRuneInString(text)
		}
		switch {
		case n == 0 || r == '\n':
			return false
		case unicode.IsLetter(r):
			return unicode.In(r, rightToLeft...)
		case fromEnd:
			text = text[:len(text)-n]
		default:
			text = text[n:]
		}
	}
	return false
}

// flags are those of England, Scotland and Wales, the only ones that are written with tags.
var flags = []string{"gbeng", "gbsct", "gbwls"}

// flagTags is the length of the tags that make a flag, at the start of a text, in bytes.
func flagTags(text string) int {
	const tag, size, end = 0xe0000, 4, '\U000e007f'
	var name []byte
	for rest := text; len(rest) >= size; rest = rest[size:] {
		switch r, _ := utf8.DecodeRuneInString(rest); {
		case r == end && slices.Contains(flags, string(name)):
			return size * (len(name) + 1)
		case r < tag || r >= end || len(name) == len(flags[0]):
			return 0
		default:
			name = append(name, byte(r-tag))
		}
	}
	return 0
}
