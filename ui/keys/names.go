package keys

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// modifiers are the names of modifier keys in the order in which Bubble Tea
// writes them, each followed by other spellings.
func modifiers() [][]string {
	return [][]string{{"ctrl", "control"}, {"alt", "option"}, {"shift"}, {"meta"}, {"hyper"}, {"super", "cmd"}}
}

// known are the names of keys that are no characters, with other spellings.
func known() map[string]string {
	names := map[string]string{
		"escape": "esc", "return": "enter", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown", "del": "delete", "ins": "insert",
	}
	for _, n := range []string{
		"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right", "insert", "delete", "pgup", "pgdown", "home", "end",
		"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15", "f16", "f17", "f18", "f19", "f20",
	} {
		names[n] = n
	}
	return names
}

// Name brings the name of a key into the form that Bubble Tea gives it:
// "Shift+Ctrl+Z" is "ctrl+shift+z". It returns false for what no key is called.
func Name(s string) (string, bool) {
	rest, held := s, map[string]bool{}
	for {
		before, after, more := strings.Cut(rest, "+")
		i := slices.IndexFunc(modifiers(), func(m []string) bool { return slices.Contains(m, strings.ToLower(before)) })
		if !more || after == "" || i < 0 {
			break
		}
		held[modifiers()[i][0]], rest = true, after
	}
	if r, n := utf8.DecodeRuneInString(rest); n == len(rest) && n > 0 {
		if !unicode.IsPrint(r) {
			return "", false
		}
		rest = character(r, held)
	} else {
		name, ok := known()[strings.ToLower(rest)]
		if !ok {
			return "", false
		}
		rest = name
	}
	var b strings.Builder
	for _, m := range modifiers() {
		if held[m[0]] {
			b.WriteString(m[0] + "+")
		}
	}
	return b.String() + rest, true
}

// character is the name of the key of a character. With shift alone the key is
// known by the capital that it writes, with other modifiers by the small letter.
func character(r rune, held map[string]bool) string {
	switch {
	case r == ' ':
		return "space"
	case len(held) == 0:
		return string(r)
	case len(held) == 1 && held["shift"] && unicode.IsLetter(r):
		delete(held, "shift")
		return string(unicode.ToUpper(r))
	}
	return string(unicode.ToLower(r))
}
