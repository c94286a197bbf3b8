package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/internal/uitest"
	"hermes-tui/store"
	"hermes-tui/store/config"
)

// BenchmarkResume50k opens the store and resumes a conversation of 50,000
// messages until its end can be shown (first-ms) and until its state is there (ms),
// which is what the screen does once it is drawn. The demo model answers, so nothing is
// looked for.
func BenchmarkResume50k(b *testing.B) {
	const messages = 50_000
	conv, err := uitest.WriteFixture(b.Context(), filepath.Join(b.TempDir(), ".hermes"), messages, uitest.FixtureOptions{})
	if err != nil {
		b.Fatal(err)
	}
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"HERMES_HOME": conv.Home}[name]
		return v, ok
	}
	home, err := store.Find(store.Where{Env: env, WorkDir: conv.Dir})
	if err != nil {
		b.Fatal(err)
	}
	c, _, err := config.Load(config.Options{File: home.Config(), Env: env, Flags: map[string]string{"model.provider": "demo"}})
	if err != nil {
		b.Fatal(err)
	}
	var first time.Duration
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		glimpse := func(s *event.State) {
			first += time.Since(began)
			if blocks := s.Root().Blocks; !strings.HasSuffix(blocks[len(blocks)-1].Text.String(), conv.Last) {
				b.Errorf("it ends with %q, want %q", blocks[len(blocks)-1].Text.String(), conv.Last)
			}
		}
		a, err := app.Open(b.Context(), app.Options{Home: home, Config: c, Env: env, Dir: conv.Dir, Glimpse: glimpse, IDs: event.SystemSource()})
		if err != nil {
			b.Fatal(err)
		}
		running, err := a.Resume(b.Context(), string(conv.Session))
		if err != nil {
			b.Fatal(err)
		}
		if root := running.State().Root(); root.Turns != conv.Turns || root.Tools != conv.Calls {
			b.Fatalf("%d turns and %d calls, want %d and %d", root.Turns, root.Tools, conv.Turns, conv.Calls)
		}
		b.StopTimer()
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(conv.Events), "events")
	b.ReportMetric(300, "target-ms")
	b.ReportMetric(60, "target-first-ms")
	b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "first-ms")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
	b.ReportMetric(0, "ns/op")
}
