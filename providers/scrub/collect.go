package scrub

import (
	"strings"
	"unicode"
)

// collector puts pieces together.
type collector struct {
	text, reasoning strings.Builder
	blank           string // white space that counts only if its block goes on
}

func (c *collector) add(pieces []Piece) {
	for _, p := range pieces {
		switch p.Kind {
		case Text:
			c.text.WriteString(p.Text)
		case Reasoning:
			if p.Begin && c.reasoning.Len() > 0 {
				c.blank = "\n\n"
			}
			full := strings.TrimRightFunc(p.Text, unicode.IsSpace)
			if full != "" {
				c.reasoning.WriteString(c.blank)
				c.reasoning.WriteString(full)
				c.blank = ""
			}
			c.blank += p.Text[len(full):]
		case Call:
		}
	}
}
