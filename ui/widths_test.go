//go:build unix

package ui_test

import (
	"image"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// disputed are texts whose width terminals without mode 2027 find otherwise, with the cells
// that they take there.
var disputed = map[string]int{"हिन्दी": 5, "தமிழ்": 4, "မြန်မာ": 5, "ខ្មែរ": 4, "✈️": 1, "1️⃣": 1, "🇯🇵": 2, "ไทย": 3, "한국어": 6}

// TestDisputedWidths has tables keep their edges, and the cursor stand at the caret, on
// terminals that measure characters one by one.
func TestDisputedWidths(t *testing.T) {
	t.Parallel()
	table := "| sign | end |\n|---|---|\n"
	for text := range disputed {
		table += "| " + text + " | here |\n"
	}
	d := Start(t, Options{Cols: 60, Rows: 30, Terminal: Terminal{NoGraphemes: true}, Scenario: answers(on("^table$", say(table)))})
	shown := d.Type("table").Press("enter").WaitIdle().Screen()
	column, found := -1, 0
	for y := range shown.Rows {
		row := shown.In(image.Rect(0, y, shown.Cols, y+1))
		x, _, ok := row.Find(" here")
		if !ok {
			continue
		}
		if found++; column < 0 {
			column = x
		}
		if x != column {
			t.Errorf("%q has its second column at %d, others at %d", shown.Line(y), x, column)
		}
	}
	if found != len(disputed) {
		t.Errorf("%d of %d rows are shown:\n%s", found, len(disputed), shown)
	}
	for text, cells := range disputed {
		d.Press("ctrl+u").Type(text + "x").Expect(behind(text, cells))
	}
}

// TestDisputedWidthsInTmux has the cursor stand at the caret in a real tmux.
func TestDisputedWidthsInTmux(t *testing.T) {
	t.Parallel()
	p := session(t, answers())
	p.WaitIdle()
	for text, cells := range disputed {
		p.Press("ctrl+u").Type(text + "x").WaitFor(behind(text, cells))
	}
}

// behind holds when the cursor stands behind a draft of a text and an x.
func behind(text string, cells int) Matcher {
	return Matches("has its cursor behind "+text+"x", func(s Screen) bool {
		return s.Cursor.Visible && s.Cursor.X == 3+cells+1 && strings.Contains(s.Line(s.Cursor.Y), "x")
	})
}
