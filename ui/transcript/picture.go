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
