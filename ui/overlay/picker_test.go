package overlay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hermes-tui/internal/celltest"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
)

func sessions() []overlay.Item {
	return []overlay.Item{
		{ID: "1", Label: "fix flaky store test", Detail: "20260102_030405_a1b2c3", Right: "2h ago", Group: "Today", Current: true},
		{ID: "2", Label: "look into the scheduler", Detail: "20260102_010203_b1b2c3", Right: "4h ago", Group: "Today"},
		{ID: "3", Label: "議事録を要約する", Detail: "20260101_010203_c1b2c3", Right: "1d ago", Group: "Earlier"},
		{ID: "4", Label: "a title that somebody made much longer than any title should ever be", Right: "3d ago", Group: "Earlier"},
		{ID: "5", Label: "held by another window", Disabled: "open in another window", Right: "3d ago", Group: "Earlier"},
	}
}

func picker(items []overlay.Item) *overlay.Picker {
	p := overlay.NewPicker(styles, overlay.PickerOptions{Title: "Sessions", Empty: "No session yet.", Hints: hints})
	p.SetItems(p.Load(), items)
	return p
}

func many(n int) []overlay.Item {
	list := make([]overlay.Item, n)
	for i := range list {
		list[i] = overlay.Item{ID: fmt.Sprint(i), Label: fmt.Sprintf("src/module%d/file%d.go", i%97, i), Detail: fmt.Sprintf("%d lines", i)}
	}
	return list
}

func TestPickerGolden(t *testing.T) {
	full := func() overlay.Box { return picker(sessions()) }
	golden(t, "picker", 20, full, nil)
	golden(t, "picker-filtered", 20, full, func(b overlay.Box) { b.Type("st") })
	golden(t, "picker-nothing", 14, full, func(b overlay.Box) { b.Type("zzz") })
	golden(t, "picker-disabled", 20, full, func(b overlay.Box) { b.Move(overlay.Bottom) })
	golden(t, "picker-low", 8, full, func(b overlay.Box) { b.Move(overlay.Down) })
	golden(t, "picker-long", 20, func() overlay.Box { return picker(many(100)) }, func(b overlay.Box) {
		b.Move(overlay.PageDown)
		b.Move(overlay.PageDown)
	})
	golden(t, "picker-empty", 10, func() overlay.Box { return picker(nil) }, nil)
	golden(t, "picker-loading", 10, func() overlay.Box {
		p := overlay.NewPicker(styles, overlay.PickerOptions{Title: "Models", Hints: hints})
		p.Load()
		return p
	}, nil)
	golden(t, "picker-failed", 10, func() overlay.Box {
		p := overlay.NewPicker(styles, overlay.PickerOptions{Title: "Models", Hints: hints})
		p.Fail(p.Load(), "The provider does not answer: check the network.")
		return p
	}, nil)
}

func selected(t *testing.T, p *overlay.Picker, want string) {
	t.Helper()
	if it, _ := p.Selected(); it.ID != want {
		t.Fatalf("selected is %q, want %q", it.ID, want)
	}
}

func TestPickerMoves(t *testing.T) {
	p := picker(sessions())
	selected(t, p, "1")
	for _, c := range []struct {
		move overlay.Move
		want string
	}{
		{overlay.Up, "1"},
		{overlay.Down, "2"},
		{overlay.Down, "3"}, // over a header
		{overlay.Up, "2"},
		{overlay.Bottom, "5"},
		{overlay.Down, "5"},
		{overlay.Top, "1"},
		{overlay.PageDown, "2"}, // not drawn yet: a page is one row
	} {
		p.Move(c.move)
		selected(t, p, c.want)
	}
	p = picker(many(100))
	text(t, p, 80, 24) // twelve rows
	p.Move(overlay.PageDown)
	selected(t, p, "11")
	p.Move(overlay.PageDown)
	p.Move(overlay.PageUp)
	selected(t, p, "11")
	p.Move(overlay.Bottom)
	p.Move(overlay.PageDown)
	selected(t, p, "99")
	p.Move(overlay.PageUp)
	selected(t, p, "88")
}

func TestPickerSelectionIsInSight(t *testing.T) {
	for _, items := range [][]overlay.Item{sessions(), many(60)} {
		p := picker(items)
		for range items {
			for h := 6; h < 22; h += 3 {
				if got := text(t, p, 60, h); !strings.Contains(got, "▸") {
					t.Fatalf("the selection isn't in sight in %d rows:\n%s", h, got)
				}
			}
			p.Move(overlay.Down)
		}
		for range items {
			p.Move(overlay.Up)
			if got := text(t, p, 60, 9); !strings.Contains(got, "▸") {
				t.Fatalf("the selection isn't in sight:\n%s", got)
			}
		}
	}
}

func TestPickerFilters(t *testing.T) {
	p := picker(sessions())
	p.Type("schedu")
	selected(t, p, "2")
	contains(t, p, "1 of 5")
	p.Backspace()
	p.Type(" ")
	if p.Query() != "sched " {
		t.Errorf("query %q", p.Query())
	}
	selected(t, p, "2")
	if p.Back() || p.Query() != "" {
		t.Error("the first Back must give up the query")
	}
	selected(t, p, "1")
	if !p.Back() {
		t.Error("the second Back must close")
	}
	p.Type("c1b2") // only in a detail
	selected(t, p, "3")
	p.Backspace()
	p.Backspace()
	p.Backspace()
	p.Backspace()
	p.Backspace()
	p.Type("要約")
	selected(t, p, "3")
	p.Backspace()
	if p.Query() != "要" {
		t.Errorf("query %q", p.Query())
	}
	p.Type("zzz")
	if _, ok := p.Selected(); ok {
		t.Error("something is selected where nothing fits")
	}
	if _, ok := p.Accept(); ok {
		t.Error("something was chosen where nothing fits")
	}
	p.Move(overlay.Down)
	p.Move(overlay.PageUp)
	contains(t, p, "Nothing matches", "0 of 5")
	p.Type(strings.Repeat("long ", 1000))
	if len(p.Query()) > 256 {
		t.Errorf("a query of %d bytes", len(p.Query()))
	}
}

// TestPickerFiltersByWords finds each word wherever it stands, in any order.
func TestPickerFiltersByWords(t *testing.T) {
	p := picker([]overlay.Item{
		{ID: "1", Label: "Flaky store test", Detail: "why does it fail · ~/src/app"}, {ID: "2", Label: "Parser of tabs", Detail: "why does it fail · ~/src/lang"}, {ID: "3", Label: "app store parser"},
	})
	for query, want := range map[string]string{"test store": "1", "fail parser": "2", "lang why": "2", "parser app": "3", "store app": "3", "fail zzz": ""} {
		p.Back()
		p.Type(query)
		if it, _ := p.Selected(); it.ID != want {
			t.Errorf("%s: %q, want %q", query, it.ID, want)
		}
	}
}

func TestPickerAccept(t *testing.T) {
	p := picker(sessions())
	if it, ok := p.Accept(); !ok || it.ID != "1" {
		t.Errorf("%v, %v", it, ok)
	}
	p.Move(overlay.Bottom)
	if _, ok := p.Accept(); ok {
		t.Error("a disabled entry was chosen")
	}
	contains(t, p, "open in another window")
}

func TestPickerLateItems(t *testing.T) {
	p := overlay.NewPicker(styles, overlay.PickerOptions{Title: "Models"})
	old := p.Load()
	contains(t, p, "loading…", "One moment")
	newer := p.Load()
	if p.SetItems(old, sessions()) || p.Fail(old, "too late") {
		t.Error("a stale delivery was taken")
	}
	if !p.SetItems(newer, sessions()) {
		t.Error("the delivery wasn't taken")
	}
	p.Move(overlay.Down)
	selected(t, p, "2")
	// A new list keeps the selection where it is, by id.
	items := sessions()
	items[0], items[1] = items[1], items[0]
	gen := p.Load()
	contains(t, p, "loading…", "scheduler")
	p.SetItems(gen, items)
	selected(t, p, "2")
	p.SetItems(gen, items[2:])
	selected(t, p, "3")
	p.SetItems(gen, nil)
	if _, ok := p.Selected(); ok {
		t.Error("an empty list has a selection")
	}
	p.Fail(p.Load(), "It broke\nin two")
	contains(t, p, "It broke␤in two")
	p.SetItems(p.Load(), sessions())
	selected(t, p, "1")
}

func TestPickerSearchesLongListsElsewhere(t *testing.T) {
	p := picker(many(5_000))
	p.Type("module13/file")
	contains(t, p, "searching…")
	f, ok := p.Pending()
	if !ok {
		t.Fatal("no search is handed out")
	}
	if _, again := p.Pending(); again {
		t.Error("the search is handed out twice")
	}
	p.Type("1")
	stale := f.Run()
	if p.Found(stale) {
		t.Error("a stale result was taken")
	}
	f, ok = p.Pending()
	if !ok || !p.Found(f.Run()) {
		t.Fatal("the result wasn't taken")
	}
	if _, more := p.Pending(); more || p.Found(f.Run()) {
		t.Error("the search isn't over")
	}
	it, _ := p.Selected()
	if !strings.HasPrefix(it.Label, "src/module13/file1") {
		t.Errorf("selected %q", it.Label)
	}
	// What is accepted fits what was typed, searched or not.
	p.Type("4267")
	it, ok = p.Accept()
	if want := "src/module13/file14267"; ok && strings.HasPrefix(it.Label, want) {
		t.Errorf("accepted %q", it.Label)
	}
	p.Back()
	p.Type("file4321.go")
	if it, ok = p.Accept(); !ok || it.ID != "4321" {
		t.Errorf("accepted %q", it.Label)
	}
	// Items that come while a search is under way make it stale.
	p.Type("x")
	f, _ = p.Pending()
	p.SetItems(p.Load(), many(2_000))
	if p.Found(f.Run()) {
		t.Error("a result for former items was taken")
	}
	contains(t, p, "searching…")
}

func TestPickerLimit(t *testing.T) {
	p := picker(many(overlay.MaxItems + 5))
	p.Move(overlay.Bottom)
	selected(t, p, fmt.Sprint(overlay.MaxItems-1))
}

func TestPickerRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for i := range 600 {
		var items []overlay.Item
		for range r.IntN(20) {
			it := overlay.Item{ID: fmt.Sprint(r.IntN(9)), Label: celltest.Text(r, 30), Detail: celltest.Text(r, 30), Right: celltest.Text(r, 10)}
			if r.IntN(3) == 0 {
				it.Group = celltest.Text(r, 6)
			}
			if r.IntN(4) == 0 {
				it.Disabled = celltest.Text(r, 20)
			}
			items = append(items, it)
		}
		p := overlay.NewPicker(styles, overlay.PickerOptions{Title: celltest.Text(r, 30), Empty: celltest.Text(r, 9)})
		if i%2 == 0 {
			p.SetStyles(&rows.Styles{})
		}
		p.SetItems(p.Load(), items)
		for range r.IntN(12) {
			switch r.IntN(4) {
			case 0:
				p.Type(celltest.Text(r, 3))
			case 1:
				p.Backspace()
			default:
				p.Move(overlay.Move(r.IntN(6)))
			}
			w, h := r.IntN(100), r.IntN(24)
			celltest.Check(t, p.Rows(nil, w, h), w, h)
		}
	}
}

func BenchmarkPickerRows(b *testing.B) {
	p := picker(many(overlay.MaxItems))
	p.Type("mod13")
	f, _ := p.Pending()
	p.Found(f.Run())
	var dst []string
	b.ReportAllocs()
	for b.Loop() {
		dst = p.Rows(dst[:0], 80, 16)
	}
}

func BenchmarkPickerSearch20k(b *testing.B) {
	p := picker(many(overlay.MaxItems))
	p.Type("mod13file")
	f, _ := p.Pending()
	b.ReportAllocs()
	for b.Loop() {
		f.Run()
	}
}

func BenchmarkPickerType20k(b *testing.B) {
	p := picker(many(overlay.MaxItems))
	b.ReportAllocs()
	for b.Loop() {
		p.Type("m")
		p.Backspace()
	}
}

// TestEnterWaitsForEntries takes the entry that fits what was typed once the entries
// have come, if enter was the last key until then.
func TestEnterWaitsForEntries(t *testing.T) {
	for _, more := range []bool{false, true} {
		p := overlay.NewPicker(styles, overlay.PickerOptions{Title: "Sessions"})
		gen := p.Load()
		p.Type("two")
		if _, ok := p.Accept(); ok || p.Wanted() {
			t.Fatal("there is something to take before anything has come")
		}
		if more {
			p.Type("x")
		}
		p.SetItems(gen, []overlay.Item{{ID: "1", Label: "one"}, {ID: "2", Label: "two"}})
		if p.Wanted() == more || p.Wanted() {
			t.Errorf("typed on %v: it is wanted %v", more, !more)
		}
		if it, ok := p.Accept(); ok == more || ok && it.ID != "2" {
			t.Errorf("typed on %v: it takes %v, %v", more, it, ok)
		}
	}
}

// TestPickerFindsWholeWords holds that where a word stands in one piece somewhere, its
// characters strewn over a label are not found, and that two letters may be first letters.
func TestPickerFindsWholeWords(t *testing.T) {
	p := overlay.NewPicker(styles, overlay.PickerOptions{Title: "All"})
	p.SetItems(p.Load(), []overlay.Item{
		{ID: "strewn", Label: "kill the marked agent when pressed"},
		{ID: "detail", Label: "/context", Detail: "show what the model gets, as a map"},
		{ID: "label", Label: "a map of it"},
		{ID: "first", Label: "new file"}, {ID: "config", Label: "/x", Detail: "config"},
	})
	for _, c := range []struct{ typed, want string }{{"map", "label detail"}, {"kwp", "strewn"}, {"nf", "first config"}} {
		p.Type(c.typed)
		var got []string
		p.Move(overlay.Top)
		for {
			it, _ := p.Selected()
			if len(got) > 0 && got[len(got)-1] == it.ID {
				break
			}
			got = append(got, it.ID)
			p.Move(overlay.Down)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %s", c.typed, got, c.want)
		}
		p.Back()
	}
}
