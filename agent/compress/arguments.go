package compress

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Of a long text in arguments so many characters stay, with a mark behind them.
const (
	leafKept = 200
	leafMark = "...[truncated]"
)

// cutArguments shortens the arguments of a call if they are long: every text
// value in them is cut to its beginning. Keys, their order, numbers and the
// structure stay, so what was JSON is JSON. Arguments that are not JSON become
// an empty object, as they do when they are sent. It returns false when nothing
// changed.
func cutArguments(raw string) (string, bool) {
	if !longer(raw, longArguments) {
		return raw, false
	}
	if !json.Valid([]byte(raw)) {
		return "{}", true
	}
	var out strings.Builder
	done := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := stringEnd(raw, i)
		if short, ok := cutLeaf(raw[i:end]); ok && !isKey(raw[end:]) {
			out.WriteString(raw[done:i])
			out.WriteString(short)
			done = end
		}
		i = end - 1
	}
	out.WriteString(raw[done:])
	return out.String(), done > 0
}

// stringEnd is the index behind the string that begins at i, in valid JSON.
func stringEnd(raw string, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// isKey reports whether what follows a string makes it a key.
func isKey(rest string) bool {
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":")
}

// cutLeaf cuts a quoted string. It returns false when that would not make it
// shorter.
func cutLeaf(quoted string) (string, bool) {
	if len(quoted) <= leafKept+len(leafMark)+2 {
		return "", false
	}
	text, ok := tools.Unquote(quoted)
	if !ok || !longer(text, leafKept+len(leafMark)) {
		return "", false
	}
	short := quote(shorten.Runes(text, leafKept) + leafMark)
	return short, longer(quoted, utf8.RuneCountInString(short))
}

// quote writes a JSON string without escapes that only HTML needs.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""` // a string always has a JSON form
	}
	return strings.TrimSuffix(b.String(), "\n")
}
