package prompt

import (
	"strings"
	"unicode/utf8"

	"hermes-tui/ui/composer"
)

// maxSecret bounds a password, in bytes.
const maxSecret = 1 << 10

// Hidden is a password that is being typed. It has no history, no undo and no
// clipboard, and its bytes are overwritten when it is done with.
type Hidden struct{ typed []byte }

// Empty reports whether nothing was typed.
func (h *Hidden) Empty() bool { return len(h.typed) == 0 }

// Add appends typed or pasted text; the line end that a paste brings along is no
// part of a password.
func (h *Hidden) Add(text string) {
	text = strings.TrimRight(text, "\r\n")
	if len(h.typed)+len(text) > maxSecret {
		return
	}
	grown := make([]byte, 0, len(h.typed)+len(text))
	grown = append(append(grown, h.typed...), text...)
	h.Wipe()
	h.typed = grown
}

// Do carries out what makes sense in a text that cannot be seen.
func (h *Hidden) Do(a composer.Action) {
	switch a {
	case composer.Backspace:
		_, n := utf8.DecodeLastRune(h.typed)
		clear(h.typed[len(h.typed)-n:])
		h.typed = h.typed[:len(h.typed)-n]
	case composer.KillToStart, composer.DeleteWordLeft:
		h.Wipe()
	}
}

// Take gives the password away.
func (h *Hidden) Take() string {
	text := string(h.typed)
	h.Wipe()
	return text
}

// Wipe overwrites what was typed.
func (h *Hidden) Wipe() {
	clear(h.typed)
	h.typed = nil
}

// Dots shows how much was typed, as far as w cells go.
func (h *Hidden) Dots(w int) string {
	return strings.Repeat("•", max(min(utf8.RuneCount(h.typed), w), 0))
}
