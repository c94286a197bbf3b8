package ui

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
)

// cellsOf are the cells of a frame with their styles.
func cellsOf(m *Model) [][]uv.Cell {
	m.dirty = true
	text := drawn(m)
	area := uv.NewScreenBuffer(m.w, m.h)
	area.Method = ansi.GraphemeWidth
	uv.NewStyledString(text).Draw(area, area.Bounds())
	list := make([][]uv.Cell, m.h)
	for y := range list {
		for x := range m.w {
			if c := area.CellAt(x, y); c != nil {
				list[y] = append(list[y], *c)
			}
		}
	}
	return list
}

// textOf is a row without its styles.
func textOf(row []uv.Cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteString(c.Content)
	}
	return b.String()
}

// states are what colours tell of a state. The others say who speaks, or what is code.
func states(t themes.Theme) map[string]string {
	list := map[string]string{}
	for name, c := range map[string]themes.Color{
		"good": t.Good, "warn": t.Warn, "bad": t.Bad, "info": t.Info, "marked": t.SelectedBg,
		"added": t.AddedBg, "removed": t.RemovedBg, "added word": t.AddedWordBg, "removed word": t.RemovedWordBg,
	} {
		r, g, b, _ := c.RGB()
		list[string([]byte{r, g, b})] = name
	}
	return list
}

// stateOf is the state that the colours of a cell tell, empty for none.
func stateOf(c uv.Cell, known map[string]string) string {
	if c.Style.Bg != nil {
		r, g, b, _ := c.Style.Bg.RGBA()
		if s := known[string([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})]; s != "" {
			return s
		}
	}
	if c.Style.Fg != nil {
		r, g, b, _ := c.Style.Fg.RGBA()
		return known[string([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})]
	}
	return ""
}

// told reports whether a run of cells of a row tells its state without colours: by an
// attribute, or by a sign within it or right beside it.
func told(row []uv.Cell, from, to int, state string) bool {
	if strings.Contains(textOf(row[from:to]), "%") {
		return true // the number says it
	}
	for _, c := range row[from:to] {
		if c.Style.Attrs&^uv.AttrFaint != 0 || c.Style.Underline != 0 {
			return true
		}
	}
	if before := textOf(row[:from]); strings.Contains(before, "↳") || strings.HasPrefix(state, "added") && strings.Contains(before, "+") || strings.HasPrefix(state, "removed") && strings.Contains(before, "−") {
		return true // the sign of a line stands before it, or before the row above
	}
	for _, c := range row[max(from-2, 0):min(to+2, len(row))] {
		for _, r := range c.Content {
			if r > unicode.MaxLatin1 && !unicode.IsLetter(r) && !strings.ContainsRune("│┃─", r) || r == '+' || r == '!' || r == '·' {
				return true
			}
		}
	}
	return false
}

// TestNothingByColourAlone draws every situation with colours and without: what a state
// has a colour for has a sign or an attribute as well.
func TestNothingByColourAlone(t *testing.T) {
	known := states(themes.Dark())
	for _, name := range slices.Sorted(maps.Keys(screens())) {
		for _, w := range []int{60, 160} {
			m := newScreen(t, w, 40, settingsOfTests())
			screens()[name](m)
			coloured := cellsOf(m)
			m.depth = themes.Mono
			m.restyle()
			coded := 9 // rows since one that has marks of code, which the words behind it wrap after
			for y, row := range cellsOf(m) {
				if coded++; strings.Contains(textOf(row), "`") {
					coded = 0
				}
				for _, c := range row {
					if _, theirs := c.Style.Fg.(ansi.BasicColor); theirs {
						continue // of a command, taken away by the profile of the terminal
					}
					if c.Style.Fg != nil || c.Style.Bg != nil {
						t.Errorf("%s at %d: there are colours: %q", name, w, textOf(row))
						break
					}
				}
				if textOf(row) != textOf(coloured[y]) {
					if coded > 3 {
						t.Errorf("%s at %d: row %d differs\n%q\n%q", name, w, y, textOf(row), textOf(coloured[y]))
					}
					continue
				}
				for x := 0; x < len(row); {
					state, from := stateOf(coloured[y][x], known), x
					for x < len(row) && (stateOf(coloured[y][x], known) == state || row[x].Width == 0) {
						x++
					}
					if state != "" && strings.TrimSpace(textOf(row[from:x])) != "" && !told(row, from, x, state) {
						t.Errorf("%s at %d: only its colour says that %q is %s, in\n%s", name, w, textOf(row[from:x]), state, textOf(row))
					}
				}
			}
		}
	}
}
