package term

import (
	"encoding/base64"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Limits of what is sent to a terminal outside the screen, in cells.
const (
	titleLimit = 120
	noteLimit  = 240
)

// Bell is what every terminal and multiplexer takes as a call for attention.
const Bell = "\a"

// Title makes a text fit for a window title: one line, no control characters,
// at most 120 cells.
func Title(s string) string { return clip(s, titleLimit) }

func clip(s string, limit int) string {
	// Cutting bytes first keeps the cost of a huge text small.
	if cut := limit * 16; len(s) > cut {
		s = s[:cut]
	}
	return ansi.Truncate(strings.TrimSpace(Line(s)), limit, "…")
}

// Notification is a message for the user when the terminal is not in view.
type Notification struct {
	Title string
	Body  string
}

// Notify is what to write to raise a notification: the bell, and for terminals
// that know one, a desktop notification. Inside tmux the notification is passed
// on to the terminal when tmux allows that; otherwise the bell remains, which
// tmux shows in its status line.
func Notify(n Notification, e Env) string {
	title, body := clip(n.Title, titleLimit), clip(n.Body, noteLimit)
	seq := desktop(title, body, e.Program)
	switch {
	case seq == "":
	case e.Tmux:
		seq = ansi.TmuxPassthrough(seq)
	case e.Screen:
		seq = ansi.ScreenPassthrough(seq, screenLimit)
	}
	return Bell + seq
}

// desktop is the notification sequence a terminal understands, empty if none
// is known.
func desktop(title, body string, p Program) string {
	switch p {
	case ProgramKitty:
		return osc99(title, body)
	case ProgramGhostty, ProgramWezTerm, ProgramFoot, ProgramRxvt:
		field := strings.NewReplacer(";", ",")
		return "\x1b]777;notify;" + field.Replace(title) + ";" + field.Replace(body) + "\a"
	case ProgramITerm:
		if title != "" && body != "" {
			title += ": "
		}
		return "\x1b]9;" + title + body + "\a"
	}
	return ""
}

// osc99 is kitty's form: title and body in sequences of their own, as base64.
func osc99(title, body string) string {
	part := func(meta, s string) string {
		return "\x1b]99;i=hermes-tui:e=1:" + meta + ";" + base64.StdEncoding.EncodeToString([]byte(s)) + "\x1b\\"
	}
	if body == "" {
		return part("d=1:p=title", title)
	}
	return part("d=0:p=title", title) + part("d=1:p=body", body)
}
