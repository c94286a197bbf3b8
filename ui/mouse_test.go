//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestClickInTheDraft moves the cursor with the mouse: within a row, behind its
// end, to another row and below the draft.
func TestClickInTheDraft(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers()})
	d.WaitIdle().Type("one two three").Press("ctrl+j").Type("four").WaitFor(Contains("four"))
	d.ClickOn("two").Type("X").WaitFor(Contains("one Xtwo three"))
	x, y, _ := d.Screen().Find("four")
	d.Click(x+30, y).Type("Y").WaitFor(Contains("fourY"))
	d.Click(x+50, y-1).Type("Z").WaitFor(Contains("one Xtwo threeZ"))
	d.Press("f6").Click(x+1, y).Type("V").WaitFor(Contains("fVourY"))
}

// TestDragSaysHowToSelect drags where no text can be selected: the hint is one for the
// terminal.
func TestDragSaysHowToSelect(t *testing.T) {
	t.Parallel()
	for key, env := range map[string][]string{"shift": nil, "option": {"LC_TERMINAL=iTerm2"}} {
		t.Run(key, func(t *testing.T) {
			d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(), Env: env})
			d.WaitIdle().Drag(5, 28, 20, 28).WaitFor(Contains("Hold " + key + " to select text, or press alt+m."))
			d.Quit().Wait()
		})
	}
}
