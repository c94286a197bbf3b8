package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/find"
)

// finish takes a search to its end.
func finish(v *View) {
	for v.FindMore() {
		if s, ok := v.FindRest(); ok {
			v.FindTake(s.Run())
		}
	}
}

// lookFor looks for something to the end.
func lookFor(v *View, q find.Query) Found {
	v.Find(q)
	finish(v)
	return v.Found()
}

// screen is what a view shows, as text.
func screen(t *testing.T, v *View, w, h int) string {
	t.Helper()
	frame := v.Rows(nil, w, h)
	checkFrame(t, frame, w, h)
	return ansi.Strip(strings.Join(frame, "\n"))
}

// current is the text that is marked as the match that is shown.
func current(v *View, w, h int) string {
	var out []string
	open := v.st.BadgeWarn.Open()
	for _, r := range v.Rows(nil, w, h) {
		for {
			_, rest, ok := strings.Cut(r, open)
			if !ok {
				break
			}
			text, more, _ := strings.Cut(rest, "\x1b[m")
			out, r = append(out, text), more
		}
	}
	return strings.Join(out, "|")
}

func TestFind(t *testing.T) {
	v := newView()
	v.Sync([]*event.Block{
		block(event.BlockUser, "u1", "Where is the Append function?"),
		call("c1", "terminal", "grep -rn append .", event.ViewCommand, func(_ *event.Block, c *event.Call) {
			c.View.Body = lines(500) + "store.go: append here\n" + lines(500)
		}),
		call("l1", "look", "a.go", event.ViewRead, func(_ *event.Block, c *event.Call) { c.View.Body = "one\ntwo appends\n" }),
		call("l2", "look", "b.go", event.ViewRead, nil),
		block(event.BlockReasoning, "r1", strings.Repeat("I wonder.\n", 300)+"APPEND it is.\n"+strings.Repeat("I wonder.\n", 300)),
		block(event.BlockAnswer, "a1", "It is **the** `append` of\nthe store, which is called from a place that is so far away that the row breaks."),
	})
	screen(t, v, 60, 12)
	if f := lookFor(v, find.Query{Text: "append"}); f.N != 6 || f.More {
		t.Fatalf("found %+v", f)
	}
	if f := lookFor(v, find.Query{Text: "Append", Case: true}); f.N != 1 || f.At != 1 {
		t.Errorf("found %+v with capitals", f)
	}
	if f := lookFor(v, find.Query{Text: `^store\.go: \w+`, Regexp: true}); f.N != 1 {
		t.Errorf("found %+v by a pattern", f)
	}
	if got := current(v, 60, 12); got != "store.go: append" {
		t.Errorf("the current match is %q", got)
	}
	if f := lookFor(v, find.Query{Text: `a(`, Regexp: true}); f.Err == nil || f.N != 0 {
		t.Errorf("a broken pattern gives %+v", f)
	}
	if f := lookFor(v, find.Query{Text: "nowhere to be found"}); f.N != 0 || v.FindNext(false) {
		t.Errorf("found %+v", f)
	}
	v.Find(find.Query{})
	v.FoldAll(true)
	v.Top()
	lookFor(v, find.Query{Text: "append"})
	var seen []string
	for i := range 7 {
		if f := v.Found(); f.At != i%6+1 {
			t.Errorf("step %d is match %d", i, f.At)
		}
		seen = append(seen, current(v, 60, 12))
		if got := screen(t, v, 60, 12); i == 2 && (!strings.Contains(got, "lines 495 to 506 of 1,001 lines") || !strings.Contains(got, "store.go: append here")) {
			t.Errorf("the output is not shown where it was found:\n%s", got)
		}
		v.FindNext(false)
	}
	if got := strings.Join(seen, " "); got != "Append append append append APPEND append Append" {
		t.Errorf("the matches are %s", got)
	}
	v.FindNext(true)
	v.FindNext(true)
	if got := current(v, 60, 12); got != "append" || v.Found().At != 6 {
		t.Errorf("back is %q, %d", got, v.Found().At)
	}
	// Marks of Markdown and breaks do not part what belongs together.
	if f := lookFor(v, find.Query{Text: "the append of the store"}); f.N != 1 || current(v, 20, 12) != "the append|of the store" {
		t.Errorf("found %+v, %q", f, current(v, 20, 12))
	}
	v.Find(find.Query{})
	if got := current(v, 60, 12); got != "" || v.Finding() {
		t.Errorf("%q is still marked", got)
	}
}

// TestFindWhileItGrows searches in a text that goes on, and through all that a change of
// blocks can do.
func TestFindWhileItGrows(t *testing.T) {
	v := newView()
	all := []*event.Block{block(event.BlockUser, "u1", "needle"), block(event.BlockReasoning, "r1", "needle needle")}
	v.Sync(all)
	screen(t, v, 60, 12)
	if f := lookFor(v, find.Query{Text: "needle"}); f.N != 3 || f.At != 1 {
		t.Fatalf("found %+v", f)
	}
	v.FindNext(true)
	if f := v.Found(); f.At != 3 {
		t.Fatalf("the last one is %+v", f)
	}
	text := ""
	for i := range 50 {
		text += "a needle "
		open := &event.Block{ID: "a1", Kind: event.BlockAnswer, Turn: "t1", At: noon, Rev: uint64(i), Open: true, Text: event.NewText(text)}
		v.Sync(append(all[:2:2], open))
		if f := v.Found(); f.N != 4+i || f.At != 3 || f.More {
			t.Fatalf("after %d more: %+v", i+1, f)
		}
	}
	v.SetReasoning(false)
	finish(v)
	if f := v.Found(); f.N != 51 {
		t.Errorf("without reasoning %+v", f)
	}
	v.Sync(nil)
	if f := v.Found(); f.N != 0 || f.At != 0 || v.FindNext(false) {
		t.Errorf("nothing has %+v", f)
	}
	screen(t, v, 60, 12)
}

// TestFindOpensWhileItStands goes through matches in folded output and in a group: each
// is open as long as the match that is shown stands in it.
func TestFindOpensWhileItStands(t *testing.T) {
	look := func(id, body string) *event.Block {
		return call(id, "look", id+".go", event.ViewRead, func(_ *event.Block, c *event.Call) { c.View.Body = body })
	}
	v := newView()
	v.Sync([]*event.Block{
		look("l1", "a needle\n"), look("l2", "nothing\n"),
		block(event.BlockReasoning, "r1", "One.\nA needle here.\n"),
		block(event.BlockUser, "u1", "needle"),
	})
	screen(t, v, 60, 20)
	folded := screen(t, v, 60, 20)
	lookFor(v, find.Query{Text: "needle"})
	if got := screen(t, v, 60, 20); !strings.Contains(got, "a needle") || strings.Contains(got, "needle here") {
		t.Errorf("the first match is not shown alone:\n%s", got)
	}
	v.FindNext(false)
	if got := screen(t, v, 60, 20); strings.Contains(got, "a needle") || !strings.Contains(got, "needle here") {
		t.Errorf("the second match is not shown alone:\n%s", got)
	}
	v.FindNext(false)
	v.Find(find.Query{})
	v.Select(MoveNone)
	if got := screen(t, v, 60, 20); got != folded {
		t.Errorf("something stays open:\n%s\nwant\n%s", got, folded)
	}
}

// TestFindNextBeforeAllIsKnown goes on while the search is still under way: back to a
// match that is looked for last, and on from there.
func TestFindNextBeforeAllIsKnown(t *testing.T) {
	for _, pattern := range []bool{false, true} {
		blocks := history(20_000)
		for _, i := range []int{4, 9_000, 19_995} {
			blocks[i] = block(event.BlockAnswer, fmt.Sprint("n", i), fmt.Sprintf("There is a needle at %d.", i))
		}
		v := newView()
		v.Sync(blocks)
		v.Rows(nil, 80, 30)
		v.Find(find.Query{Text: "needle at \\d+", Regexp: true})
		if !pattern {
			v.Find(find.Query{Text: "needle at"})
		}
		steps := 0
		until := func(want string) {
			t.Helper()
			for ; v.Selected() == nil || string(v.Selected().ID) != want; steps++ {
				if s, ok := v.FindRest(); ok {
					v.FindTake(s.Run())
				} else if !v.FindMore() {
					t.Fatalf("the search ends at %+v, want %s", v.Selected(), want)
				}
			}
		}
		v.FindMore()
		until("n19995")
		v.FindNext(true)
		until("n9000")
		v.FindNext(true)
		until("n4")
		v.FindNext(true)
		until("n19995")
		finish(v)
		if f := v.Found(); f.N != 3 || f.At != 3 {
			t.Errorf("found %+v", f)
		}
		t.Logf("pattern %v: %d parts", pattern, steps)
	}
}

// TestFindTakesNothingLate gives a search what was found for another query, and for
// blocks that have changed.
func TestFindTakesNothingLate(t *testing.T) {
	blocks := history(20_000)
	v := newView()
	v.Sync(blocks)
	v.Rows(nil, 80, 30)
	v.Find(find.Query{Text: "no+where", Regexp: true})
	v.FindMore()
	late, _ := v.FindRest()
	late = late.Run()
	v.Find(find.Query{Text: "co[u]nter", Regexp: true})
	v.FindTake(late)
	part, _ := v.FindRest()
	part = part.Run()
	changed := append([]*event.Block(nil), blocks...)
	for i := range changed {
		b := *changed[i]
		b.Text = event.NewText("nothing")
		b.Call, b.Kind = nil, event.BlockAnswer
		changed[i] = &b
	}
	v.Sync(changed)
	v.FindTake(part)
	finish(v)
	if f := v.Found(); f.N != 0 {
		t.Errorf("found %+v in blocks that are gone", f)
	}
}

// BenchmarkFind50k finds the first match of a word in a conversation of 50,000 messages:
// one that is only at its start, while the end is on the screen, and none. Each is
// counted to the end.
func BenchmarkFind50k(b *testing.B) {
	blocks := history(50_000)
	blocks[3] = block(event.BlockAnswer, "needle", "There is a needle here.")
	v := newView()
	v.Sync(blocks)
	v.Rows(nil, 160, 50)
	size := 0
	for _, bl := range blocks {
		pieces(bl, nil, func(text []byte, _ bool) bool { size += len(text); return true })
	}
	for _, c := range []struct {
		name string
		q    find.Query
		n    int
	}{
		{"first", find.Query{Text: "needle here"}, 1},
		{"none", find.Query{Text: "there is no such text"}, 0},
		{"many", find.Query{Text: "counter"}, 8333},
		{"regexp", find.Query{Text: `needles? h\w+`, Regexp: true}, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				v.Find(find.Query{})
				v.Bottom()
				v.Find(c.q)
				finish(v)
				v.Rows(nil, 160, 50)
			}
			if f := v.Found(); f.N != c.n {
				b.Fatalf("found %+v", f)
			}
			if !c.q.Regexp {
				b.ReportMetric(30e6, "target-ns/op")
			}
		})
	}
}

// BenchmarkFindFirst50k has the first match of a pattern on the screen, from the key on.
// The nearest one is at the end of the conversation, and the screen at its start.
func BenchmarkFindFirst50k(b *testing.B) {
	blocks := history(50_000)
	for _, c := range []struct {
		name string
		at   int
	}{{"near", 200}, {"far", 49_990}} {
		b.Run(c.name, func(b *testing.B) {
			old := blocks[c.at]
			blocks[c.at] = block(event.BlockAnswer, "needle", "There is a needle here.")
			v := newView()
			v.Sync(blocks)
			v.Rows(nil, 160, 50)
			v.Top()
			for b.Loop() {
				v.Find(find.Query{})
				v.Top()
				v.Find(find.Query{Text: `needles? h\w+`, Regexp: true})
				for v.FindMore() && v.Found().N == 0 {
					if s, ok := v.FindRest(); ok {
						v.FindTake(s.Run())
					}
				}
				v.Rows(nil, 160, 50)
			}
			blocks[c.at] = old
		})
	}
}

// BenchmarkFindStep takes one step of a search, which is what a key may wait for.
func BenchmarkFindStep(b *testing.B) {
	v := newView()
	v.Sync(history(50_000))
	v.Rows(nil, 160, 50)
	for _, q := range []find.Query{{Text: "there is no such text"}, {Text: `no+ such`, Regexp: true}} {
		b.Run(fmt.Sprintf("regexp=%v", q.Regexp), func(b *testing.B) {
			for b.Loop() {
				if !v.FindMore() {
					v.Find(q)
				}
			}
			b.ReportMetric(3e6, "target-ns/op")
		})
	}
}
