package overlay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
)

func sections() []overlay.Section {
	return []overlay.Section{
		{Title: "Anywhere", Entries: []overlay.Entry{
			{Key: "esc", Text: "close what is open, then interrupt the turn"},
			{Key: "ctrl+c", Text: "clear the draft, then interrupt, then quit when pressed twice"},
		}},
		{Title: "Writing", Entries: []overlay.Entry{
			{Key: "shift+enter, alt+enter, ctrl+j", Text: "start a new line"},
			{Key: "ctrl+s", Text: "steer the running turn with the draft"},
		}},
		{Title: "Commands", Entries: []overlay.Entry{
			{Key: "/mode [manual|plan|off]", Text: "set what is asked before something runs: manual asks, plan reads only, off asks nothing"},
		}},
	}
}

func TestHelpGolden(t *testing.T) {
	help := func() overlay.Box { return overlay.NewHelp(styles, "Keys and commands", sections(), hints) }
	golden(t, "help", 24, help, nil)
	golden(t, "help-scrolled", 10, help, func(b overlay.Box) { b.Move(overlay.PageDown) })
	golden(t, "help-end", 10, help, func(b overlay.Box) { press(b, "G") })
}

func TestHelpScrolls(t *testing.T) {
	var list []overlay.Entry
	for i := range 60 {
		list = append(list, overlay.Entry{Key: fmt.Sprintf("f%d", i), Text: fmt.Sprintf("action %d", i)})
	}
	h := overlay.NewHelp(styles, "Help", []overlay.Section{{Title: "All", Entries: list}}, nil)
	contains(t, h, "All", "action 0 ", "action 18", "%")
	h.Move(overlay.Down)
	contains(t, h, "action 0 ", "action 19")
	h.Move(overlay.PageDown)
	contains(t, h, "action 19", "action 38")
	h.Move(overlay.Bottom)
	contains(t, h, "action 59", "100%")
	h.Move(overlay.Down)
	contains(t, h, "action 59")
	h.Move(overlay.PageUp)
	h.Move(overlay.Up)
	press(h, "g")
	contains(t, h, "All", "action 0 ")
	before := strings.Join(draw(t, h, 80, 24), "")
	h.SetStyles(rows.NewStyles(themes.Light()))
	if strings.Join(draw(t, h, 80, 24), "") == before {
		t.Error("another theme changes nothing")
	}
	if !h.Back() {
		t.Error("there is nothing to give up")
	}
}

func TestHelpRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for i := range 300 {
		var list []overlay.Section
		for range r.IntN(4) {
			s := overlay.Section{Title: celltest.Text(r, 20)}
			for range r.IntN(8) {
				s.Entries = append(s.Entries, overlay.Entry{Key: celltest.Text(r, 40), Text: celltest.Text(r, 80)})
			}
			list = append(list, s)
		}
		h := overlay.NewHelp(styles, celltest.Text(r, 40), list, hints)
		if i%2 == 0 {
			h.SetStyles(&rows.Styles{})
		}
		for range 6 {
			h.Move(overlay.Move(r.IntN(6)))
			w, rh := r.IntN(100), r.IntN(20)
			h.Size(w, rh)
			celltest.Check(t, h.Rows(nil, w, rh), w, rh)
		}
	}
}
