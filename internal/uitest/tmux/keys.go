package tmux

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// names are the keys that tmux calls something else than the program's key table
// does.
var names = map[string]string{
	"enter": "Enter", "return": "Enter", "tab": "Tab", "esc": "Escape", "escape": "Escape", "backspace": "BSpace", "space": "Space",
	"up": "Up", "down": "Down", "left": "Left", "right": "Right", "home": "Home", "end": "End",
	"pgup": "PageUp", "pageup": "PageUp", "pgdown": "PageDown", "pagedown": "PageDown", "insert": "IC", "delete": "DC",
}

// keyName is the name that tmux has for a key.
func keyName(key string) (string, error) {
	if key == "shift+tab" {
		return "BTab", nil
	}
	prefix, rest := "", key
	for {
		mod, after, found := strings.Cut(rest, "+")
		letter, known := map[string]string{"ctrl": "C-", "alt": "M-", "shift": "S-"}[mod]
		if !found || after == "" || !known {
			break
		}
		prefix, rest = prefix+letter, after
	}
	name, ok := names[rest]
	switch {
	case ok:
	case len(rest) > 1 && rest[0] == 'f' && strings.Trim(rest[1:], "0123456789") == "":
		name = strings.ToUpper(rest)
	case utf8.RuneCountInString(rest) == 1:
		name = rest
	default:
		return "", fmt.Errorf("there is no key %q", key)
	}
	return literal(prefix + name), nil
}

// literal is an argument as tmux has to be given it: a semicolon at the end would
// begin the next command.
func literal(arg string) string {
	if rest, ok := strings.CutSuffix(arg, ";"); ok {
		return rest + `\;`
	}
	return arg
}
