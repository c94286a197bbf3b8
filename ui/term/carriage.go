package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// maxColumns bounds how far to the right a sequence may move the cursor of a
// line that [CarriageReturns] draws.
const maxColumns = 4096

// CarriageReturns applies carriage returns, backspaces and the sequences that
// erase or move within a line, as a terminal would: of a progress bar only its
// newest state is left. Lines without any are returned as they are. The result
// still has to go through [Sanitize]; it is meant for the tail of a running
// command, the caller cuts it to the part it shows.
func CarriageReturns(s string) string {
	if !strings.ContainsAny(s, "\r\b") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		body, end := line, ""
		if strings.HasSuffix(body, "\n") {
			body, end = strings.TrimSuffix(body[:len(body)-1], "\r"), "\n"
		}
		if strings.ContainsAny(body, "\r\b") {
			body = redraw(body)
		}
		b.WriteString(body)
		b.WriteString(end)
	}
	return b.String()
}

// glyph is what stands in a column. The right half of a wide character has
// width 0 and no text.
type glyph struct {
	text  string
	width int
	pen   pen
}

// tracks is a line that is written to at any column.
type tracks struct {
	cells []glyph
	col   int
	pen   pen
}

func redraw(line string) string {
	var t tracks
	p := ansi.NewParser()
	for decoder := byte(0); line != ""; {
		seq, width, n, next := ansi.DecodeSequence(line, decoder, p)
		decoder = next
		switch {
		case width > 0:
			t.put(seq, width)
		case seq == "\r":
			t.col = 0
		case seq == "\b":
			t.col = max(t.col-1, 0)
		case strings.HasPrefix(seq, "\x1b["):
			t.control(seq, p)
		case seq == "\t":
			t.put(" ", 1)
		case len(seq) > 0 && seq[0] >= 0xa0 && t.col > 0 && t.col <= len(t.cells):
			t.cells[t.col-1].text += seq // a mark on the character before
		}
		line = line[max(n, 1):]
	}
	return t.String()
}

func (t *tracks) put(text string, width int) {
	t.reach(t.col + width)
	for i := t.col; i < t.col+width; i++ {
		t.split(i)
		t.cells[i] = glyph{pen: t.pen}
	}
	t.cells[t.col] = glyph{text: text, width: width, pen: t.pen}
	t.col += width
}

// reach makes the line at least n columns long.
func (t *tracks) reach(n int) {
	for len(t.cells) < n {
		t.cells = append(t.cells, glyph{text: " ", width: 1})
	}
}

// split turns a wide character that covers column i into blanks.
func (t *tracks) split(i int) {
	from := i
	for from > 0 && t.cells[from].width == 0 {
		from--
	}
	if t.cells[from].width == 1 {
		return
	}
	for n := t.cells[from].width; n > 0 && from < len(t.cells); n-- {
		t.cells[from] = glyph{text: " ", width: 1}
		from++
	}
}

func (t *tracks) control(seq string, p *ansi.Parser) {
	arg := func(missing int) int {
		n, _ := p.Param(0, missing)
		return n
	}
	switch cmd := ansi.Cmd(p.Command()); {
	case cmd.Prefix() != 0 || cmd.Intermediate() != 0:
	case cmd.Final() == 'm':
		t.pen.apply(seq[2 : len(seq)-1])
	case cmd.Final() == 'K':
		t.erase(arg(0))
	case cmd.Final() == 'G':
		t.move(max(arg(1), 1) - 1)
	case cmd.Final() == 'C':
		t.move(t.col + max(arg(1), 1))
	case cmd.Final() == 'D':
		t.move(t.col - max(arg(1), 1))
	}
}

func (t *tracks) move(col int) { t.col = min(max(col, 0), max(maxColumns, len(t.cells))) }

// erase blanks the line from the cursor on (0), up to it (1) or all of it (2).
func (t *tracks) erase(mode int) {
	switch mode {
	case 0:
		if t.col < len(t.cells) {
			t.split(t.col)
			t.cells = t.cells[:t.col]
		}
	case 1:
		t.reach(t.col + 1)
		t.split(t.col)
		for i := 0; i <= t.col; i++ {
			t.cells[i] = glyph{text: " ", width: 1}
		}
	case 2:
		t.cells = t.cells[:0]
	}
}

func (t *tracks) String() string {
	var b strings.Builder
	var now pen
	for _, c := range t.cells {
		if c.width > 0 && c.pen != now {
			if b.WriteString("\x1b[m"); c.pen != (pen{}) {
				b.WriteString(c.pen.open())
			}
			now = c.pen
		}
		b.WriteString(c.text)
	}
	if now != (pen{}) {
		b.WriteString("\x1b[m")
	}
	return strings.TrimRight(b.String(), " ")
}
