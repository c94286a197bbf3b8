package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/term"
)

// thinkingOf is reasoning that goes on.
func thinkingOf(text event.Text, rev uint64) *event.Block {
	return &event.Block{ID: "r", Kind: event.BlockReasoning, Turn: "t1", At: noon, Rev: rev, Open: true, Text: text}
}

// TestReasoningRow shows how the row of reasoning reads while it goes on, when
// something has followed it, and when it is over.
func TestReasoningRow(t *testing.T) {
	at := func(b *event.Block, after time.Duration, more ...*event.Block) string {
		v := newView()
		v.SetSize(60, 8)
		v.Sync(append([]*event.Block{b}, more...))
		v.Tick(noon.Add(after), 0)
		frame := v.Rows(nil, 60, 8)
		checkFrame(t, frame, 60, 8)
		for _, r := range strings.Split(plain(frame), "\n") {
			if strings.Contains(r, "Th") {
				return strings.TrimSpace(r)
			}
		}
		return plain(frame)
	}
	long := strings.Repeat("a thought. ", 113) // 1243 bytes
	follows := block(event.BlockAnswer, "a", "So")
	follows.At = noon.Add(7 * time.Second)
	over := func(text string, took time.Duration) *event.Block {
		b := block(event.BlockReasoning, "r", text)
		b.Took = took
		return b
	}
	for want, got := range map[string]string{
		"▸ Thinking 4.2s · ~311 tokens": at(thinkingOf(event.NewText(long), 1), 4200*time.Millisecond),
		"▸ Thinking 0.0s · ~1 token":    at(thinkingOf(event.NewText("Hm."), 1), -time.Second),
		"▸ Thought 7.0s · ~311 tokens":  at(thinkingOf(event.NewText(long), 1), time.Minute, follows),
		"▸ Thought 41s · ~1.2k tokens":  at(over(strings.Repeat(long, 4), 41*time.Second), time.Hour),
		"▸ Thought ~1 token":            at(over("Hm.", 0), time.Hour),
		"▸ Thought 3.0s":                at(over("", 3*time.Second), time.Hour),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestReasoningTicks holds that time changes one row of reasoning, and that the
// others are not even made again.
func TestReasoningTicks(t *testing.T) {
	for _, folded := range []bool{true, false} {
		v := newView()
		v.FoldAll(folded)
		v.SetSize(60, 300)
		v.Sync([]*event.Block{thinkingOf(event.NewText(lines(500)), 1)})
		v.Tick(noon.Add(time.Second), 1)
		before := v.Rows(nil, 60, 300)
		e := v.parts[0].entry
		kept, own := &e.flowing[0], &e.rows[0]
		v.Tick(noon.Add(2*time.Second), 2)
		after := v.Rows(nil, 60, 300)
		if v.parts[0].entry != e || &e.flowing[0] != kept || &e.rows[0] != own {
			t.Errorf("folded %v: a tick has made the rows again", folded)
		}
		changed := 0
		for i := range after {
			if after[i] != before[i] {
				changed++
			}
		}
		if changed != 1 || !strings.Contains(plain(after), "Thinking 2.0s") {
			t.Errorf("folded %v: %d rows changed:\n%s", folded, changed, plain(after[:5]))
		}
		if !v.Animating() {
			t.Errorf("folded %v: nothing moves", folded)
		}
	}
	// With its row out of view nothing moves.
	v := newView()
	v.FoldAll(false)
	v.SetSize(60, 20)
	v.Sync([]*event.Block{thinkingOf(event.NewText(lines(500)), 1)})
	v.Rows(nil, 60, 20)
	at := v.Version()
	v.Tick(noon.Add(time.Second), 1)
	if v.Animating() || v.Version() != at {
		t.Error("rows of a text move")
	}
	if v.Top(); !v.Animating() {
		t.Error("the row in view does not move")
	}
}

// TestOpening compares with breaking all of a text, and holds that little of a
// long one is looked at.
func TestOpening(t *testing.T) {
	for _, text := range []string{"", "\n\n", "one", lines(3), lines(300), strings.Repeat("word ", 900), "a\r\nb\x1b[31m\tc\n"} {
		for _, w := range []int{1, 7, 60} {
			got, left := opening(event.NewText(text), w, 5, markdown.Wrap)
			want, wantLeft := head(strings.TrimRight(term.Plain(text), "\n"), w, 5, markdown.Wrap)
			if fmt.Sprint(got) != fmt.Sprint(want) || len(text) < 160 && left != wantLeft || (left > 0) != (wantLeft > 0) {
				t.Errorf("%.20q at %d: %q %d, want %q %d", text, w, got, left, want, wantLeft)
			}
		}
	}
	text := event.NewText(lines(100_000))
	got, left := opening(text, 80, window, markdown.Wrap)
	if len(got) != window || left != 100_000-window {
		t.Errorf("%d rows and %d lines are left", len(got), left)
	}
	if n := testing.AllocsPerRun(5, func() { opening(text, 80, window, markdown.Wrap) }); n > 2000 {
		t.Errorf("%v allocations", n)
	}
	// A character is never parted.
	got, _ = opening(event.NewText(strings.Repeat("e\u0301", 50_000)), 80, window, markdown.Wrap)
	for _, r := range got {
		if strings.Contains(r, "\ufffd") {
			t.Fatalf("row %q", r)
		}
	}
}

// TestHidingReasoning hides and shows what the model thought: everything else
// stays where it is.
func TestHidingReasoning(t *testing.T) {
	var blocks []*event.Block
	for i := range 40 {
		b := block(event.BlockReasoning, fmt.Sprint("r", i), "thoughts of mine")
		blocks = append(blocks, b, block(event.BlockAnswer, fmt.Sprint("a", i), fmt.Sprintf("answer %d\n\nand more of it", i)))
	}
	v := newView()
	v.SetSize(40, 12)
	v.Sync(blocks)
	v.ScrollBy(-40)
	v.SelectBlock(blocks[v.top+3].ID)
	for range 20 {
		v.ScrollBy(-1)
		top := v.blocks[v.top]
		text := topText(v)
		below, position := v.NewLines(), v.Selected()
		v.SetReasoning(false)
		if got := topText(v); top.Kind == event.BlockAnswer && got != text {
			t.Fatalf("hidden, the top is %q, was %q", got, text)
		}
		if strings.Contains(plain(v.Rows(nil, 40, 12)), "Thought") || v.NewLines() != below || v.Following() {
			t.Fatalf("%d below, was %d:\n%s", v.NewLines(), below, plain(v.Rows(nil, 40, 12)))
		}
		s := v.Selected()
		if position.Kind == event.BlockAnswer && s != position || s == nil || s.Kind == event.BlockReasoning {
			t.Fatalf("the cursor went from %v to %v", position, s)
		}
		v.SetReasoning(true)
		if got := topText(v); top.Kind == event.BlockAnswer && got != text {
			t.Fatalf("shown again, the top is %q, was %q", got, text)
		}
		v.SelectBlock(blocks[v.top+3].ID)
	}
	if len(v.blocks) != len(blocks) || v.all != nil {
		t.Errorf("%d blocks of %d", len(v.blocks), len(blocks))
	}
	// What has arrived below counts as it is shown.
	v.Sync(append(blocks[:80:80], block(event.BlockReasoning, "n1", "x"), block(event.BlockAnswer, "n2", "y"), block(event.BlockReasoning, "n3", "z")))
	for range 2 {
		if n := v.NewLines(); n != 3 {
			t.Errorf("%d below, want 3", n)
		}
		if v.SetReasoning(false); v.NewLines() != 1 {
			t.Errorf("hidden, %d below, want 1", v.NewLines())
		}
		v.SetReasoning(true)
	}
	// What arrives meanwhile.
	v.Sync(blocks)
	v.Bottom()
	v.SetReasoning(false)
	at := v.Version()
	open := thinkingOf(event.NewText("secret"), 1)
	v.Sync(append(blocks[:80:80], open))
	if v.Version() != at || v.Animating() || strings.Contains(plain(v.Rows(nil, 40, 12)), "secret") {
		t.Error("hidden reasoning is seen")
	}
	v.Sync(append(blocks[:80:80], open, block(event.BlockAnswer, "new", "the new answer")))
	if got := bottomText(v); got != "the new answer" {
		t.Errorf("the bottom is %q", got)
	}
	v.SetReasoning(true)
	if got := plain(v.Rows(nil, 40, 12)); !strings.Contains(got, "Thought") || bottomText(v) != "the new answer" {
		t.Errorf("shown again:\n%s", got)
	}
	// Nothing but reasoning.
	v.Sync([]*event.Block{open})
	v.SelectBlock("r")
	v.ScrollBy(-1)
	if v.SetReasoning(false); v.Selected() != nil || !v.Following() || strings.TrimSpace(plain(v.Rows(nil, 40, 12))) != "" {
		t.Error("something is left of nothing")
	}
	if v.SetReasoning(true); !strings.Contains(plain(v.Rows(nil, 40, 12)), "secret") {
		t.Error("it does not come back")
	}
	// Hidden from the beginning.
	h := New(dark(), Options{Clock: still, HideReasoning: true})
	h.SetSize(40, 12)
	if h.Sync(script()); strings.Contains(plain(h.Rows(nil, 40, 60)), "Thought") {
		t.Error("shown from the beginning")
	}
}

// TestHidingKeepsTheRow hides reasoning between the user's text and a call, which
// puts a blank row before the call: the same row of the call stays on top.
func TestHidingKeepsTheRow(t *testing.T) {
	v := newView()
	v.SetSize(60, 6)
	v.Sync([]*event.Block{
		block(event.BlockUser, "u", "go"), block(event.BlockReasoning, "r", "hm"),
		call("c", "terminal", "make", event.ViewCommand, func(_ *event.Block, c *event.Call) { c.View.Body = lines(8) }),
		block(event.BlockUser, "u2", lines(9)),
	})
	v.FoldAll(false)
	v.SelectBlock("r")
	v.ToggleFold()
	v.SelectBlock("")
	for off := range 4 {
		v.Top()
		v.ScrollBy(3 + off) // the user's text, a blank row and the reasoning
		top := strings.TrimSpace(plain(v.Rows(nil, 60, 6)[:1]))
		for _, show := range []bool{false, true} {
			v.SetReasoning(show)
			if got := strings.TrimSpace(plain(v.Rows(nil, 60, 6)[:1])); got != top || got == "" {
				t.Errorf("row %d, shown %v: the top is %q, was %q", off, show, got, top)
			}
		}
	}
}
