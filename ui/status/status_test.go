package status_test

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
	"hermes-tui/ui/status"
)

func golden(t *testing.T, name string, frame []string) {
	t.Helper()
	celltest.Golden(t, name, frame, os.WriteFile)
}

var (
	goldenWidths = []int{30, 40, 80, 120}
	styles       = rows.NewStyles(themes.Dark())
	hints        = []status.Hint{{Key: "esc", Text: "interrupt"}, {Key: "f6", Text: "panes"}, {Key: "?", Text: "keys"}}
)

func work(dir, branch string, dirty bool) event.Workspace {
	return event.Workspace{Dir: dir, Branch: branch, Dirty: dirty, Home: "/home/ada", Place: "local", Trusted: true}
}

func TestTitleRowGolden(t *testing.T) {
	opus := event.Model{Name: "opus-4.6", Effort: "high", Host: "openrouter.ai"}
	demo := event.Model{Name: "demo", Badge: "demo, no model"}
	for i, d := range []status.Title{
		{Title: "fix flaky store test", Model: opus, Mode: event.ModeManual, Work: work("/home/ada/src/app", "main", true)},
		{Title: "", Model: opus, Mode: event.ModePlan, Work: work("/home/ada", "", false)},
		{
			Title: "a title that is far longer than anybody should ever give to one conversation about one thing",
			Model: event.Model{Name: "anthropic/claude-opus-4.6-20260101"}, Mode: event.ModeOff,
			Work: work("/srv/data/projects/customers/northwind/backend/service", "feature/very-long-branch-name-of-somebody", true),
		},
		{Title: "look around", Model: demo, Mode: event.ModeManual, Work: work("/tmp/x", "", false)},
		{Title: "議事録を要約する", Model: demo, Mode: event.ModeOff, Work: work("/home/ada/日本語", "本流", true)},
	} {
		var frame []string
		for _, w := range goldenWidths {
			row := status.TitleRow(styles, w, d)
			celltest.Check(t, []string{row}, w, 1)
			frame = append(frame, fmt.Sprintf("%d:", w), ansi.Strip(row)+"|")
		}
		golden(t, fmt.Sprintf("title-%d.txt", i), frame)
	}
}

// TestTitleKeepsModeAndBadge holds that the mode and the demo's badge are shown
// in full from 40 cells on.
func TestTitleKeepsModeAndBadge(t *testing.T) {
	for w := 40; w < 200; w++ {
		for mode, want := range map[event.Mode]string{event.ModeManual: "◆ manual", event.ModePlan: "◇ plan", event.ModeOff: "⚠ approvals off"} {
			row := ansi.Strip(status.TitleRow(styles, w, status.Title{
				Title: strings.Repeat("title ", 20), Mode: mode, Work: work("/a/b/c", "main", true),
				Model: event.Model{Name: strings.Repeat("model", 9), Effort: "high", Badge: "demo, no model"},
			}))
			if mode == event.ModeOff && w < 50 {
				want = "⚠ off"
			}
			if !strings.Contains(row, want) || !strings.Contains(row, "demo, no model") {
				t.Errorf("at %d cells: %q", w, row)
			}
		}
	}
}

// TestTitleYields holds the order in which parts make room.
func TestTitleYields(t *testing.T) {
	d := status.Title{
		Title: "fix flaky store test", Mode: event.ModeManual, Work: work("/home/ada/src/app", "main", true),
		Model: event.Model{Name: "opus-4.6", Effort: "high"},
	}
	gone := map[string]int{}
	for w := 120; w >= 20; w-- {
		row := ansi.Strip(status.TitleRow(styles, w, d))
		for _, part := range []string{"high", "~/src/app", "app (main*)", "fix", "opus-4.6", "manual"} {
			if !strings.Contains(row, part) && gone[part] == 0 {
				gone[part] = w
			}
		}
	}
	order := []string{"high", "~/src/app", "app (main*)", "fix", "opus-4.6"}
	for i := 1; i < len(order); i++ {
		if gone[order[i-1]] <= gone[order[i]] {
			t.Errorf("%q went at %d, %q at %d", order[i-1], gone[order[i-1]], order[i], gone[order[i]])
		}
	}
	if gone["manual"] != 0 {
		t.Errorf("the mode went at %d cells", gone["manual"])
	}
}

func TestStatusRowGolden(t *testing.T) {
	for name, d := range map[string]status.Status{
		"ready":      {Phase: event.PhaseIdle, Input: 61_000, Output: 4_000},
		"running":    {Phase: event.PhaseAnswering, Elapsed: 41 * time.Second, Rate: 118, Input: 61_000, Output: 4_000, Queue: 2},
		"thinking":   {Phase: event.PhaseReasoning, Elapsed: 125 * time.Second, Rate: 118, Frame: 2},
		"connecting": {Phase: event.PhaseConnecting, Host: "openrouter.ai", Elapsed: 3 * time.Second},
		"waiting":    {Phase: event.PhaseTools, Waiting: true, Elapsed: 9 * time.Second, Input: 999, Output: 1},
		"retrying":   {Phase: event.PhaseRetrying, Detail: "rate limited", RetryIn: 3500 * time.Millisecond, Attempt: 2, Attempts: 3},
		"blocked":    {Phase: event.PhaseBlocked},
		"full":       {Phase: event.PhaseBlocked, Detail: "The disk is full. Nothing runs until the session can be saved."},
		"paused":     {Phase: event.PhaseTools, State: event.AgentPaused},
		"cache":      {Phase: event.PhaseIdle, Input: 61_000, Output: 4_000, Cost: "~$0.42", Cache: status.Cache{Told: true, Percent: 87, Warm: true, Until: "14:32"}},
		"missed": {
			Phase: event.PhaseTools, Elapsed: 9 * time.Second, Input: 61_000, Output: 4_000, Cost: "~$0.42",
			Cache: status.Cache{Told: true, Missed: true, Warm: true, Left: 40 * time.Second},
		},
		"note":    {Phase: event.PhaseTools, Note: "Vim mode on."},
		"warning": {Phase: event.PhaseTools, Note: "press ctrl+c again to quit", Warns: true},
	} {
		var frame []string
		for _, w := range goldenWidths {
			row := status.Row(styles, w, d, hints)
			celltest.Check(t, []string{row}, w, 1)
			frame = append(frame, fmt.Sprintf("%d:", w), ansi.Strip(row)+"|")
		}
		golden(t, "status-"+name+".txt", frame)
	}
}

// TestRandom holds that the rows are exact whatever the texts hold.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	phases := []event.Phase{
		event.PhaseIdle, event.PhasePreparing, event.PhaseConnecting, event.PhaseReasoning, event.PhaseAnswering, event.PhaseDrafting,
		event.PhaseTools, event.PhaseRetrying, event.PhaseStopping, event.PhaseBlocked,
	}
	bare := &rows.Styles{}
	for i := range 4_000 {
		st, w := styles, r.IntN(130)
		if i%2 == 0 {
			st = bare
		}
		text := func() string { return celltest.Text(r, 30) }
		row := status.TitleRow(st, w, status.Title{
			Title: text(), Mode: event.Mode(text()), Model: event.Model{Name: text(), Effort: text(), Badge: text()},
			Work: event.Workspace{Dir: "/" + text(), Branch: text(), Dirty: i%3 == 0, Home: "/h"},
		})
		celltest.Check(t, []string{row}, w, 1)
		row = status.Row(st, w, status.Status{
			Phase: phases[r.IntN(len(phases))], Detail: text(), Host: text(), Rate: r.IntN(200), Input: r.Int64N(1e7), Output: r.Int64N(1e5),
			Queue: r.IntN(3), Cost: "~$0.42", Cache: status.Cache{Told: i%3 == 0, Percent: r.IntN(101), Missed: i%5 == 0, Warm: i%7 == 0, Left: time.Duration(r.IntN(1e12))},
			Waiting: i%11 == 0, RetryIn: time.Duration(r.IntN(1e10)), Attempt: r.IntN(3), Attempts: r.IntN(4), Frame: i,
		}, []status.Hint{{Key: text(), Text: text()}, {Key: text(), Text: text()}})
		celltest.Check(t, []string{row}, w, 1)
	}
}

func TestBarsEqualRows(t *testing.T) {
	b := status.NewBars(styles)
	light := rows.NewStyles(themes.Light())
	r := rand.New(rand.NewPCG(7, 8))
	st := styles
	for i := range 500 {
		w := 40 + r.IntN(3)
		title := status.Title{Title: string(rune('a' + r.IntN(2))), Mode: event.ModeManual}
		d := status.Status{Phase: event.PhaseTools, Frame: r.IntN(2)}
		h := hints[:r.IntN(3)]
		if got, want := b.Title(w, title), status.TitleRow(st, w, title); got != want {
			t.Fatalf("title %q, want %q", got, want)
		}
		if got, want := b.Status(w, d, h), status.Row(st, w, d, h); got != want {
			t.Fatalf("status %q, want %q", got, want)
		}
		if i == 250 {
			st = light
			b.SetStyles(st)
		}
	}
}

func TestOfState(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := &event.State{}
	if d := status.Read(s, now); d != (status.Status{}) {
		t.Errorf("empty state gives %+v", d)
	}
	meta := func() event.Meta {
		return event.Meta{Agent: "root", Turn: "t", At: now.Add(-41*time.Second - 300*time.Millisecond)}
	}
	for _, e := range []event.Event{
		&event.AgentSpawned{Meta: meta(), Role: "root"},
		&event.StatusChanged{Meta: meta(), Model: &event.Model{Name: "m", Host: "h"}, Mode: event.ModePlan, Work: &event.Workspace{Dir: "/d"}, Queue: &[]event.Queued{{}, {}}},
		&event.TitleChanged{Title: "title"},
		&event.TurnStarted{Meta: meta()},
		&event.UsageUpdated{Meta: meta(), Usage: event.Usage{Input: 10, CacheRead: 90, Output: 7}},
		&event.RetryScheduled{Meta: meta(), Attempt: 2, Max: 3, Reason: "rate limited", Until: now.Add(3100 * time.Millisecond)},
	} {
		s.Apply(e)
	}
	want := status.Status{
		Phase: event.PhaseRetrying, Detail: "rate limited", Host: "h", State: event.AgentRunning, Elapsed: 41 * time.Second,
		RetryIn: 4 * time.Second, Attempt: 2, Attempts: 3, Input: 100, Output: 7, Queue: 2,
	}
	if d := status.Read(s, now); d != want {
		t.Errorf("got  %+v\nwant %+v", d, want)
	}
	title := status.TitleOf(s)
	if title.Title != "title" || title.Model.Name != "m" || title.Mode != event.ModePlan || title.Work.Dir != "/d" {
		t.Errorf("title %+v", title)
	}
	s.Apply(&event.Requested{Meta: meta(), Request: event.Request{ID: "r", Agent: "root"}})
	if d := status.Read(s, now); !d.Waiting {
		t.Error("a question that waits isn't shown")
	}
}

// TestQuietAndBudget mentions a model that has brought nothing for a while, and
// that the model calls of a turn run out.
func TestQuietAndBudget(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	meta := func() event.Meta { return event.Meta{Agent: "root", Turn: "t", At: began} }
	s := &event.State{}
	s.Apply(&event.AgentSpawned{Meta: meta(), Role: "root"})
	s.Apply(&event.TurnStarted{Meta: meta(), Budget: 4})
	s.Apply(&event.PhaseChanged{Meta: meta(), Phase: event.PhaseWaiting})
	row := func(after time.Duration) string {
		return ansi.Strip(status.Row(styles, 120, status.Read(s, began.Add(after)), nil))
	}
	for after, want := range map[time.Duration]bool{19 * time.Second: false, 42 * time.Second: true} {
		if got := row(after); strings.Contains(got, "nothing new for "+after.String()) != want || strings.Contains(got, "model calls") {
			t.Errorf("after %v: %q", after, got)
		}
	}
	for n := range 3 {
		if got := row(0); strings.Contains(got, "model calls used") {
			t.Errorf("after %d calls: %q", n, got)
		}
		s.Apply(&event.UsageUpdated{Meta: meta(), Final: true})
	}
	if got := row(0); !strings.Contains(got, "3 of 4 model calls used") {
		t.Errorf("got %q", got)
	}
	s.Apply(&event.PhaseChanged{Meta: meta(), Phase: event.PhaseTools})
	if got := row(time.Minute); strings.Contains(got, "nothing new") {
		t.Errorf("a tool that runs is no silent model: %q", got)
	}
}

func TestGlyphsAreSingleCells(t *testing.T) {
	for f := range 8 {
		if g := status.Spinner(f); rows.Width(g) != 1 {
			t.Errorf("spinner %q takes %d cells", g, rows.Width(g))
		}
	}
	for _, g := range []string{"☤", "◆", "◇", "⚠", "○", "✗", "⏸", "↻", "·", "…"} {
		if rows.Width(g) != 1 {
			t.Errorf("%q takes %d cells", g, rows.Width(g))
		}
	}
}

func BenchmarkStatusRow(b *testing.B) {
	d := status.Status{Phase: event.PhaseAnswering, Elapsed: 41 * time.Second, Rate: 118, Input: 61_000, Output: 4_000, Queue: 2}
	b.ReportAllocs()
	for b.Loop() {
		d.Frame++
		if status.Row(styles, 120, d, hints) == "" {
			b.Fatal("empty")
		}
	}
}

func BenchmarkTitleRow(b *testing.B) {
	d := status.Title{
		Title: "fix flaky store test", Mode: event.ModeManual, Work: work("/home/ada/src/app", "main", true),
		Model: event.Model{Name: "opus-4.6", Effort: "high"},
	}
	b.ReportAllocs()
	for b.Loop() {
		if status.TitleRow(styles, 80, d) == "" {
			b.Fatal("empty")
		}
	}
}

// TestPlaceBadge says permanently where commands run, when that is not this
// machine as it is.
func TestPlaceBadge(t *testing.T) {
	st := rows.NewStyles(themes.Dark())
	for _, c := range []struct {
		work event.Workspace
		want string
	}{
		{event.Workspace{Place: "local"}, ""},
		{event.Workspace{}, ""},
		{event.Workspace{Place: "sandbox"}, "▣ sandbox · ◆ manual"},
		{event.Workspace{Place: "docker", Target: "golang:1.26"}, "⬡ docker golang:1.26 · ◆ manual"},
		{event.Workspace{Place: "ssh", Target: "anna@host.example"}, "⇄ ssh anna@host.example · ◆ manual"},
		{event.Workspace{Place: "\x1b[31mx", Target: strings.Repeat("y", 100)}, "· ◆ manual"},
	} {
		for _, w := range []int{140, 60} {
			row := ansi.Strip(status.TitleRow(st, w, status.Title{Mode: event.ModeManual, Work: c.work}))
			if rows.Width(row) != w || !strings.Contains(row, c.want) || strings.Contains(row, "·") != (c.want != "") {
				t.Errorf("%+v, %d wide: %q", c.work, w, row)
			}
		}
	}
}

// TestContextYields holds when the status row says how full the context is.
func TestContextYields(t *testing.T) {
	hints := []status.Hint{{Key: "f6", Text: "panes"}, {Key: "?", Text: "keys"}}
	for _, c := range []struct {
		full, w int
		want    string // empty for nothing
	}{
		{0, 120, ""}, {12, 120, "context ▓░░░░ 12%"}, {12, 50, ""}, {60, 66, "context ▓▓▓░░ 60%"}, {60, 35, ""},
		{91, 70, "⚠ context ▓▓▓▓▓ 91%"}, {91, 35, "⚠ context 91%"}, {96, 90, "⚠ context ▓▓▓▓▓ 96%, almost full"},
	} {
		row := ansi.Strip(status.Row(styles, c.w, status.Status{Full: c.full, Input: 90_000, Output: 1_200}, hints))
		if c.want == "" && strings.Contains(row, "context") || !strings.Contains(row, c.want) {
			t.Errorf("%d%% at %d cells: %q", c.full, c.w, row)
		}
	}
}

// TestContextWarns holds from where on the context has which style.
func TestContextWarns(t *testing.T) {
	part := func(full int) string {
		row := ansi.Strip(status.Row(styles, 120, status.Status{Full: full}, nil))
		_, text, _ := strings.Cut(row, "○ ready")
		return strings.TrimSpace(text)
	}
	for full, style := range map[int]rows.Style{49: styles.Muted, 50: styles.Text, 79: styles.Text, 80: styles.Warn, 94: styles.Warn, 95: styles.Bad, 130: styles.Bad} {
		row := status.Row(styles, 120, status.Status{Full: full}, nil)
		if want := style.Render(part(full)); !strings.Contains(row, want) {
			t.Errorf("%d%%: %q lacks %q", full, row, want)
		}
	}
}

// TestOwnSegmentYields holds that what the user's command adds goes before the cost and the
// figures, and brings no escape sequence.
func TestOwnSegmentYields(t *testing.T) {
	d := status.Status{Segment: "\x1b[31mmine\x1b[0m", Cost: "$0.42", Input: 9000, Output: 100, Agents: 2}
	hints := []status.Hint{{Key: "f6", Text: "panes"}, {Key: "?", Text: "keys"}}
	if row := status.Row(styles, 120, d, hints); !strings.Contains(ansi.Strip(row), "mine · 2 agents · $0.42") || strings.Contains(row, "\x1b[31mmine") {
		t.Errorf("%q", row)
	}
	for w := 120; w >= 20; w-- {
		row := ansi.Strip(status.Row(styles, w, d, hints))
		if strings.Contains(row, "mine") && !strings.Contains(row, "$0.42") {
			t.Errorf("%d: %q", w, row)
		}
	}
}
