package shellrisk

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansiC decodes the inside of $'…'.
func ansiC(s string) string { return decodeEscapes(s, false) }

// simpleEscapes are escapes of one letter, and what they stand for.
const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\"

// decodeEscapes decodes backslash escapes as bash does: in $'…', or in echo -e,
// where octal numbers begin with a zero and \c ends the text. A NUL ends the
// text in both.
func decodeEscapes(s string, echo bool) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		text, used := decodeEscape(s[i+1:], echo)
		if used == 0 || hasHole(text) {
			break
		}
		b.WriteString(text)
		i += 1 + used
	}
	return b.String()
}

// decodeEscape decodes what follows a backslash and tells how long it is; zero
// ends the text.
func decodeEscape(s string, echo bool) (string, int) {
	for k := 0; k+1 < len(simpleEscapes); k += 2 {
		if s[0] == simpleEscapes[k] {
			return simpleEscapes[k+1 : k+2], 1
		}
	}
	switch ch := s[0]; {
	case !echo && strings.IndexByte(`'"?`, ch) >= 0:
		return s[:1], 1
	case ch == 'x' && !echo && len(s) > 1 && s[1] == '{':
		return bracedByte(s)
	case ch == 'x':
		return number(s, 1, 2, 16, false)
	case ch == 'u':
		return number(s, 1, 4, 16, true)
	case ch == 'U':
		return number(s, 1, 8, 16, true)
	case ch == 'c' && echo:
		return "", 0
	case ch == 'c' && len(s) > 1:
		if s[1] == '\\' && len(s) > 2 && s[2] == '\\' {
			return "\x1c", 3
		}
		if s[1] == '?' {
			return "\x7f", 2
		}
		return string([]byte{s[1] & 0x1f}), 2
	case ch == '0' && echo:
		text, used := number(s, 1, 3, 8, false)
		if used == 1 { // "\0" alone is a NUL
			return hole, 1
		}
		return text, used
	case ch >= '0' && ch <= '7' && !echo:
		return number(s, 0, 3, 8, false)
	}
	return "\\" + s[:1], 1
}

// number decodes up to most digits from the index on: a byte, or a character.
func number(s string, from, most, base int, character bool) (string, int) {
	end := from
	for end < len(s) && end < from+most && digit(s[end]) < base {
		end++
	}
	if end == from {
		return "\\" + s[:from], from
	}
	n, err := strconv.ParseUint(s[from:end], base, 32)
	if err != nil {
		return hole, end
	}
	if character {
		return string(utf8.AppendRune(nil, rune(n))), end
	}
	return string([]byte{byte(n)}), end
}

// bracedByte decodes "x{…}": any number of hexadecimal digits, of which the last
// two count. The closing brace may be missing.
func bracedByte(s string) (string, int) {
	value, i := 0, 2
	for ; i < len(s) && digit(s[i]) < 16; i++ {
		value = (value<<4 | digit(s[i])) & 0xff
	}
	if i < len(s) && s[i] == '}' {
		i++
	}
	return string([]byte{byte(value)}), i
}

func digit(ch byte) int {
	switch {
	case ch >= '0' && ch <= '9':
		return int(ch - '0')
	case ch >= 'a' && ch <= 'f':
		return int(ch-'a') + 10
	case ch >= 'A' && ch <= 'F':
		return int(ch-'A') + 10
	}
	return 99
}
