package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes-tui/tools/shorten"
)

// Protection says which results of a tool stay as they are when a long conversation
// is made shorter.
type Protection int

// What is protected.
const (
	// ProtectNone protects nothing: an old result becomes one line.
	ProtectNone Protection = iota
	// ProtectNewest protects the newest result, unless it is very long.
	ProtectNewest
	// ProtectAll protects every result.
	ProtectAll
)

// Members are the members of a JSON object as they were written, for
// [Tool.Summarise]; nil is no object.
type Members map[string]json.RawMessage

// ParseMembers reads a JSON object; anything else has no members.
func ParseMembers(raw string) Members {
	var m Members
	if !strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), "{") || json.Unmarshal([]byte(raw), &m) != nil {
		return nil
	}
	return m
}

// Has reports whether there is a member of a name.
func (m Members) Has(key string) bool { return m[key] != nil }

// Text is a member that is a string, empty otherwise.
func (m Members) Text(key string) string {
	if !m.Has(key) {
		return ""
	}
	text, _ := Unquote(string(m[key]))
	return text
}

// Unquote reads valid JSON as a text, and reports whether it is one. null is empty.
func Unquote(raw string) (text string, ok bool) {
	if n := len(raw) - 1; n > 0 && raw[0] == '"' && strings.IndexByte(raw, '\\') < 0 && utf8.ValidString(raw) {
		return raw[1:n], true // as most are, with nothing to undo
	}
	if json.Unmarshal([]byte(raw), &text) != nil {
		return "", false
	}
	return text, true
}

// Number is a member that is a whole number.
func (m Members) Number(key string) (int, bool) {
	var n *float64
	if !m.Has(key) || json.Unmarshal(m[key], &n) != nil || n == nil || *n != float64(int(*n)) {
		return 0, false
	}
	return int(*n), true
}

// maxSummaryPath is how much of a path a summary shows, in characters.
const maxSummaryPath = 100

// Path is the member "path", short enough for a summary.
func (m Members) Path() string { return shorten.Line(m.Text("path"), maxSummaryPath) }

// Plural is a number with the word for it: "1 line", "1,200 lines".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Grouped writes a number with commas between its groups of three.
func Grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// CountLines counts the lines of a text; one without an end counts.
func CountLines(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}
