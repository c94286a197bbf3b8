package hunks

import (
	"slices"
	"strings"
)

// Text is the text of lines.
func Text(lines []string) string { return strings.Join(lines, "") }

// Join puts a text together: of each hunk put gives what stands there, and whether that is
// the lines of the new text (true), or those of the old one unless it is a text of its own.
func (c *Compared) Join(put func(hunk int) Put) string {
	var b strings.Builder
	at := 0
	for i, h := range c.Hunks {
		write(&b, c.Old[at:h.Old.From])
		switch p := put(i); {
		case p.Text != nil:
			b.WriteString(*p.Text)
		case p.New:
			write(&b, c.New[h.New.From:h.New.To])
		default:
			write(&b, c.Old[h.Old.From:h.Old.To])
		}
		at = h.Old.To
	}
	write(&b, c.Old[at:])
	return b.String()
}

// Put is what stands in the place of a hunk: Text if it is not nil, else the lines of the
// new text or of the old one.
type Put struct {
	New  bool
	Text *string
}

func write(b *strings.Builder, lines []string) {
	for _, l := range lines {
		b.WriteString(l)
	}
}

// Editable is the text of the new lines of a hunk for an editor: without the end of the
// last one, and with line feeds for carriage returns and line feeds.
func (c *Compared) Editable(h Hunk) string {
	text := strings.TrimSuffix(Text(c.New[h.New.From:h.New.To]), "\n")
	if c.ends(h) == "\r\n" {
		text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\r")
	}
	return text
}

// Edited is what stands in the place of a hunk when an editor has made a text of
// [Compared.Editable]: lines that end as those around do, none for an empty text. The end
// of the text stays without line feed where the new text has none there.
func (c *Compared) Edited(h Hunk, text string) string {
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return ""
	}
	end := c.ends(h)
	if end != "\n" {
		text = strings.ReplaceAll(text, "\n", end)
	}
	if n := len(c.New); h.New.To == n && n > 0 && !strings.HasSuffix(c.New[n-1], "\n") && h.Old.To == len(c.Old) {
		return text
	}
	return text + end
}

// ends is what ends the lines of a hunk: all of them alike, or else a line feed.
func (c *Compared) ends(h Hunk) string {
	lines := c.New[h.New.From:h.New.To]
	if len(lines) == 0 {
		lines = c.Old[h.Old.From:h.Old.To]
	}
	whole := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasSuffix(l, "\n") })
	if len(whole) > 0 && !slices.ContainsFunc(whole, func(l string) bool { return !strings.HasSuffix(l, "\r\n") }) {
		return "\r\n"
	}
	return "\n"
}
