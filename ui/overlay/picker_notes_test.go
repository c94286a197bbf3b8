package overlay_test

import (
	"strings"
	"testing"

	"hermes-tui/ui/overlay"
)

// TestPickerNotes shows what is known of the marked entry: beside the list, below it, or
// not at all, by the room there is.
func TestPickerNotes(t *testing.T) {
	noted := func() *overlay.Picker {
		p := overlay.NewPicker(styles, overlay.PickerOptions{Title: "Sessions", Notes: true, Hints: hints})
		p.SetItems(p.Load(), many(40))
		it, _ := p.Selected()
		p.SetNotes(it.ID, []overlay.Note{
			{Text: "A name\x1b[31m", Tone: overlay.Strong}, {},
			{Text: strings.Repeat("many words 漢字 ", 60), Rows: 3}, {Text: "the end", Tone: overlay.Mine},
		})
		return p
	}
	for _, size := range []struct {
		w, h  int
		shown bool
	}{{160, 40, true}, {106, 20, true}, {80, 40, true}, {80, 24, false}, {30, 10, false}} {
		p := noted()
		drawn := text(t, p, size.w, size.h)
		if got := strings.Contains(drawn, "A name") && strings.Contains(drawn, "the end"); got != size.shown {
			t.Errorf("%d×%d: shown %v\n%s", size.w, size.h, got, drawn)
		}
		if size.shown && (!strings.Contains(drawn, "…") || strings.Count(drawn, "many words") < 3) {
			t.Errorf("%d×%d: not wrapped and cut\n%s", size.w, size.h, drawn)
		}
		p.Move(overlay.Down)
		if drawn := text(t, p, size.w, size.h); strings.Contains(drawn, "A name") {
			t.Errorf("%d×%d: shown of another entry\n%s", size.w, size.h, drawn)
		}
	}
	for w := range 170 {
		for _, h := range []int{1, 3, 5, 12, 17, 25, 26, 60} {
			draw(t, noted(), w, h)
		}
	}
}
