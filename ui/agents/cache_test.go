package agents_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/rows"
)

// TestCacheRow stands below the context when there is something to say and room for
// it, and counts into the height.
func TestCacheRow(t *testing.T) {
	hit := event.CacheReport{Outcome: event.CacheHit, Prompt: 1000, Read: 920, Sent: start.Add(-30 * time.Second), Keep: 5 * time.Minute}
	missed := hit
	missed.Outcome, missed.Read, missed.Lost = event.CacheMiss, 0, event.Dollar
	old := hit
	old.Sent = start.Add(-time.Hour)
	silent := event.CacheReport{Outcome: event.CacheSilent, Prompt: 1000}
	for _, c := range []struct {
		name   string
		report *event.CacheReport
		busy   bool
		want   string
	}{
		{"at rest", &hit, false, "Cache   92% hit · warm to " + start.Add(4*time.Minute+30*time.Second).Local().Format("15:04")},
		{"at work", &hit, true, "Cache   92% hit · warm 4m"},
		{"missed", &missed, true, "Cache   ⚠ 0% hit · warm 4m"},
		{"cold", &old, false, "Cache   92% hit · cold"},
		{"silent", &silent, false, ""},
		{"none", nil, false, ""},
	} {
		s := newTalk()
		s.add("root", "t1", &event.TurnStarted{Budget: 90})
		s.add("root", "t1", &event.UsageUpdated{Context: event.Context{Used: 96_000, Max: 200_000}, Cache: c.report, Final: true})
		if !c.busy {
			s.add("root", "t1", &event.TurnFinished{Outcome: event.TurnCompleted})
		}
		p := agents.New(styles)
		p.Tick(start, 0)
		p.Sync(&s.s)
		for _, w := range []int{20, 32, 60} {
			text := ansi.Strip(strings.Join(p.Rows(nil, w, 10), "\n"))
			for _, row := range strings.Split(text, "\n") {
				if n := rows.Width(row); n != w {
					t.Errorf("%s: a row of %d cells in %d", c.name, n, w)
				}
			}
			if w > 30 && (c.want == "") == strings.Contains(text, "Cache") || !strings.Contains(text, c.want) && w > 30 {
				t.Errorf("%s, %d cells:\n%s", c.name, w, text)
			}
		}
		least := 4
		if c.want != "" {
			least = 5
		}
		if got := p.Height(50); got < least {
			t.Errorf("%s: height %d", c.name, got)
		}
		if strings.Contains(ansi.Strip(strings.Join(p.Rows(nil, 60, 6), "\n")), "Cache") {
			t.Errorf("%s: it takes the place of agents", c.name)
		}
	}
}
