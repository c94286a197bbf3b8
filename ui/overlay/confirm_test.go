package overlay_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hermes-tui/internal/celltest"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

func confirm() overlay.Box {
	return overlay.NewConfirm(styles, "Change the model?", []overlay.Line{
		{Text: "gpt-5 → claude-opus-4-6 (Anthropic)"},
		{Text: "This drops the prompt cache of gpt-5: the next call sends 84k tokens anew, about $0.42."},
		{Text: "That is more than its window of 32k tokens: the conversation is shortened first.", Warn: true},
	}, hints)
}

func TestConfirmGolden(t *testing.T) {
	golden(t, "confirm", 14, confirm, nil)
	golden(t, "confirm-low", 5, confirm, func(b overlay.Box) {
		b.Move(overlay.PageDown)
	})
}

// TestConfirmScrolls reads all of a question on the smallest screen.
func TestConfirmScrolls(t *testing.T) {
	c := confirm()
	seen := ""
	for range 12 {
		seen += text(t, c, 40, 5)
		c.Move(overlay.Down)
	}
	for _, word := range []string{"gpt-5 →", "$0.42", "window", "shortened"} {
		if !strings.Contains(seen, word) {
			t.Errorf("%q was never in sight:\n%s", word, seen)
		}
	}
	c.Move(overlay.Bottom)
	c.Move(overlay.Down)
	if got := text(t, c, 40, 5); !strings.Contains(got, "shortened first") {
		t.Errorf("the end is not in sight:\n%s", got)
	}
	c.Move(overlay.Top)
	if got := text(t, c, 40, 5); !strings.Contains(got, "gpt-5 →") {
		t.Errorf("the start is not in sight:\n%s", got)
	}
	c.Type("y")
	c.Act(keys.Backspace)
	if !c.Back() {
		t.Error("there is nothing to go back from")
	}
}

func TestConfirmTakesAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 300 {
		var lines []overlay.Line
		for range r.IntN(5) {
			lines = append(lines, overlay.Line{Text: celltest.Text(r, 80), Warn: r.IntN(2) == 0})
		}
		c := overlay.NewConfirm(styles, celltest.Text(r, 20), lines, hints)
		for range 3 {
			c.Move(overlay.Move(r.IntN(6)))
			draw(t, c, r.IntN(120)+1, r.IntN(30)+1)
		}
	}
}
