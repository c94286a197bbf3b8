package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

func plain(frame []string) string {
	out := make([]string, len(frame))
	for i, r := range frame {
		out[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(out, "\n")
}

// numbered makes n short answers, "answer 0" and on, each of one row.
func numbered(n int) []*event.Block {
	out := make([]*event.Block, n)
	for i := range n {
		kind := event.BlockAnswer
		if i%10 == 0 {
			kind = event.BlockUser
		}
		out[i] = block(kind, fmt.Sprint("b", i), fmt.Sprint("text ", i))
	}
	return out
}

// topText is the first row of text that is not pinned.
func topText(v *View) string {
	for _, r := range v.Rows(nil, v.w, v.h)[v.covered():] {
		if s := strings.TrimSpace(ansi.Strip(r)); s != "" {
			return s
		}
	}
	return ""
}

func bottomText(v *View) string {
	frame := v.Rows(nil, v.w, v.h)
	return strings.TrimSpace(ansi.Strip(frame[len(frame)-1]))
}

func TestFollows(t *testing.T) {
	v := newView()
	v.SetSize(40, 10)
	blocks := numbered(50)
	v.Sync(blocks)
	if got := bottomText(v); got != "text 49" || !v.Following() || v.NewLines() != 0 {
		t.Fatalf("bottom row %q, following %v", got, v.Following())
	}
	v.ScrollBy(-3)
	if v.Following() {
		t.Fatal("follows after scrolling up")
	}
	top := topText(v)
	blocks = append(blocks, block(event.BlockAnswer, "new1", "new one"))
	v.Sync(blocks)
	blocks = append(blocks, block(event.BlockAnswer, "new2", "new two"))
	v.Sync(blocks)
	if got := topText(v); got != top {
		t.Errorf("the view moved from %q to %q", top, got)
	}
	if n := v.NewLines(); n != 2 {
		t.Errorf("%d new below, want 2", n)
	}
	changed := *blocks[49]
	changed.Rev++
	blocks[49] = &changed
	v.Sync(blocks)
	if n := v.NewLines(); n != 2 {
		t.Errorf("%d new below after a change of what was seen before, want 2", n)
	}
	grown := changed
	grown.Text = event.NewText("text 49\n\nand more of it\n\nand more")
	blocks[49] = &grown
	v.Sync(blocks)
	if n := v.NewLines(); n != 6 {
		t.Errorf("%d new below after a change, want 6", n)
	}
	v.ScrollBy(1000)
	if !v.Following() || v.NewLines() != 0 || bottomText(v) != "new two" {
		t.Errorf("not at the end: %q, %d", bottomText(v), v.NewLines())
	}
}

func TestScrolling(t *testing.T) {
	v := newView()
	v.SetSize(40, 10)
	v.Sync(numbered(50)) // 99 rows
	all := v.Rows(nil, 40, 200)
	window := func(from int) string { return plain(all[from : from+10]) }
	v.SetSize(40, 10)
	v.Top()
	if got := plain(v.Rows(nil, 40, 10)); got != window(0) {
		t.Fatalf("at the top:\n%s", got)
	}
	at := 0
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		n := rnd.IntN(41) - 20
		v.ScrollBy(n)
		at = min(max(at+n, 0), 99-10)
		got := v.Rows(nil, 40, 10)
		if pinned := strings.Contains(ansi.Strip(got[0]), "↑"); pinned != (v.Pinned() != nil) || pinned == (at%20 == 0 || at%20 == 19 || at == 89) {
			t.Fatalf("at %d something is pinned: %v", at, pinned)
		}
		copy(got, all[at:at+v.covered()])
		if got := plain(got); got != window(at) {
			t.Fatalf("after scrolling by %d to %d:\n%s\nwant:\n%s", n, at, got, window(at))
		}
		if v.Following() != (at == 89) {
			t.Fatalf("following is %v at %d", v.Following(), at)
		}
	}
	v.Top()
	v.PageDown()
	if got := plain(v.Rows(nil, 40, 10)[1:]); got != window(8)[len("\n"):] && got != plain(all[9:18]) {
		t.Errorf("a page down:\n%s", got)
	}
	v.PageUp()
	if got := plain(v.Rows(nil, 40, 10)); got != window(0) {
		t.Errorf("a page up:\n%s", got)
	}
}

func TestFewRows(t *testing.T) {
	v := newView()
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 5}, {40, 0}, {3, 3}, {300, 2}} {
		v.Sync(script())
		checkFrame(t, v.Rows(nil, size[0], size[1]), size[0], size[1])
		v.ScrollBy(-1)
		v.Select(MovePrev)
		v.TurnPrev()
		checkFrame(t, v.Rows(nil, size[0], size[1]), size[0], size[1])
		v.Bottom()
	}
	empty := newView()
	checkFrame(t, empty.Rows(nil, 20, 3), 20, 3)
	empty.ScrollBy(-5)
	empty.Top()
	if empty.Select(MovePrev) || empty.ToggleFold() || empty.TurnPrev() || empty.TurnNext() || empty.Selected() != nil {
		t.Error("an empty transcript has something")
	}
	if empty.BlockAt(0) != nil || empty.CopyText() != "" || empty.Animating() || !empty.Following() {
		t.Error("an empty transcript has something")
	}
}

func TestAnchorSurvives(t *testing.T) {
	v := newView()
	v.SetSize(40, 10)
	blocks := numbered(50)
	tail := block(event.BlockAnswer, "tail", lines(40))
	tail.Open = true
	v.Sync(append(slices.Clone(blocks), tail))
	v.ScrollBy(-10) // inside the tail
	top := topText(v)
	if !strings.HasPrefix(top, "line") && !strings.Contains(top, "output") {
		t.Fatalf("the top is %q", top)
	}
	// A notice goes in before the tail.
	note := block(event.BlockNotice, "note", "a notice")
	v.Sync(append(slices.Clone(blocks), note, tail))
	if got := topText(v); got != top {
		t.Errorf("after an insertion the top is %q, was %q", got, top)
	}
	// The tail is taken back.
	v.Sync(append(slices.Clone(blocks), note))
	checkFrame(t, v.Rows(nil, 40, 10), 40, 10)
	if got := bottomText(v); got != "· a notice" {
		t.Errorf("after removal the bottom is %q", got)
	}
	// All blocks are copies, as after a resume.
	v.ScrollBy(-30)
	top = topText(v)
	copies := make([]*event.Block, len(blocks))
	for i, b := range blocks {
		c := *b
		copies[i] = &c
	}
	v.Sync(copies)
	if got := topText(v); got != top {
		t.Errorf("after a resume the top is %q, was %q", got, top)
	}
	v.Sync(nil)
	if v.Rows(nil, 40, 10); !v.Following() {
		t.Error("an empty transcript is not followed")
	}
}

func TestResizeKeepsThePlace(t *testing.T) {
	words := make([]string, 3000)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	v := newView()
	v.SetSize(80, 20)
	v.Sync([]*event.Block{block(event.BlockUser, "u", "hello"), block(event.BlockAnswer, "a", strings.Join(words, " ")), block(event.BlockUser, "u2", lines(30))})
	v.Rows(nil, 80, 20)
	v.ScrollBy(-120)
	first := func() int {
		var n int
		if _, err := fmt.Sscanf(topText(v), "w%d", &n); err != nil {
			t.Fatalf("top row %q", topText(v))
		}
		return n
	}
	at := first()
	for _, w := range []int{40, 120, 33, 80} {
		v.SetSize(w, 20)
		if got := first(); got < at-100 || got > at+100 {
			t.Errorf("at width %d the top is word %d, was %d", w, got, at)
		}
	}
}

func TestCursor(t *testing.T) {
	v := newView()
	v.SetSize(60, 12)
	v.Sync(script())
	if !v.Select(MovePrev) || v.Selected().ID != "r2" {
		t.Fatalf("the cursor begins at %v", v.Selected())
	}
	var order []event.BlockID
	for range 30 {
		order = append(order, v.Selected().ID)
		checkFrame(t, v.Rows(nil, 60, 12), 60, 12)
		if n := strings.Count(strings.Join(v.Rows(nil, 60, 12), "\n"), markOn); n == 0 {
			t.Fatalf("the cursor on %s is not in view", v.Selected().ID)
		}
		v.Select(MovePrev)
	}
	order = slices.Compact(order)
	want := []event.BlockID{"r2", "a2", "a1", "k1", "n3", "n2", "n1", "s1", "c10", "c9", "c8", "c7", "c6", "c5", "c2", "c1", "r1", "u1"}
	if !slices.Equal(order, want) {
		t.Errorf("the cursor went %v, want %v", order, want)
	}
	for v.Selected().ID != "r2" {
		v.Select(MoveNext)
	}
	if v.Rows(nil, 60, 12); !v.Following() {
		t.Error("the cursor on the last block leaves the end")
	}
	if v.Select(MoveNone) || v.Selected() != nil {
		t.Error("the cursor stays")
	}
	v.SelectBlock("gone")
	if v.Selected() != nil {
		t.Error("a block that is not there is selected")
	}
}

func TestTurns(t *testing.T) {
	v := newView()
	v.SetSize(40, 10)
	v.Sync(numbered(45))
	for _, want := range []string{"text 40", "text 30", "text 20", "text 10", "text 0"} {
		if !v.TurnPrev() || v.Selected().Text.String() != want {
			t.Fatalf("at %q, want %q", v.Selected().Text.String(), want)
		}
		if want != "text 40" && topText(v) != markOn+"❯ "+want {
			t.Errorf("the top is %q", topText(v))
		}
	}
	if v.TurnPrev() || v.Selected().Text.String() != "text 0" {
		t.Error("there is a turn before the first")
	}
	for _, want := range []string{"text 10", "text 20", "text 30", "text 40"} {
		if !v.TurnNext() || v.Selected().Text.String() != want {
			t.Fatalf("at %q, want %q", v.Selected().Text.String(), want)
		}
	}
	if v.TurnNext() || !v.Following() || v.Selected() != nil {
		t.Error("behind the last turn the view is not at the end")
	}
	v.ScrollBy(-36)
	v.TurnPrev()
	if got := v.Selected().Text.String(); got != "text 20" {
		t.Errorf("from the middle of a turn the one before is %q", got)
	}
}

func TestFolding(t *testing.T) {
	v := newView()
	v.SetSize(60, 100)
	v.Sync(script())
	show := func() string { return plain(v.Rows(nil, 60, 100)) }
	folded := show()
	v.SelectBlock("c1")
	if !v.ToggleFold() || !strings.Contains(show(), "line 27 of the output") || !strings.Contains(show(), "last 12 of 38 lines") {
		t.Errorf("not opened:\n%s", show())
	}
	v.ToggleFold()
	v.SelectBlock("")
	if got := show(); got != folded {
		t.Errorf("not folded again:\n%s", got)
	}
	// Without a cursor: the last block that can be folded.
	if !v.ToggleFold() || !strings.Contains(show(), "▾ Thinking") {
		t.Errorf("the last block is not opened:\n%s", show())
	}
	v.FoldAll(true)
	v.SelectBlock("c3") // a part of the group
	if v.Selected().ID != "c2" {
		t.Errorf("of a group %s is selected", v.Selected().ID)
	}
	v.ToggleFold()
	if !strings.Contains(show(), "▾ read 2 files") || !strings.Contains(show(), "lock order") {
		t.Errorf("the group is not open:\n%s", show())
	}
	v.SelectBlock("c2")
	v.ToggleFold()
	v.SelectBlock("")
	if got := show(); got != folded {
		t.Errorf("the group is not closed:\n%s", got)
	}
	v.FoldAll(false)
	if strings.Contains(show(), "▸") || !strings.Contains(show(), "The model now gets") {
		t.Errorf("not all open:\n%s", show())
	}
	v.SelectBlock("a1")
	if v.ToggleFold() {
		t.Error("an answer can be folded")
	}
}

func TestBlockAt(t *testing.T) {
	v := newView()
	v.SetSize(60, 100)
	v.Sync(script())
	frame := strings.Split(plain(v.Rows(nil, 60, 100)), "\n")
	for i, r := range frame {
		b := v.BlockAt(i)
		switch {
		case strings.Contains(r, "go vet"):
			if b == nil || b.ID != "c6" {
				t.Errorf("row %q is of %v", r, b)
			}
		case strings.Contains(r, "read 2 files"):
			if b == nil || b.ID != "c2" {
				t.Errorf("row %q is of %v", r, b)
			}
		case r == "" && b != nil && b.Kind != event.BlockAnswer:
			t.Errorf("blank row %d is of %s", i, b.ID)
		}
	}
	if v.BlockAt(-1) != nil || v.BlockAt(1000) != nil {
		t.Error("there is a block off the screen")
	}
}

func TestCopyAndOpen(t *testing.T) {
	v := newView()
	v.SetSize(60, 20)
	v.Sync(script())
	for id, want := range map[event.BlockID]string{
		"u1": "The store test fails one run in ten. Find out why and fix it.",
		"c6": "$ go vet ./...\ngo build\nchecking\nstore/append.go:12: unreachable code",
		"c2": "read_file store/append.go\npackage store\n\nfunc Append(v int) error {\n\treturn nil // later\n}\n\nread_file store/append_test.go\n\nsearch lock order",
		"a2": "And then the",
	} {
		v.SelectBlock(id)
		if got := v.CopyText(); got != want {
			t.Errorf("copy of %s: %q", id, got)
		}
	}
	v.SelectBlock("a1")
	if got := v.CopyText(); !strings.Contains(got, "**before**") || !strings.Contains(got, "```go\n") {
		t.Errorf("the answer is not its markdown: %q", got)
	}
	for _, b := range script() {
		title, text := OpenText(b)
		if title == "" || strings.Contains(title, "\n") {
			t.Errorf("%s opens as %q", b.ID, title)
		}
		if b.ID == "c6" && (title != "terminal  go vet ./..." || text != "go vet ./...\ngo build\nexit 1\n\nchecking\nstore/append.go:12: unreachable code\n") {
			t.Errorf("c6 opens as %q: %q", title, text)
		}
	}
	cut := call("x", "terminal", "yes", event.ViewCommand, func(_ *event.Block, c *event.Call) { c.View.Body, c.View.Cut = "y\n", 123456 })
	if _, text := OpenText(cut); !strings.Contains(text, "123 kB before this") {
		t.Errorf("a cut body opens as %q", text)
	}
}

func TestAnimation(t *testing.T) {
	v := newView()
	v.SetSize(60, 10)
	run := call("c", "terminal", "sleep", event.ViewCommand, func(b *event.Block, c *event.Call) { b.Open, c.Stage = true, event.CallRunning })
	v.Sync([]*event.Block{run})
	if !v.Animating() {
		t.Fatal("a running call does not move")
	}
	v.Tick(noon.Add(time.Second), 0)
	one := plain(v.Rows(nil, 60, 10))
	v.Tick(noon.Add(2*time.Second), 1)
	if two := plain(v.Rows(nil, 60, 10)); one == two || !strings.Contains(two, "2.0s") || !strings.Contains(two, "◓") {
		t.Errorf("two seconds:\n%s", two)
	}
	// Out of view nothing moves, and ticks change nothing.
	v.Sync(append([]*event.Block{run}, numbered(30)...))
	if v.Animating() {
		t.Error("a call out of view moves")
	}
	before := v.Version()
	v.Rows(nil, 60, 10)
	v.Tick(noon.Add(3*time.Second), 2)
	if v.Version() != before {
		t.Error("a tick changed a view at rest")
	}
	// A call that waits for the user stands still.
	asked := *run
	c := *run.Call
	c.Asked = "q"
	asked.Call = &c
	v.Sync([]*event.Block{&asked})
	if v.Animating() || !strings.Contains(plain(v.Rows(nil, 60, 10)), "needs your answer") {
		t.Error("a waiting call moves")
	}
}

func TestCodeIsColouredByTicks(t *testing.T) {
	v := newView()
	v.SetSize(60, 10)
	v.Sync([]*event.Block{block(event.BlockAnswer, "a", "```go\nfunc f() {}\n```\n")})
	plainCode := v.Rows(nil, 60, 10)
	if !v.Animating() {
		t.Fatal("code that waits for colours asks for no tick")
	}
	v.Tick(noon, 1)
	if got := v.Rows(nil, 60, 10); slices.Equal(got, plainCode) || plain(got) != plain(plainCode) {
		t.Errorf("a tick gave no colours: %q", got)
	}
	if v.Animating() {
		t.Error("moves on")
	}
}

func TestVersion(t *testing.T) {
	v := newView()
	v.SetSize(60, 10)
	v.Sync(script())
	v.Rows(nil, 60, 10)
	at := v.Version()
	v.Sync(v.blocks)
	v.SetSize(60, 10)
	v.SetStyles(v.st)
	v.Rows(nil, 60, 10)
	v.ScrollBy(5)
	v.Bottom()
	if v.Version() != at {
		t.Error("nothing changed, but the version did")
	}
	for i, change := range []func(){
		func() { v.SetStyles(rows.NewStyles(themes.Light())) },
		func() { v.SetSize(50, 10) },
		func() { v.ScrollBy(-1) },
		func() { v.Select(MovePrev) },
		func() { v.FoldAll(false) },
		func() { v.Sync(script()[:3]) },
	} {
		before := v.Version()
		if change(); v.Version() == before {
			t.Errorf("change %d did not change the version", i)
		}
	}
}
