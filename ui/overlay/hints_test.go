package overlay

import (
	"testing"

	"hermes-tui/ui/status"
)

// TestHintLine names whole hints in a window of any width, and says that there are more.
func TestHintLine(t *testing.T) {
	t.Parallel()
	hints := []status.Hint{{Key: "enter", Text: "open"}, {Key: "alt+r", Text: "rename"}, {Key: "esc", Text: "close"}}
	for w, want := range map[int]string{
		37 + edgeCells - 1: "enter open · alt+r rename · …",
		37 + edgeCells:     "enter open · alt+r rename · esc close", 29 + edgeCells: "enter open · alt+r rename · …",
		28 + edgeCells: "enter open · …", 8: "enter open · …",
	} {
		if got := hintLine(hints, w); got != want {
			t.Errorf("in %d cells: %q, want %q", w, got, want)
		}
	}
	if got := hintLine(nil, 40); got != "" {
		t.Errorf("without hints: %q", got)
	}
}
