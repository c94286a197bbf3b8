package shellrisk

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/tools/unseen"
)

// hiddenCharacter finds a character that a user would not see, or that makes
// the text read differently from what runs. Joiners inside emoji and inside
// words of scripts that need them are not counted.
func hiddenCharacter(s string) (spelled string, found bool) {
	var before rune
	for i := 0; i < len(s); {
		if s[i] >= 0x20 && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t' {
			before = rune(s[i])
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return spellByte(s[i]), true
		}
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		if hides(r) && !joins(before, r, after) {
			return SpellRune(r), true
		}
		before = r
		i += size
	}
	return "", false
}

// hides reports whether a character leaves no mark of its own on a screen.
func hides(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r):
		return true
	}
	return unicode.In(r, unicode.Zl, unicode.Zp) || unseen.Hides(r)
}

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	emojiSelector      = '\ufe0f'
	textSelector       = '\ufe0e'
)

// joins reports whether a joiner or selector stands where writing needs it:
// between characters that are not ASCII, or after one.
func joins(before, r, after rune) bool {
	switch r {
	case zeroWidthJoiner:
		return before >= 0x80 && after >= 0x80
	case zeroWidthNonJoiner:
		return before >= 0x80 && after >= 0x80 && unicode.IsLetter(after)
	case emojiSelector, textSelector:
		return before >= 0x80 || after == '\u20e3' // keycaps: a digit, a selector, a frame
	}
	return false
}

// isBlank reports whether a character is a kind of space.
func isBlank(r rune) bool { return unicode.Is(unicode.Zs, r) || r == '\t' }

// SpellRune writes a character by its number.
func SpellRune(r rune) string { return fmt.Sprintf("⟨U+%04X⟩", r) }

// spellByte writes a byte that is not part of any character.
func spellByte(b byte) string { return fmt.Sprintf("⟨0x%02X⟩", b) }

// likeLatin are letters of other alphabets that look like Latin ones.
const likeLatin = "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅԌԚԜοονυιραΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"

// lookAlike finds a letter in a path that stands beside Latin ones and looks like
// one of them.
func lookAlike(text string) (rune, bool) {
	if !strings.Contains(text, "/") || strings.ContainsAny(text, " \n\t") {
		return 0, false
	}
	found, latin := rune(0), false
	for _, r := range text + "/" {
		switch {
		case r < 0x80 && !unicode.IsLetter(r):
			if found != 0 && latin {
				return found, true
			}
			found, latin = 0, false
		case r < 0x80:
			latin = true
		case strings.ContainsRune(likeLatin, r):
			found = r
		}
	}
	return 0, false
}
