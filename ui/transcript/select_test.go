package transcript

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// lit is what the frame marks as selected, row by row without empty ones.
func lit(v *View, w, h int) string {
	var out []string
	open := v.st.Selected.Open()
	for _, r := range v.Rows(nil, w, h) {
		text, on := "", false
		for r != "" {
			seq, _, n, _ := ansi.DecodeSequence(r, ansi.NormalState, nil)
			switch {
			case seq == open:
				on = true
			case strings.HasPrefix(seq, "\x1b["):
				on = on && seq != "\x1b[m"
			case on:
				text += seq
			}
			r = r[n:]
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "|")
}

// at is where a text stands on the screen of a view.
func at(t *testing.T, v *View, w, h int, text string) (x, y int) {
	t.Helper()
	for y, r := range v.Rows(nil, w, h) {
		if before, _, ok := strings.Cut(ansi.Strip(r), text); ok {
			return rows.Width(before), y
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, screen(t, v, w, h))
	return 0, 0
}

// drag selects from the first character of a text to the last one of another.
func drag(t *testing.T, v *View, w, h int, u Unit, from, to string) string {
	t.Helper()
	x, y := at(t, v, w, h, from)
	if !v.StartSelection(x, y, u) {
		t.Fatalf("there is nothing at %d,%d", x, y)
	}
	if from == to && u != Cells {
		return v.SelectionText()
	}
	x, y = at(t, v, w, h, to)
	v.ExtendSelection(x+rows.Width(to)-1, y)
	return v.SelectionText()
}

func selectable() []*event.Block {
	diff := "--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@\n func f() {\n-\told()\n+\tnew()\n }\n"
	return []*event.Block{
		block(event.BlockUser, "u1", "Where does the store  take its lock, and why does that take so long?"),
		block(event.BlockReasoning, "r1", "A thought that is folded away."),
		call("c1", "terminal", "go test ./store", event.ViewCommand, func(_ *event.Block, c *event.Call) {
			c.View.Body = "one\ntwo\tthree\n" + lines(5) + "a line of output that is so long that it does not fit into one row of this narrow screen\n"
		}),
		call("l1", "look", "a.go", event.ViewRead, func(_ *event.Block, c *event.Call) { c.View.Body = "secret one" }),
		call("l2", "look", "b.go", event.ViewRead, func(_ *event.Block, c *event.Call) { c.View.Body = "secret two" }),
		call("c2", "patch", "x.go", event.ViewWrite, func(_ *event.Block, c *event.Call) { c.View.Lang, c.View.Body = "diff", diff }),
		block(event.BlockAnswer, "a1", "It takes **the lock** in `Append`:\n\n```go\nfunc Append() {\n\ts.mu.Lock()\n}\n```\n\n- 日本語 first\n- second\n\nSee /usr/share/doc/a-b_c/README.md. End."),
	}
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		unit     Unit
		from, to string
		text     string
		lit      string
	}{
		{Cells, "take its", "so long", "take its lock, and why does that take so long", "take its lock, and why does that|take so long"},
		{Cells, "store  take", "take its", "store  take its", "store  take its"},
		{Cells, "so long", "W", "Where does the store  take its lock, and why does that take s", ""},
		{Words, "README", "README", "/usr/share/doc/a-b_c/README.md", "/usr/share/doc/a-b_c/README.md"},
		{Words, "ock, and", "an", "lock, and", "lock, and"},
		{Words, "o long", "long", "so long", "so long"},
		{TextLines, "that is so long", "that is so long", "a line of output that is so long that it does not fit into one row of this narrow screen", ""},
		{Cells, "that is so long", "not fit", "that is so long that it does not fit", ""},
		{Cells, "line 4", "line 5", "line 4 of the output\nline 5", ""},
		{Cells, "go test", "go test", "go test", "go test"},
		{Cells, "old()", "new()", "old()\n\tnew()", "old()|    new()"},
		{TextLines, "new()", "new()", "\tnew()", "    new()"},
		{Cells, "lock in", "in Append", "lock in `Append`", "lock in Append"},
		{Cells, "takes", "in Append", "takes **the lock** in `Append`", ""},
		{Cells, "func Append", "Lock()", "func Append() {\n\ts.mu.Lock()", "func Append() {|    s.mu.Lock()"},
		{Words, "Append() {", "Append() {", "Append", "Append"},
		{Cells, "本", "語", "本語", "本語"},
		{TextLines, "日本語", "second", "- 日本語 first\n- second", "• 日本語 first|• second"},
		{Cells, "first", "secon", "first\n- secon", ""},
		{Cells, "Append:", "s.mu", "`Append`:\n\nfunc Append() {\n\ts.mu", ""},
		{Cells, "so long?", "go test ./st", "so long?\n\ngo test ./st", ""},
		{Cells, "go test ./store", "takes", "$ go test ./store\nline 3 of the output\nline 4 of the output\nline 5 of the output\n" +
			"a line of output that is so long that it does not fit into one row of this narrow screen\nlook a.go\nlook b.go\n" +
			"patch x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@\n func f() {\n-\told()\n+\tnew()\n }\n\nIt takes", ""},
	} {
		v := newView()
		v.Sync(selectable())
		before := v.Rows(nil, 60, 50)
		if got := drag(t, v, 60, 50, c.unit, c.from, c.to); got != c.text {
			t.Errorf("%d from %q to %q:\n%q\nwant\n%q", c.unit, c.from, c.to, got, c.text)
		}
		if got := lit(v, 60, 50); c.lit != "" && got != c.lit {
			t.Errorf("%d from %q to %q marks %q, want %q", c.unit, c.from, c.to, got, c.lit)
		}
		frame := v.Rows(nil, 60, 50)
		checkFrame(t, frame, 60, 50)
		for i := range frame {
			if a, b := ansi.Strip(frame[i]), ansi.Strip(before[i]); a != b {
				t.Errorf("from %q to %q row %d is %q, was %q", c.from, c.to, i, a, b)
			}
		}
		v.EndSelection()
		if got := strings.Join(v.Rows(nil, 60, 50), "\n"); got != strings.Join(before, "\n") {
			t.Errorf("something is left of a selection from %q to %q", c.from, c.to)
		}
	}
}

// TestSelectWhatIsOpened selects in output that is unfolded, with tabs and breaks.
func TestSelectWhatIsOpened(t *testing.T) {
	v := newView()
	v.Sync(selectable()[:3])
	v.FoldAll(false)
	if got := drag(t, v, 60, 30, Cells, "two", "into one"); got != "two\tthree\n"+lines(5)+"a line of output that is so long that it does not fit into one" {
		t.Errorf("%q", got)
	}
	if got := drag(t, v, 60, 30, TextLines, "into one row", "into one row"); got != "a line of output that is so long that it does not fit into one row of this narrow screen" {
		t.Errorf("%q", got)
	}
	if got := drag(t, v, 60, 30, Cells, "long?", "go"); got != "long?\n\nA thought that is folded away.\n\ngo" {
		t.Errorf("%q", got)
	}
}

// TestSelectBesideEachOther takes one side of a difference.
func TestSelectBesideEachOther(t *testing.T) {
	v := newView()
	v.Sync(selectable()[5:])
	for from, want := range map[string]string{"old()": "old()\n}", "new()": "new()\n}"} {
		x, y := at(t, v, 140, 30, from)
		v.StartSelection(x, y, Cells)
		v.ExtendSelection(139, y+1)
		if got := v.SelectionText(); got != want {
			t.Errorf("from %s: %q, want %q", from, got, want)
		}
		if got := lit(v, 140, 30); got != want[:5]+"|}" {
			t.Errorf("from %s it marks %q", from, got)
		}
	}
}

// TestSelectionHolds goes on below a selection, scrolls it away, and ends it where its
// text becomes another.
func TestSelectionHolds(t *testing.T) {
	v := newView()
	all := selectable()
	v.Sync(all)
	want := drag(t, v, 60, 20, Cells, "second", "README")
	open := func(text string, rev uint64) *event.Block {
		return &event.Block{ID: "open", Kind: event.BlockAnswer, Turn: "t1", At: noon, Rev: rev, Open: true, Text: event.NewText(text)}
	}
	text := "An answer"
	for i := range 30 {
		text += fmt.Sprintf(" that goes on\n\nand on, %d", i)
		v.Sync(append(all[:len(all):len(all)], open(text, uint64(i))))
		if got := v.SelectionText(); got != want || !strings.Contains(lit(v, 60, 20), "second") {
			t.Fatalf("after %d pieces %q is selected, and %q marked", i, got, lit(v, 60, 20))
		}
	}
	v.PageUp()
	v.PageUp()
	if got := v.SelectionText(); got != want {
		t.Errorf("scrolled away it is %q", got)
	}
	v.Bottom()
	if got := v.SelectionText(); got != want || !v.Following() {
		t.Errorf("at the end it is %q; it follows: %v", got, v.Following())
	}
	drag(t, v, 60, 20, Cells, "goes on", "and on, 29")
	v.Sync(append(all[:len(all):len(all)], open(text+" more", 99)))
	if got := v.SelectionText(); !strings.HasPrefix(got, "goes on\n\nand on, ") || !strings.HasSuffix(got, " that goes on\n\nand on, 29") {
		t.Errorf("in a text that goes on %q is selected", got)
	}
	v.Sync(append(all[:len(all):len(all)], open("Another answer", 100)))
	if v.HasSelection() {
		t.Errorf("%q is selected of another text", v.SelectionText())
	}
	drag(t, v, 60, 20, Cells, "Another", "answer")
	v.Rows(nil, 50, 20)
	if v.HasSelection() {
		t.Error("the selection outlives a resize")
	}
	drag(t, v, 60, 20, Cells, "Another", "answer")
	v.Sync(nil)
	if v.HasSelection() {
		t.Error("the selection outlives its text")
	}
}

// TestSelectionFollows begins and ends selections in a view that follows.
func TestSelectionFollows(t *testing.T) {
	v := newView()
	all := selectable()
	v.Sync(all)
	screen(t, v, 60, 10)
	drag(t, v, 60, 10, Cells, "second", "README")
	if v.Following() {
		t.Error("it follows while something is selected")
	}
	drag(t, v, 60, 10, Cells, "second", "second") // another one in its place
	all = append(all, block(event.BlockAnswer, "a2", "More.\n\nAnd more."))
	v.Sync(all)
	if got := screen(t, v, 60, 10); strings.Contains(got, "And more") {
		t.Errorf("it went on:\n%s", got)
	}
	v.EndSelection()
	if got := screen(t, v, 60, 10); !v.Following() || !strings.Contains(got, "And more") {
		t.Errorf("it does not follow again:\n%s", got)
	}
	drag(t, v, 60, 10, Cells, "More", "more")
	v.ScrollBy(-3)
	v.EndSelection()
	if v.Following() {
		t.Error("it follows although it was scrolled")
	}
}

// TestSelectByKeys moves the cursor of a selection over text of every kind.
func TestSelectByKeys(t *testing.T) {
	for _, c := range []struct {
		block event.BlockID
		steps []Step
		lines bool
		want  string
	}{
		{"u1", nil, false, "W"},
		{"u1", []Step{StepRight, StepRight}, false, "Whe"},
		{"u1", []Step{StepWordRight}, false, "Where d"},
		{"u1", []Step{StepWordRight, StepWordRight, StepWordLeft}, false, "Where d"},
		{"u1", []Step{StepRowEnd}, false, "Where does the store  take its lock, and why does that"},
		{"u1", []Step{StepRowEnd, StepRight}, false, "Where does the store  take its lock, and why does that t"},
		{"u1", []Step{StepDown}, false, "Where does the store  take its lock, and why does that t"},
		{"u1", []Step{StepRowEnd, StepDown, StepUp}, false, "Where does the store  take its lock, and why does that"},
		{"u1", []Step{StepRowEnd, StepRowStart}, false, "W"},
		{"u1", []Step{StepDown}, true, "Where does the store  take its lock, and why does that take so long?"},
		{"c1", []Step{StepRowEnd}, false, "go test ./store"},
		{"a1", []Step{StepUp, StepUp, StepRowStart}, false, "\tnew()\n}\n\nI"},
		{"a1", []Step{StepDown, StepDown, StepRowEnd}, false, "It takes **the lock** in `Append`:\n\nfunc Append() {\n\ts.mu.Lock()"},
		{"a1", []Step{StepBottom}, false, "It takes **the lock** in `Append`:\n\n```go\nfunc Append() {\n\ts.mu.Lock()\n}\n```\n\n- 日本語 first\n- second\n\nSee /usr/share/doc/a-b_c/README.md. End."},
		{"c1", []Step{StepTop}, false, "Where does the store  take its lock, and why does that take so long?\n\ng"},
	} {
		v := newView()
		v.Sync(selectable())
		screen(t, v, 60, 50)
		v.SelectBlock(c.block)
		if !v.SelectByKeys() {
			t.Fatalf("%s: there is nothing to select", c.block)
		}
		for _, s := range c.steps {
			v.MoveSelection(s)
			screen(t, v, 60, 50)
			if x, y, ok := v.SelectionCursor(); !ok || x < 1 || x >= 60 || y < 0 || y >= 50 {
				t.Errorf("%s %v: the cursor is at %d,%d, %v", c.block, c.steps, x, y, ok)
			}
		}
		if c.lines {
			v.SelectLines()
		}
		if got := v.SelectionText(); got != c.want {
			t.Errorf("%s %v:\n%q\nwant\n%q", c.block, c.steps, got, c.want)
		}
	}
}

// TestSelectScrolls keeps the cursor of a selection on a low screen.
func TestSelectScrolls(t *testing.T) {
	v := newView()
	v.Sync(append(selectable(), history(300)...))
	screen(t, v, 60, 8)
	v.SelectBlock("h299")
	v.SelectByKeys()
	rnd := rand.New(rand.NewPCG(4, 4))
	for i := range 400 {
		v.MoveSelection(Step(rnd.IntN(int(StepBottom) + 1)))
		frame := v.Rows(nil, 60, 8)
		checkFrame(t, frame, 60, 8)
		if _, y, ok := v.SelectionCursor(); !ok || y < 0 || y >= 8 {
			t.Fatalf("step %d: the cursor is in row %d, %v", i, y, ok)
		}
	}
	v.MoveSelection(StepTop)
	if text := v.SelectionText(); len(text) < 20_000 || !strings.HasPrefix(text, "Where does") {
		t.Errorf("%d bytes are selected: %.60q", len(text), text)
	}
}

// TestSelectLinks selects every part of a row with links: each of its cells leads where it
// led before, and no link is left on at its end.
func TestSelectLinks(t *testing.T) {
	targets := func(row string) (list []string) {
		on := ""
		for row != "" {
			seq, width, n, _ := ansi.DecodeSequence(row, ansi.NormalState, nil)
			if rest, ok := strings.CutPrefix(seq, "\x1b]8;"); ok {
				_, on, _ = strings.Cut(strings.TrimSuffix(rest, "\a"), ";")
			}
			for range width {
				list = append(list, on)
			}
			row = row[n:]
		}
		return append(list, on)
	}
	v := newView()
	v.Sync([]*event.Block{block(event.BlockAnswer, "a", "See [the **docs**](https://a.b/c), https://d.e/f and [日本](https://g.h).")})
	before := v.Rows(nil, 60, 4)
	want := targets(before[0])
	for from := range 60 {
		for to := from; to < 60; to += 1 + from%3 {
			v.StartSelection(from, 0, Cells)
			v.ExtendSelection(to, 0)
			row := v.Rows(nil, 60, 4)[0]
			if got := targets(row); strings.Join(got, "|") != strings.Join(want, "|") {
				t.Fatalf("%d to %d: %q\nleads to %q\nwant     %q", from, to, row, got, want)
			}
		}
	}
}
