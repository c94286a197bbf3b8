package uitest

import (
	"encoding/base64"
	"strings"
)

// command carries out an operating system command: ESC ] payload BEL.
func (t *terminal) command(payload string) {
	number, rest, _ := strings.Cut(payload, ";")
	switch number {
	case "0", "2":
		t.setTitle(rest)
	case "1": // the name of the icon
	case "8":
		params, address, _ := strings.Cut(rest, ";")
		// The emulator takes the two the other way round.
		t.forward("8;" + strings.ReplaceAll(address, ";", "%3B") + ";" + params)
	case "9":
		if state, ok := strings.CutPrefix(rest, "4;"); ok {
			t.modes.progress = !strings.HasPrefix(state, "0")
		} else {
			t.notes = append(t.notes, rest)
		}
	case "777":
		t.notes = append(t.notes, strings.TrimPrefix(rest, "notify;"))
	case "99":
		_, text, _ := strings.Cut(rest, ";")
		t.notes = append(t.notes, text)
	case "52":
		t.copied(rest)
	default:
		t.colour(number, rest)
		t.forward(payload)
	}
}

// copied takes what a program put into the clipboard.
func (t *terminal) copied(rest string) {
	_, data, _ := strings.Cut(rest, ";")
	if text, err := base64.StdEncoding.DecodeString(data); err == nil {
		t.clip = string(text)
	}
}

// colour notes which colours are not the terminal's own.
func (t *terminal) colour(number, rest string) {
	switch number {
	case "4", "10", "11", "12":
		if !strings.HasSuffix(rest, "?") {
			t.modes.colours[number] = true
		}
	case "104":
		delete(t.modes.colours, "4")
	case "110", "111", "112":
		delete(t.modes.colours, number[1:])
	}
}

// forward hands a command to the emulator, in the characters it can read.
func (t *terminal) forward(payload string) {
	plain := []byte("\x1b]" + payload + "\x07")
	for i, b := range plain {
		if b >= 0x80 {
			plain[i] = '?'
		}
	}
	_, _ = t.em.Write(plain)
}
