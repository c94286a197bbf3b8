package models_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
)

// sizes are screens, the smallest that the program draws on among them.
var sizes = [][2]int{{160, 50}, {100, 30}, {60, 20}, {40, 8}}

func golden(t *testing.T, name string, box func() *models.Picker) {
	t.Helper()
	var out []string
	for _, s := range sizes {
		out = append(out, fmt.Sprintf("%d×%d:", s[0], s[1]))
		for _, row := range draw(t, box(), s[0], s[1]) {
			out = append(out, ansi.Strip(row)+"|")
		}
	}
	celltest.Golden(t, name+".txt", out, os.WriteFile)
}

func TestPickerGolden(t *testing.T) {
	golden(t, "all", func() *models.Picker { return picker(endpoints()...) })
	golden(t, "filtered", func() *models.Picker {
		p := picker(endpoints()...)
		p.Type("qwen cod")
		return p
	})
	golden(t, "nothing", func() *models.Picker {
		p := picker(endpoints()...)
		p.Type("zzzz")
		return p
	})
	golden(t, "asking", func() *models.Picker {
		l := listOf()
		l.Begin()
		for i, g := range endpoints() {
			g.Asking = i%2 == 0
			if g.Asking {
				g.Models, g.Problem = nil, ""
			}
			l.Put(g)
		}
		return models.NewPicker(styles, l, hints)
	})
	golden(t, "failed", func() *models.Picker {
		p := picker()
		p.Fail("There is no provider \"opnrouter\": did you mean \"openrouter\"?")
		return p
	})
	golden(t, "bare", func() *models.Picker { // an endpoint that says nothing but names
		return picker(app.ModelGroup{Provider: "custom", Label: "127.0.0.1:8080", Models: []app.ModelInfo{{Name: "a"}, {Name: "b"}}})
	})
}

// TestSelectionStays delivers lists one after the other, in any order: the
// selection stays with its model, and on its row.
func TestSelectionStays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		l := &models.List{}
		l.SetCurrent(now)
		l.Begin()
		all := endpoints()
		all = append(all, many("huge", 5, 60))
		for _, g := range all {
			g.Asking, g.Models, g.Problem = true, nil, ""
			l.Put(g)
		}
		p := models.NewPicker(styles, l, hints)
		if got := selected(p); got != "anthropic:claude-opus-4-6" {
			t.Fatalf("at first %q is selected", got)
		}
		order := r.Perm(len(all))
		moves := r.IntN(len(order))
		want, row := "", -1
		for n, i := range order {
			l.Put(all[i])
			p.Refresh()
			draw(t, p, 100, 30)
			if n == moves {
				for range r.IntN(30) {
					p.Move([]overlay.Move{overlay.Down, overlay.Down, overlay.Up, overlay.PageDown}[r.IntN(4)])
				}
				want = selected(p)
			}
			if n < moves {
				if got := selected(p); got != "anthropic:claude-opus-4-6" {
					t.Fatalf("%q is selected before any key", got)
				}
				continue
			}
			if got := selected(p); got != want {
				t.Fatalf("%q is selected, was %q", got, want)
			}
			at := rowOf(t, p, 100, 30, "▸")
			if row < 0 {
				row = at
			}
			// Where an end of the list is in sight it cannot scroll further.
			now := text(t, p, 100, 30)
			if at != row && !strings.Contains(now, "Offline") && !strings.Contains(now, "Anthropic") {
				t.Fatalf("the selection went from row %d to %d:\n%s", row, at, now)
			}
			row = at
		}
	}
}

// TestCurrentIsThere has an endpoint that does not list the model in use, or
// cannot be reached: the model is marked and selected all the same.
func TestCurrentIsThere(t *testing.T) {
	other := event.Model{Provider: "groq", Host: "api.groq.com", Name: "private", ContextMax: 9_000}
	l := listOf(endpoints()...)
	l.SetCurrent(other)
	p := models.NewPicker(styles, l, hints)
	if got := text(t, p, 100, 30); selected(p) != "groq:private" || !strings.Contains(got, "▸● private") || !strings.Contains(got, "9k") {
		t.Errorf("%s is selected:\n%s", selected(p), got)
	}
	if l.Len() != 13 {
		t.Errorf("%d models are counted", l.Len())
	}
	l.Put(app.ModelGroup{At: 4, Provider: "groq", Host: "api.groq.com", Label: "Groq", Problem: "It does not answer."})
	p.Refresh()
	if selected(p) != "groq:private" {
		t.Errorf("%s is selected once its endpoint is down", selected(p))
	}
	l.SetCurrent(now)
	p = models.NewPicker(styles, l, hints)
	if got := text(t, p, 100, 30); selected(p) != "anthropic:claude-opus-4-6" || strings.Contains(got, "private") {
		t.Errorf("%s is selected:\n%s", selected(p), got)
	}
}

// TestTwoOfOneProvider tells custom endpoints apart by their hosts.
func TestTwoOfOneProvider(t *testing.T) {
	a := app.ModelGroup{At: 0, Provider: "custom", Host: "a:1", Label: "a:1", Models: []app.ModelInfo{{Name: "same"}}}
	b := app.ModelGroup{At: 2, Provider: "custom", Host: "b:2", Label: "b:2", Models: []app.ModelInfo{{Name: "same"}}}
	l := listOf(a, b)
	l.SetCurrent(event.Model{Provider: "custom", Host: "b:2", Name: "same"})
	p := models.NewPicker(styles, l, hints)
	if c, _, _ := p.Selected(); c.Host != "b:2" {
		t.Errorf("selected is %+v", c)
	}
	p.Move(overlay.Up)
	if c, _, _ := p.Selected(); c != (app.Choice{Provider: "custom", Host: "a:1", Name: "same"}) {
		t.Errorf("selected is %+v", c)
	}
	if got := text(t, p, 80, 20); strings.Count(got, "●") != 1 {
		t.Errorf("marked as current:\n%s", got)
	}
}

func TestPickerMoves(t *testing.T) {
	p := picker(endpoints()...)
	text(t, p, 100, 30)
	for _, c := range []struct {
		move overlay.Move
		want string
	}{
		{overlay.Up, "anthropic:claude-haiku-4-5"},
		{overlay.Up, "anthropic:claude-haiku-4-5"},
		{overlay.Bottom, "demo:demo"},
		{overlay.Down, "demo:demo"},
		{overlay.Up, "ollama:qwen3:8b"},
		{overlay.Top, "anthropic:claude-haiku-4-5"},
		{overlay.PageDown, "ollama:qwen3:8b"},
		{overlay.PageUp, "anthropic:claude-haiku-4-5"},
	} {
		p.Move(c.move)
		if got := selected(p); got != c.want {
			t.Errorf("move %d selects %s, want %s", c.move, got, c.want)
		}
	}
}

// TestSelectionIsInSight goes through the list on screens of every height, and
// says above the rows whose they are.
func TestSelectionIsInSight(t *testing.T) {
	groups := append(endpoints(), many("huge", 5, 40))
	for _, size := range [][2]int{{100, 30}, {60, 20}, {40, 8}, {40, 10}, {80, 7}, {80, 5}} {
		p := picker(groups...)
		p.Move(overlay.Top)
		for _, move := range []overlay.Move{overlay.Down, overlay.Up} {
			for range 60 {
				got := text(t, p, size[0], size[1])
				if !strings.Contains(got, "▸") {
					t.Fatalf("%v: the selection is not in sight:\n%s", size, got)
				}
				if size[1] >= 12 && strings.HasPrefix(selected(p), "huge:") && !strings.Contains(got, "HUGE") {
					t.Fatalf("%v: nothing says whose these are:\n%s", size, got)
				}
				p.Move(move)
			}
		}
	}
}

// TestColumnsYield narrows the window: what models can do goes first, then prices,
// then contexts; names stay.
func TestColumnsYield(t *testing.T) {
	p := picker(endpoints()...)
	had := [3]bool{true, true, true}
	for w := 160; w >= 40; w-- {
		got := text(t, p, w, 24)
		has := [3]bool{strings.Contains(got, "sees reasons tools"), strings.Contains(got, "$5/$25"), strings.Contains(got, "200k")}
		for i := range has {
			if has[i] && !had[i] {
				t.Fatalf("column %d comes back at %d cells:\n%s", i, w, got)
			}
			if i > 0 && has[i-1] && !has[i] {
				t.Fatalf("column %d yields before column %d at %d cells:\n%s", i, i-1, w, got)
			}
		}
		if !strings.Contains(got, "claude-opus-4-6") {
			t.Fatalf("no name is left at %d cells:\n%s", w, got)
		}
		had = has
	}
	if had[0] || had[1] {
		t.Errorf("at 40 cells there are still columns: %v", had)
	}
}

func TestBack(t *testing.T) {
	p := picker(endpoints()...)
	p.Type("grok")
	if got := selected(p); got != "xai:grok-4.5" {
		t.Fatalf("%s is selected", got)
	}
	p.Backspace()
	if p.Query() != "gro" || p.Back() || p.Query() != "" {
		t.Fatalf("the query is %q", p.Query())
	}
	if got := selected(p); got != "anthropic:claude-opus-4-6" {
		t.Errorf("%s is selected when the query is given up", got)
	}
	if !p.Back() {
		t.Error("with nothing begun it should close")
	}
	p.Type("日本")
	p.Backspace()
	if p.Query() != "日" {
		t.Errorf("the query is %q", p.Query())
	}
	p.Type(strings.Repeat("x", 300))
	if len(p.Query()) > 256 {
		t.Errorf("a query of %d bytes", len(p.Query()))
	}
}

// TestHostileNames draws what endpoints may call their models.
func TestHostileNames(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		var groups []app.ModelGroup
		for i := range r.IntN(5) {
			g := app.ModelGroup{At: i, Provider: celltest.Text(r, 6), Label: celltest.Text(r, 30), Key: celltest.Text(r, 20), Problem: celltest.Text(r, 200), Asking: r.IntN(3) == 0}
			for range r.IntN(6) {
				g.Models = append(g.Models, info(celltest.Text(r, 40), r.IntN(1<<30)-1000, dollars(r.Float64()*1e6-5, r.Float64()), "sRt"))
			}
			groups = append(groups, g)
		}
		p := models.NewPicker(styles, listOf(groups...), hints)
		if r.IntN(2) == 0 {
			p.SetStyles(&rows.Styles{})
		}
		for range 4 {
			p.Type(celltest.Text(r, 4))
			p.Move(overlay.Move(r.IntN(6)))
			w, h := r.IntN(130)+1, r.IntN(40)+1
			draw(t, p, w, h)
			bw, bh := p.Size(w, h)
			if x, y, ok := p.Cursor(bw, bh); ok && (x < 1 || x >= bw-1 || y < 0 || y >= bh) {
				t.Fatalf("cursor at %d,%d in a box of %d×%d", x, y, bw, bh)
			}
			if r.IntN(2) == 0 {
				p.Back()
			}
		}
	}
}

// TestSizeStays types and takes lists in: the window keeps its height.
func TestSizeStays(t *testing.T) {
	l := &models.List{}
	l.Begin()
	for _, g := range endpoints() {
		g.Asking, g.Models = true, nil
		l.Put(g)
	}
	p := models.NewPicker(styles, l, hints)
	_, want := p.Size(100, 40)
	check := func(when string) {
		t.Helper()
		if _, h := p.Size(100, 40); h != want {
			t.Errorf("%s the window has %d rows, had %d", when, h, want)
		}
	}
	for _, g := range endpoints() {
		l.Put(g)
		p.Refresh()
		check("with " + g.Label)
	}
	l.End()
	p.Refresh()
	check("in the end")
	p.Type("qwen")
	check("filtered")
}
