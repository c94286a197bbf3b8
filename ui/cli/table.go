package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	tables "charm.land/lipgloss/v2/table"
)

// grid is a table that is printed: lines with tabs between their cells are written to it, and
// Flush prints them with the cells of a column below each other. On a terminal the columns share
// its width, and what is longer is wrapped; elsewhere each row is one line.
type grid struct {
	out   io.Writer
	width int // of the terminal, 0 for none
	text  bytes.Buffer
}

// grid begins a table on the output.
func (s *sys) grid() *grid {
	c := &grid{out: s.out}
	if _, out := s.terminal(); out {
		c.width, _, _ = s.size()
	}
	return c
}

// Write implements [io.Writer].
func (c *grid) Write(p []byte) (int, error) { return c.text.Write(p) }

// Flush prints the rows that were written.
func (c *grid) Flush() error {
	if c.text.Len() == 0 {
		return nil
	}
	var rows [][]string
	cells := 0
	for line := range strings.Lines(c.text.String()) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		rows, cells = append(rows, row), max(cells, len(row))
	}
	last := lipgloss.NewStyle()
	t := tables.New().Border(lipgloss.HiddenBorder()).BorderTop(false).BorderBottom(false).BorderLeft(false).
		BorderRight(false).BorderColumn(false).BorderRow(false).BorderHeader(false).Rows(rows...).
		StyleFunc(func(_, col int) lipgloss.Style {
			if col == cells-1 {
				return last
			}
			return last.PaddingRight(2)
		})
	text := t.String()
	if over := lipgloss.Width(text) - c.width; c.width > 0 && over > 0 {
		wrapLast(rows, cells, over)
		text = t.ClearRows().Rows(rows...).Width(min(lipgloss.Width(text), c.width)).Wrap(true).String()
	}
	for line := range strings.SplitSeq(text, "\n") {
		if _, err := fmt.Fprintln(c.out, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	c.text.Reset()
	return nil
}

// leastLast is the least width of the last column, in cells.
const leastLast = 20

// wrapLast wraps the last column, which holds what is longest, so that its table loses over cells
// of its width.
func wrapLast(rows [][]string, cells, over int) {
	width := 0
	for _, row := range rows {
		if len(row) == cells {
			width = max(width, lipgloss.Width(row[cells-1]))
		}
	}
	for _, row := range rows {
		if len(row) == cells {
			row[cells-1] = lipgloss.Wrap(row[cells-1], max(width-over, leastLast), " ")
		}
	}
}
