package redact

import (
	"encoding/json"
	"strings"
)

// JSON masks the strings of a JSON text one by one, as they are without their
// escapes, and the values of members by the names of these. Everything else stays as
// it is, byte for byte. A text that is no JSON object or array is masked as a whole.
func JSON(s string, mask func(string) string) string {
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") || !json.Valid([]byte(s)) {
		return mask(s)
	}
	var b strings.Builder
	last, name := 0, -1 // name is where the name before a value begins
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '}', '[', ']', ',':
			name = -1
		case '"':
			end := stringEnd(s, i)
			if rest := strings.TrimLeft(s[end:], " \t\r\n"); strings.HasPrefix(rest, ":") {
				name = i
				i = end - 1
				continue
			}
			if text, changed := maskString(s[i:end], mask); changed {
				b.WriteString(s[last:i])
				b.WriteString(text)
				last = end
			} else if name >= 0 {
				if member := mask(s[name:end]); member != s[name:end] {
					b.WriteString(s[last:name])
					b.WriteString(member)
					last = end
				}
			}
			name = -1
			i = end - 1
		}
	}
	return b.String() + s[last:]
}

// stringEnd returns where the JSON string that begins at i ends.
func stringEnd(s string, i int) int {
	for i++; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(s))
}

// maskString masks what a JSON string says, and reports whether that changed it.
func maskString(quoted string, mask func(string) string) (string, bool) {
	text := quoted[1 : len(quoted)-1]
	if strings.IndexByte(text, '\\') >= 0 && json.Unmarshal([]byte(quoted), &text) != nil {
		return quoted, false
	}
	masked := mask(text)
	if masked == text {
		return quoted, false
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(masked) != nil {
		return quoted, false
	}
	return strings.TrimSuffix(b.String(), "\n"), true
}
