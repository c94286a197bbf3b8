package todos_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/todos"
)

var styles = rows.NewStyles(themes.Dark())

// plan makes tasks with one letter for each state: d(one), a(ctive), p(ending),
// c(ancelled).
func plan(states string, texts ...string) []event.Todo {
	names := map[rune]event.TodoStatus{'d': event.TodoCompleted, 'a': event.TodoInProgress, 'p': event.TodoPending, 'c': event.TodoCancelled}
	var list []event.Todo
	for i, s := range states {
		text := fmt.Sprintf("task %d", i+1)
		if i < len(texts) {
			text = texts[i]
		}
		list = append(list, event.Todo{ID: fmt.Sprint(i), Content: text, Status: names[s]})
	}
	return list
}

func pane(list []event.Todo) *todos.Pane {
	p := todos.New(styles)
	p.Sync(list)
	return p
}

func TestGolden(t *testing.T) {
	design := plan("ddap", "reproduce under -race", "find the shared state", "fix and add a regression test", "run the suite ten times")
	for name, c := range map[string]struct {
		list    []event.Todo
		h       int
		elapsed time.Duration
	}{
		"design":    {design, 5, 0},
		"roomy":     {design, 8, 41 * time.Second},
		"one-row":   {design, 1, 41 * time.Second},
		"cancelled": {plan("dcca", "keep", "drop this", "drop that as well, it does not matter at all", "go on"), 6, 125 * time.Second},
		"scrolled":  {plan("dddddddddddddapppppp"), 8, 0},
		"at-end":    {plan("dddddddddddddddddddd"), 8, 0},
		"at-start":  {plan("apppppppppppppppppp"), 8, 0},
		"tight":     {plan("ddddddddapppp"), 3, 0},
		"wide":      {plan("ap", "会議の議事録を要約して全員に送る。締め切りは明日の正午まで", "👩\u200d👩\u200d👧 family"), 5, time.Second},
		"hostile":   {plan("ap", "line one\nline two\x1b]0;title\a\x1b[31mred\u202eabc", "\ttab"), 4, 0},
	} {
		var frame []string
		for _, w := range []int{30, 40, 80, 120} {
			p := pane(c.list)
			p.SetElapsed(c.elapsed)
			got := p.Rows(nil, w, c.h)
			celltest.Check(t, got, w, c.h)
			line := p.Line(w)
			celltest.Check(t, []string{line}, w, 1)
			frame = append(frame, fmt.Sprintf("%d:", w))
			for _, row := range append(got, line) {
				frame = append(frame, ansi.Strip(row)+"|")
			}
		}
		celltest.Golden(t, name+".txt", frame, os.WriteFile)
	}
}

func TestCurrentIsAlwaysShown(t *testing.T) {
	for n := 1; n < 25; n++ {
		for at := range n {
			states := strings.Repeat("d", at) + "a" + strings.Repeat("p", n-at-1)
			p := pane(plan(states))
			for h := 1; h < 15; h++ {
				text := ansi.Strip(strings.Join(p.Rows(nil, 40, h), "\n"))
				if want := fmt.Sprintf("▸ task %d ", at+1); !strings.Contains(text, want) {
					t.Fatalf("%d tasks in %d rows hide %q:\n%s", n, h, want, text)
				}
			}
		}
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct{ states, line string }{
		{"ddap", "Todo 2/4 ▸ task 3"},
		{"ddpp", "Todo 2/4 ○ task 3"},
		{"ddcp", "Todo 2/3 ○ task 4"},
		{"dddc", "Todo 3/3 ✓ all done"},
		{"cc", "Todo 0/0 ✓ all cancelled"},
		{"pa", "Todo 0/2 ▸ task 2"},
		{"", ""},
	} {
		p := pane(plan(c.states))
		if got := strings.TrimSpace(ansi.Strip(p.Line(60))); got != c.line {
			t.Errorf("%q gives %q, want %q", c.states, got, c.line)
		}
		if p.Empty() != (c.states == "") {
			t.Errorf("%q: Empty is %v", c.states, p.Empty())
		}
	}
}

func TestHeight(t *testing.T) {
	if p := pane(nil); p.Height(10) != 0 || p.HeightAt(30, 10) != 0 {
		t.Error("a pane without tasks wants rows")
	}
	p := pane(plan("apd", "a task that is longer than thirty cells are"))
	for _, c := range [][2]int{{10, 4}, {4, 4}, {3, 3}, {0, 0}, {-1, 0}} {
		if got := p.Height(c[0]); got != c[1] {
			t.Errorf("Height(%d) = %d, want %d", c[0], got, c[1])
		}
	}
	if got := p.HeightAt(30, 10); got != 5 {
		t.Errorf("HeightAt(30, 10) = %d, want 5", got)
	}
	if got := p.HeightAt(80, 10); got != 4 {
		t.Errorf("HeightAt(80, 10) = %d, want 4", got)
	}
}

func TestSyncReportsChanges(t *testing.T) {
	p := todos.New(styles)
	list := plan("ap")
	if !p.Sync(list) || p.Sync(plan("ap")) {
		t.Error("the same list counts as a change")
	}
	list[0].Status = event.TodoCompleted
	if !p.Sync(list) {
		t.Error("a change in place isn't seen")
	}
	if !p.Sync(nil) || !p.Empty() {
		t.Error("an emptied list isn't seen")
	}
}

func TestStylesMatter(t *testing.T) {
	p := pane(plan("cap"))
	dark := strings.Join(p.Rows(nil, 30, 4), "\n")
	if !strings.Contains(dark, ";9m") {
		t.Errorf("a cancelled task isn't struck through: %q", dark)
	}
	p.SetStyles(rows.NewStyles(themes.Light()))
	if light := strings.Join(p.Rows(nil, 30, 4), "\n"); light == dark || ansi.Strip(light) != ansi.Strip(dark) {
		t.Error("another theme must change the colours and nothing else")
	}
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	states := []event.TodoStatus{event.TodoPending, event.TodoInProgress, event.TodoCompleted, event.TodoCancelled, "other"}
	for i := range 2_000 {
		var list []event.Todo
		for range r.IntN(12) {
			list = append(list, event.Todo{Content: celltest.Text(r, 40), Status: states[r.IntN(len(states))]})
		}
		p := pane(list)
		if i%2 == 0 {
			p.SetStyles(&rows.Styles{})
		}
		p.SetElapsed(time.Duration(r.IntN(1e10)))
		w, h := r.IntN(60), r.IntN(16)
		got := p.Rows([]string{"kept"}, w, h)
		if got[0] != "kept" {
			t.Fatal("rows that were there are changed")
		}
		celltest.Check(t, got[1:], w, h)
		celltest.Check(t, []string{p.Line(w)}, w, 1)
	}
}

func BenchmarkRows(b *testing.B) {
	p := pane(plan(strings.Repeat("d", 100) + "a" + strings.Repeat("p", 155)))
	var dst []string
	b.ReportAllocs()
	for b.Loop() {
		dst = p.Rows(dst[:0], 32, 20)
	}
	if len(dst) != 20 {
		b.Fatal(len(dst))
	}
}
