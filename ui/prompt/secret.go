package prompt

import (
	"strings"
	"unicode/utf8"

	"hermes-tui/ui/composer"
)

// maxSecret bounds a password, in bytes.
const maxSecret = 1 << 10

// hidden is a password that is being typed. It has no history, no undo and no
// clipboard, and its bytes are overwritten when it is done with.
type hidden struct{ typed []byte }

func (h *hidden) empty() bool { return len(h.typed) == 0 }

// add appends typed or pasted text; the line end that a paste brings along is no
// part of a password.
func (h *hidden) add(text string) {
	text = strings.TrimRight(text, "\r\n")
	if len(h.typed)+len(text) > maxSecret {
		return
	}
	grown := make([]byte, 0, len(h.typed)+len(text))
	grown = append(append(grown, h.typed...), text...)
	h.wipe()
	h.typed = grown
}

// do carries out what makes sense in a text that cannot be seen.
func (h *hidden) do(a composer.Action) {
	switch a {
	case composer.Backspace:
		_, n := utf8.DecodeLastRune(h.typed)
		clear(h.typed[len(h.typed)-n:])
		h.typed = h.typed[:len(h.typed)-n]
	case composer.KillToStart, composer.DeleteWordLeft:
		h.wipe()
	}
}

// take gives the password away.
func (h *hidden) take() string {
	text := string(h.typed)
	h.wipe()
	return text
}

func (h *hidden) wipe() {
	clear(h.typed)
	h.typed = nil
}

// dots shows how much was typed, as far as w cells go.
func (h *hidden) dots(w int) string {
	return strings.Repeat("•", max(min(utf8.RuneCount(h.typed), w), 0))
}
