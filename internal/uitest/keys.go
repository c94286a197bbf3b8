package uitest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Modifiers as xterm counts them, less one.
const (
	modShift = 1
	modAlt   = 2
	modCtrl  = 4
	modSuper = 8
)

var modifiers = map[string]int{
	"shift": modShift, "alt": modAlt, "option": modAlt, "ctrl": modCtrl, "super": modSuper, "cmd": modSuper,
}

// named are the keys that are not characters: either with a final letter
// (ESC [ A) or with a number (ESC [ 5 ~).
var named = map[string]struct {
	final  byte
	number int
}{
	"up": {final: 'A'}, "down": {final: 'B'}, "right": {final: 'C'}, "left": {final: 'D'},
	"end": {final: 'F'}, "home": {final: 'H'},
	"f1": {final: 'P'}, "f2": {final: 'Q'}, "f3": {final: 'R'}, "f4": {final: 'S'},
	"insert": {number: 2}, "delete": {number: 3}, "pgup": {number: 5}, "pgdown": {number: 6},
	"f5": {number: 15}, "f6": {number: 17}, "f7": {number: 18}, "f8": {number: 19},
	"f9": {number: 20}, "f10": {number: 21}, "f11": {number: 23}, "f12": {number: 24},
}

// codes are the keys with a control character of their own.
var codes = map[string]rune{"enter": '\r', "tab": '\t', "esc": 0x1b, "backspace": 0x7f, "space": ' '}

var aliases = map[string]string{
	"return": "enter", "escape": "esc", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown", "del": "delete", "ins": "insert",
}

// keyboard is how the terminal sends keys just now.
type keyboard struct {
	kitty       bool // the kitty protocol disambiguates
	application bool // cursor keys in application mode
}

// key is a key with its modifiers.
type key struct {
	mods int
	name string // a key of named, or empty
	code rune   // otherwise
}

// parseKey reads a key as the program's key tables write it: "enter", "ctrl+c",
// "alt+up", "shift+tab", "x", "X", "+", "ctrl++".
func parseKey(s string) (key, error) {
	var k key
	rest := s
	for {
		mod, after, found := strings.Cut(rest, "+")
		bit, known := modifiers[mod]
		if !found || after == "" || !known {
			break
		}
		k.mods |= bit
		rest = after
	}
	if a, ok := aliases[rest]; ok {
		rest = a
	}
	if _, ok := named[rest]; ok {
		k.name = rest
		return k, nil
	}
	if c, ok := codes[rest]; ok {
		k.code = c
		return k, nil
	}
	r, n := utf8.DecodeRuneInString(rest)
	if n != len(rest) || n == 0 || r == utf8.RuneError || !unicode.IsGraphic(r) {
		return key{}, fmt.Errorf(
			"there is no key %q: keys are single characters and names such as enter, esc, pgup, f5, with ctrl+, alt+, shift+ before them", s)
	}
	k.code = r
	return k, nil
}

// encode gives the bytes that a terminal sends for a key.
func (k key) encode(b keyboard) string {
	switch {
	case k.name != "":
		return k.function(b)
	case b.kitty && k.disambiguated():
		return fmt.Sprintf("\x1b[%d;%du", unshifted(k.code, k.mods), k.mods+1)
	}
	if text, ok := k.legacy(); ok {
		return text
	}
	if b.kitty {
		return fmt.Sprintf("\x1b[%d;%du", unshifted(k.code, k.mods), k.mods+1)
	}
	return fmt.Sprintf("\x1b[27;%d;%d~", k.mods+1, k.code)
}

// function encodes the keys of named.
func (k key) function(b keyboard) string {
	n := named[k.name]
	mod := strconv.Itoa(k.mods + 1)
	switch {
	case n.number != 0 && k.mods == 0:
		return fmt.Sprintf("\x1b[%d~", n.number)
	case n.number != 0:
		return fmt.Sprintf("\x1b[%d;%s~", n.number, mod)
	case k.mods != 0:
		return "\x1b[1;" + mod + string(n.final)
	case b.application || n.final >= 'P':
		return "\x1bO" + string(n.final)
	}
	return "\x1b[" + string(n.final)
}

// disambiguated reports whether the kitty protocol sends a key as a code, not as
// text.
func (k key) disambiguated() bool {
	switch k.code {
	case 0x1b:
		return true
	case '\r', '\t', 0x7f:
		return k.mods != 0
	}
	return k.mods&^modShift != 0
}

// legacy is the form of a key that terminals have always sent; false when there
// is none.
func (k key) legacy() (string, bool) {
	prefix, mods := "", k.mods
	if mods&modAlt != 0 {
		if strings.ContainsRune("[]OPX^_", k.code) {
			return "", false // after an escape these begin a sequence
		}
		prefix, mods = "\x1b", mods&^modAlt
	}
	switch {
	case mods == 0:
		return prefix + string(k.code), true
	case k.mods == modShift && k.code == '\t':
		return "\x1b[Z", true
	case mods == modShift && unicode.IsLetter(k.code):
		return prefix + string(unicode.ToUpper(k.code)), true
	case mods == modCtrl:
		if c, ok := control(k.code); ok {
			return prefix + string(c), true
		}
	}
	return "", false
}

// control is the control character of ctrl and a key.
func control(code rune) (rune, bool) {
	switch {
	case code >= 'a' && code <= 'z':
		return code - 'a' + 1, true
	case code >= '[' && code <= '_', code == '@':
		return code - '@', true
	case code == ' ':
		return 0, true
	}
	return 0, false
}

// unshifted is the code that the kitty protocol reports for a letter.
func unshifted(code rune, mods int) rune {
	if mods != 0 {
		return unicode.ToLower(code)
	}
	return code
}
