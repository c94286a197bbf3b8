package transcript

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
)

// A command's row says how it ran; a host is named where there is room, and all of
// them when the row is opened.
func TestHowACommandRan(t *testing.T) {
	at := func(w int, opened bool, change func(*event.CallView)) string {
		v := newView()
		v.FoldAll(!opened)
		b := call("c1", "terminal", "npm install", event.ViewCommand, func(_ *event.Block, c *event.Call) {
			c.View.Body = "added 3 packages"
			change(&c.View)
		})
		v.Sync([]*event.Block{b})
		frame := v.Rows(nil, w, 8)
		checkFrame(t, frame, w, 8)
		return ansi.Strip(strings.Join(frame, "\n"))
	}
	confined := func(c *event.CallView) {
		c.Ran, c.Hosts = event.RanConfined, []string{"registry.npmjs.org", "evil.example\x1b[31m"}
	}
	for _, c := range []struct {
		w      int
		opened bool
		change func(*event.CallView)
		says   string
		not    string
	}{
		{120, false, confined, "confined → registry.npmjs.org +1", "evil"},
		{120, true, confined, "confined → registry.npmjs.org, evil.example", "\x1b"},
		{60, false, confined, "confined", "registry"},
		{36, false, confined, "npm install", "confined"},
		{120, false, func(c *event.CallView) { c.Ran = event.RanOutside }, "outside", "→"},
		{120, false, func(*event.CallView) {}, "npm install", "confined"},
	} {
		if got := at(c.w, c.opened, c.change); !strings.Contains(got, c.says) || strings.Contains(got, c.not) {
			t.Errorf("%d cells, opened %v: want %q, not %q:\n%s", c.w, c.opened, c.says, c.not, got)
		}
	}
}
