package uitest

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// snapshot is the screen as it is.
func (t *terminal) snapshot() Screen {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.picture()
}

// picture is the screen as it is; the lock is held.
func (t *terminal) picture() Screen {
	at := t.em.CursorPosition()
	s := Screen{
		Cursor: Cursor{at.X, at.Y, t.modes.dec[modeCursor]}, Title: t.title, Alt: t.em.IsAltScreen(),
		Mouse: t.modes.mouse(), Focus: t.modes.dec[modeFocus], Paste: t.modes.dec[modePaste],
	}
	cols, rows := t.em.Width(), t.em.Height()
	cells := make([]Cell, cols*rows)
	for y := range rows {
		row := cells[y*cols : (y+1)*cols : (y+1)*cols]
		for x := range row {
			row[x] = cellOf(t.em.CellAt(x, y))
		}
		widths(row)
		s.cells = append(s.cells, row)
	}
	return newScreen(s)
}

// cellOf converts a cell of the emulator.
func cellOf(c *uv.Cell) Cell {
	if c == nil || c.Content == "" && c.Width != 0 {
		return Cell{Text: " ", Width: 1}
	}
	s := c.Style
	return Cell{Text: c.Content, Width: c.Width, Link: c.Link.URL, Style: Style{
		Fg: s.Fg, Bg: s.Bg, Bold: s.Attrs&uv.AttrBold != 0, Faint: s.Attrs&uv.AttrFaint != 0,
		Italic: s.Attrs&uv.AttrItalic != 0, Underline: s.Underline != uv.UnderlineNone,
		Blink: s.Attrs&(uv.AttrBlink|uv.AttrRapidBlink) != 0, Reverse: s.Attrs&uv.AttrReverse != 0,
		Strike: s.Attrs&uv.AttrStrikethrough != 0,
	}}
}

// widths makes sure that a row is as wide as it says: what follows a wide
// character has no text, and nothing else is empty.
func widths(row []Cell) {
	for x := 0; x < len(row); {
		c := &row[x]
		if c.Width < 1 || c.Text == "" || strings.ContainsAny(c.Text, "\r\n") {
			*c = Cell{Text: " ", Width: 1, Style: c.Style}
		}
		for i := 1; i < c.Width && x+i < len(row); i++ {
			row[x+i] = Cell{Style: c.Style, Link: c.Link}
		}
		x += c.Width
	}
}

// ParseScreen is the screen after output was written to an empty one. It is for
// other sources of screens than a [Driver].
func ParseScreen(cols, rows int, output string) Screen {
	t := newTerminal(cols, rows, Terminal{Silent: true})
	done := make(chan struct{})
	go func() {
		defer close(done)
		discard(t.answers())
	}()
	t.write([]byte(output))
	s := t.snapshot()
	t.close()
	<-done
	return s
}
