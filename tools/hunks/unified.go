package hunks

import (
	"strconv"
	"strings"
)

// Context is how many lines around a difference a unified one shows.
const Context = 3

// noEnd stands behind a line without line feed.
const noEnd = "\n\\ No newline at end of file\n"

// Counts are how many lines were added and removed.
func (c *Compared) Counts() (added, removed int) {
	for _, h := range c.Hunks {
		added, removed = added+h.New.Len(), removed+h.Old.Len()
	}
	return added, removed
}

// Unified is the difference in the form that programs read, empty for texts that are equal.
// from and to name the texts.
func (c *Compared) Unified(from, to string) string {
	if len(c.Hunks) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("--- " + from + "\n+++ " + to + "\n")
	for i := 0; i < len(c.Hunks); {
		n := i + 1
		for n < len(c.Hunks) && c.Hunks[n].Old.From-c.Hunks[n-1].Old.To <= 2*Context {
			n++
		}
		c.group(&b, c.Hunks[i:n])
		i = n
	}
	return b.String()
}

// group writes hunks that stand close to each other.
func (c *Compared) group(b *strings.Builder, list []Hunk) {
	first, last := list[0], list[len(list)-1]
	lead, trail := min(Context, first.Old.From), min(Context, len(c.Old)-last.Old.To)
	old := Span{first.Old.From - lead, last.Old.To + trail}
	is := Span{first.New.From - lead, last.New.To + trail}
	b.WriteString("@@ -" + place(old) + " +" + place(is) + " @@\n")
	at := old.From
	for _, h := range list {
		signed(b, ' ', c.Old[at:h.Old.From])
		signed(b, '-', c.Old[h.Old.From:h.Old.To])
		signed(b, '+', c.New[h.New.From:h.New.To])
		at = h.Old.To
	}
	signed(b, ' ', c.Old[at:old.To])
}

// place is a run of lines as the head of a group names it.
func place(s Span) string {
	switch s.Len() {
	case 0:
		return strconv.Itoa(s.From) + ",0"
	case 1:
		return strconv.Itoa(s.From + 1)
	}
	return strconv.Itoa(s.From+1) + "," + strconv.Itoa(s.Len())
}

// signed writes lines, each behind a sign.
func signed(b *strings.Builder, sign byte, lines []string) {
	for _, l := range lines {
		b.WriteByte(sign)
		if text, ok := strings.CutSuffix(l, "\n"); ok {
			b.WriteString(text)
			b.WriteByte('\n')
		} else {
			b.WriteString(l + noEnd)
		}
	}
}
