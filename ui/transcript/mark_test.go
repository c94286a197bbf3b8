package transcript

import (
	"strings"
	"testing"

	"hermes-tui/agent/event"
)

// marked is whether the block that the cursor is on is on the screen.
func marked(v *View, w, h int) bool {
	return strings.Contains(plain(v.Rows(nil, w, h)), markOn)
}

// TestMarkStaysInSight scrolls with a marked block: what enter and y act on is
// always on the screen.
func TestMarkStaysInSight(t *testing.T) {
	v := newView()
	v.SetSize(40, 10)
	v.Sync(numbered(60))
	v.Select(MovePrev)
	for what, move := range map[string]func(){
		"page up": v.PageUp, "page down": v.PageDown, "to the start": v.Top, "to the end": v.Bottom,
		"a row up": func() { v.ScrollBy(-1) }, "a row down": func() { v.ScrollBy(1) }, "far up": func() { v.ScrollBy(-70) }, "far down": func() { v.ScrollBy(50) },
	} {
		for range 4 {
			if move(); v.Selected() == nil || !marked(v, 40, 10) {
				t.Fatalf("%s: the mark is out of sight:\n%s", what, plain(v.Rows(nil, 40, 10)))
			}
		}
	}
	v.Top()
	if got := v.Selected().Text.String(); got != "text 0" {
		t.Errorf("at the start %q is marked", got)
	}
	v.Bottom()
	if got := v.Selected().Text.String(); got != "answer 59" && got != "text 59" {
		t.Errorf("at the end %q is marked", got)
	}
}

// TestMarkStopsFollowing lets blocks arrive: they do not scroll the marked one away.
func TestMarkStopsFollowing(t *testing.T) {
	v := newView()
	v.SetSize(40, 10)
	all := numbered(60)
	v.Sync(all[:20])
	v.Select(MovePrev)
	at := v.Selected().ID
	for i := 20; i <= 60; i++ {
		v.Sync(all[:i])
		if v.Selected().ID != at || !marked(v, 40, 10) {
			t.Fatalf("with %d blocks the mark is out of sight:\n%s", i, plain(v.Rows(nil, 40, 10)))
		}
	}
	if v.Following() {
		t.Error("the marked block would be scrolled away")
	}
	v.SelectBlock("")
	v.Bottom()
	v.Sync(append(all, block(event.BlockAnswer, "new", "the newest")))
	if !v.Following() || !strings.Contains(plain(v.Rows(nil, 40, 10)), "the newest") {
		t.Error("without a mark it does not follow")
	}
}
