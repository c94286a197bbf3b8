package queue_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/queue"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

var (
	styles = rows.NewStyles(themes.Dark())
	start  = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	keys   = []status.Hint{{Key: "enter", Text: "edit"}, {Key: "alt+up", Text: "earlier"}, {Key: "alt+down", Text: "later"}, {Key: "delete", Text: "drop"}, {Key: "esc", Text: "back"}}
)

func pane() *queue.Pane {
	p := queue.New(styles)
	p.SetHints(keys, "enter sends it, up takes it back")
	return p
}

func names(id event.AgentID) string {
	return map[event.AgentID]string{"a": "read the WAL docs", "b": "bisect the history of the flaky test of the store", "evil": "x\n\x1b[2J\u202ey"}[id]
}

// texts are queued texts with the ids 0, 1, 2 …
func texts(list ...string) []event.Queued {
	var all []event.Queued
	for i, s := range list {
		all = append(all, event.Queued{ID: event.InputID(fmt.Sprint(i)), Text: s, At: start})
	}
	return all
}

func many(n int) []event.Queued {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("task %d", i))
	}
	return texts(list...)
}

// mixed is one of each kind.
func mixed() []event.Queued {
	list := texts("and then run the whole suite ten times, please, with the race detector and with shuffled tests", "don't touch the generated files",
		"use the other file\nand say why", "go test ./store exited with 1", "the audit of the store has ended: 3 findings", "later")
	list[1].Steer = true
	list[2].Steer, list[2].Agent = true, "b"
	list[3].Origin, list[4].Origin = event.OriginJob, event.OriginAgent
	return list
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name string
		list []event.Queued
		held bool
		keys string
	}{
		{"few", mixed()[:3], false, ""},
		{"held", mixed()[:3], true, ""},
		{"many", mixed(), false, ""},
		{"focused", mixed(), false, "focus"},
		{"focused up", mixed(), true, "focus,up,up,up"},
		{"long", many(40), false, "focus,up,up,up,up,up,up,up,up,up,up,up,up"},
		{"long start", many(40), false, "focus,first"},
		{"hostile", texts("\x1b[2Jgone\x1b]0;t\a\u202e\r\nrm", strings.Repeat("漢", 300), "\u0301\u0301x", "   "), false, "focus"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pane()
			p.Sync(c.list, c.held, names)
			for _, k := range strings.Split(c.keys, ",") {
				switch k {
				case "focus":
					p.SetFocused(true)
				case "up":
					p.Up()
				case "first":
					for p.Up() {
					}
				}
			}
			var frame []string
			for _, w := range []int{40, 70, 100, 160} {
				for _, limit := range []int{20, 5, 2, 1} {
					h := p.Height(limit)
					got := p.Rows(nil, w, h)
					celltest.Check(t, got, w, h)
					frame = append(frame, fmt.Sprintf("%d x %d", w, h))
					frame = append(frame, got...)
				}
			}
			celltest.Golden(t, strings.ReplaceAll(c.name, " ", "-")+".golden", frame, os.WriteFile)
		})
	}
}

func TestHeight(t *testing.T) {
	for _, c := range []struct {
		n, limit      int
		plain, active int
	}{
		{0, 10, 0, 0}, {1, 10, 1, 2}, {3, 10, 3, 4}, {4, 10, 4, 5}, {40, 20, 4, 11}, {40, 3, 3, 3}, {5, 0, 0, 0}, {5, -1, 0, 0},
	} {
		p := pane()
		p.Sync(many(c.n), false, nil)
		if got := p.Height(c.limit); got != c.plain {
			t.Errorf("%d entries, at most %d: %d rows, want %d", c.n, c.limit, got, c.plain)
		}
		p.SetFocused(true)
		if got := p.Height(c.limit); got != c.active {
			t.Errorf("%d entries, at most %d, focused: %d rows, want %d", c.n, c.limit, got, c.active)
		}
	}
}

func TestSelect(t *testing.T) {
	p := pane()
	if p.SetFocused(true) || p.Focused() || p.Selected() != "" || p.Up() || p.Down() {
		t.Error("an empty pane takes keys")
	}
	p.Sync(many(3), false, nil)
	if p.Focused() || p.Selected() != "" || p.Up() {
		t.Error("focused by what came")
	}
	p.SetFocused(true)
	if p.Selected() != "2" || p.Down() {
		t.Errorf("selected %q", p.Selected())
	}
	if !p.Up() || p.Selected() != "1" {
		t.Errorf("selected %q", p.Selected())
	}
	// It stays selected while others come, go and change places.
	list := many(3)
	p.Sync([]event.Queued{list[1], list[0], {ID: "new", Text: "x"}}, false, nil)
	if p.Selected() != "1" || p.Up() {
		t.Errorf("selected %q", p.Selected())
	}
	// It goes: the one that takes its place is selected.
	p.Sync([]event.Queued{list[0], {ID: "new", Text: "x"}}, false, nil)
	if p.Selected() != "0" {
		t.Errorf("selected %q", p.Selected())
	}
	p.Down()
	p.Sync(list[:1], false, nil)
	if p.Selected() != "0" {
		t.Errorf("selected %q", p.Selected())
	}
	p.Sync(nil, false, nil)
	if p.Focused() || p.Height(10) != 0 {
		t.Error("an empty pane keeps the keys")
	}
	p.Sync(many(2), false, nil)
	if p.Focused() {
		t.Error("the keys come back by themselves")
	}
}

func TestMove(t *testing.T) {
	p := pane()
	list := many(3)
	p.Sync(append(list, event.Queued{Text: "not known yet"}), false, nil)
	if id, by := p.MoveUp(); id != "" || by != 0 {
		t.Errorf("moves %q by %d without the focus", id, by)
	}
	p.SetFocused(true)
	if id, by := p.MoveUp(); id != "" || by != 0 || p.Selected() != "" {
		t.Errorf("moves %q by %d, which is not known", id, by)
	}
	p.Up()
	for _, c := range []struct {
		move func() (event.InputID, int)
		id   event.InputID
		by   int
	}{{p.MoveDown, "", 0}, {p.MoveUp, "2", -1}} {
		if id, by := c.move(); id != c.id || by != c.by {
			t.Errorf("moves %q by %d, want %q by %d", id, by, c.id, c.by)
		}
	}
	for p.Up() {
	}
	if id, by := p.MoveUp(); id != "" || by != 0 {
		t.Errorf("moves %q by %d beyond the start", id, by)
	}
	if id, by := p.MoveDown(); id != "0" || by != 1 {
		t.Errorf("moves %q by %d", id, by)
	}
}

// TestSyncTellsWhatChanged compares with a new pane.
func TestSyncTellsWhatChanged(t *testing.T) {
	p := pane()
	list := mixed()
	for i, c := range []struct {
		list  []event.Queued
		held  bool
		names func(event.AgentID) string
		want  bool
	}{
		{nil, false, names, false}, {list, false, names, true}, {slices.Clone(list), false, names, false}, {list, true, names, true},
		{list, true, nil, true}, {list[1:], true, nil, true}, {list[1:], true, names, true}, {nil, true, names, true}, {nil, true, nil, false},
	} {
		if got := p.Sync(c.list, c.held, c.names); got != c.want {
			t.Errorf("step %d: changed %v", i, got)
		}
		fresh := pane()
		fresh.Sync(c.list, c.held, c.names)
		if got, want := p.Rows(nil, 90, 6), fresh.Rows(nil, 90, 6); !slices.Equal(got, want) {
			t.Errorf("step %d:\n%s\nwant\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	changed := slices.Clone(list)
	changed[0].Text = "edited"
	p.Sync(list, false, names)
	if p.Sync(changed, false, names); !strings.Contains(strings.Join(p.Rows(nil, 90, 6), "\n"), "edited") {
		t.Error("an edited text is not shown")
	}
}

// TestALongText looks at the start of it only.
func TestALongText(t *testing.T) {
	p := pane()
	for _, text := range []string{strings.Repeat("漢", 1<<20), strings.Repeat("\u0301", 1<<20), "x" + strings.Repeat("é", 1<<20), "\x1b]0;" + strings.Repeat("t", 1<<20)} {
		p.Sync(texts(text), false, nil)
		p.SetFocused(true)
		celltest.Check(t, p.Rows(nil, 160, 3), 160, 3)
	}
	if allocated := testing.AllocsPerRun(5, func() { p.Sync(texts(strings.Repeat("x", 10)), false, nil) }); allocated > 1000 {
		t.Errorf("%v allocations", allocated)
	}
}

// TestRandom has random texts come, go and change places, random keys and random
// sizes: rows are exact, the selected entry is in sight, and everything is counted.
func TestRandom(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := pane()
		var list []event.Queued
		made := 0
		for range 120 {
			switch r.IntN(9) {
			case 0, 1:
				made++
				q := event.Queued{ID: event.InputID(fmt.Sprint("i", made)), Text: fmt.Sprintf("t%d %s", made, celltest.Text(r, 60)), Steer: r.IntN(3) == 0}
				if q.Steer && r.IntN(2) == 0 {
					q.Agent = event.AgentID([]string{"a", "b", "evil", "unknown"}[r.IntN(4)])
				} else if r.IntN(4) == 0 {
					q.Origin = []event.Origin{event.OriginJob, event.OriginAgent, "another"}[r.IntN(3)]
				}
				list = slices.Insert(slices.Clone(list), r.IntN(len(list)+1), q)
			case 2:
				if n := len(list); n > 0 {
					i := r.IntN(n)
					list = slices.Delete(slices.Clone(list), i, i+1)
				}
			case 3:
				p.SetFocused(r.IntN(3) > 0)
			case 4:
				p.Up()
			case 5:
				p.Down()
			case 6, 7:
				id, by := p.MoveUp()
				if r.IntN(2) == 0 {
					id, by = p.MoveDown()
				}
				if i := slices.IndexFunc(list, func(q event.Queued) bool { return q.ID == id }); by != 0 {
					list = slices.Clone(list)
					list[i], list[i+by] = list[i+by], list[i]
				}
			case 8:
				p.SetStyles(rows.NewStyles(themes.Light()))
			}
			before := p.Selected()
			p.Sync(list, r.IntN(4) == 0, names)
			if before != "" && p.Selected() != before && slices.ContainsFunc(list, func(q event.Queued) bool { return q.ID == before }) {
				t.Fatalf("seed %d: %q was selected, now %q", seed, before, p.Selected())
			}
			w, h := r.IntN(120), r.IntN(14)
			celltest.Check(t, p.Rows([]string{"before"}, w, h)[1:], w, h)
			seen(t, p, list, 40+r.IntN(80), r.IntN(12))
		}
	}
}

// seen checks that the selected entry is among the rows, and that the rows count all
// entries that are not.
func seen(t *testing.T, p *queue.Pane, list []event.Queued, w, limit int) {
	t.Helper()
	h := p.Height(limit)
	if h == 0 {
		return
	}
	shown, hidden, selected := 0, 0, false
	for _, row := range p.Rows(nil, w, h) {
		row = ansi.Strip(row)
		var n int
		var where string
		if _, err := fmt.Sscanf(strings.TrimSpace(row), "… %d %s", &n, &where); err == nil {
			hidden += n
			continue
		}
		if i := strings.Index(row, " · "); h == 1 && i >= 0 && strings.HasSuffix(strings.TrimSpace(row), " more") {
			_, _ = fmt.Sscanf(row[strings.LastIndex(row, " · ")+len(" · "):], "%d more", &n)
			hidden += n
		} else if i := strings.LastIndex(row, " +"); h == 1 && i >= 0 {
			_, _ = fmt.Sscanf(row[i:], " +%d", &n)
			hidden += n
		}
		if strings.HasPrefix(row, " Queue") {
			continue
		}
		if strings.TrimSpace(row) != "" {
			shown++
		}
		if strings.HasPrefix(row, "▸") {
			selected = true
		}
	}
	if p.Focused() && !selected {
		t.Fatalf("the selected entry is out of sight in %d rows:\n%s", h, strings.Join(p.Rows(nil, w, h), "\n"))
	}
	if !p.Focused() && shown+hidden != len(list) {
		t.Fatalf("%d shown and %d counted of %d:\n%s", shown, hidden, len(list), strings.Join(p.Rows(nil, w, h), "\n"))
	}
}

func BenchmarkRows(b *testing.B) {
	p := pane()
	p.Sync(many(200), false, names)
	p.SetFocused(true)
	var dst []string
	b.ReportAllocs()
	for b.Loop() {
		dst = p.Rows(dst[:0], 160, 11)
	}
}
