package transcript

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// pictureRows say what images a text came with, one a row.
func pictureRows(b *event.Block) []string {
	var list []string
	for _, a := range b.Images {
		row := "▣ " + term.Line(a.Name)
		if a.Width > 0 && a.Height > 0 {
			row += " " + itoa(a.Width) + "×" + itoa(a.Height)
		}
		list = append(list, row+" "+format.Bytes(int64(a.Bytes)))
	}
	return list
}

// mostNamed is how many of the things that a text names have a row.
const mostNamed = 8

// namedRows say what a text names with an @ and how much of it went with it, one a row.
func namedRows(b *event.Block) []string {
	var list []string
	for _, n := range b.Named[:min(len(b.Named), mostNamed)] {
		row := term.Line(n.Word)
		if !strings.HasPrefix(row, "!") { // that is a command of the user
			row = "@" + row
		}
		if n.Tokens > 0 {
			row += " · " + format.Count(n.Tokens, "token", "tokens")
		}
		if n.Note != "" {
			row += " · " + term.Line(n.Note)
		}
		list = append(list, row)
	}
	if more := len(b.Named) - mostNamed; more > 0 {
		list = append(list, "and "+itoa(more)+" more with the message")
	}
	return list
}

// onlyMarks reports whether a text is nothing but the marks of its images, which need
// not be shown then.
func onlyMarks(b *event.Block) bool {
	const most = 4 << 10
	if b.Text.Len() > most {
		return false
	}
	rest := b.Text.String()
	for _, a := range b.Images {
		rest = strings.Replace(rest, a.Mark(), "", 1)
	}
	return strings.TrimSpace(rest) == ""
}
