package agents_test

import (
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/agents"
)

// beat lets an agent write so many characters, then tells the pane.
func beat(p *agents.Pane, s *talk, id event.AgentID, chars int) {
	s.after(2 * time.Second)
	if chars > 0 {
		s.add(id, "", &event.TextDelta{Block: "b", Text: strings.Repeat("x", chars)})
	}
	p.Tick(s.now, 0)
	p.Sync(&s.s)
}

func rowOf(text, name string) string {
	for row := range strings.SplitSeq(text, "\n") {
		if strings.Contains(row, name) {
			return row
		}
	}
	return ""
}

// TestSparkline draws what arrived in the last minute, and lets it fade.
func TestSparkline(t *testing.T) {
	s := newTalk().child("a", "root", "writes", 0, event.AgentRunning).child("b", "root", "thinks", 0, event.AgentRunning)
	s.add("a", "", &event.TextDelta{Block: "b", Text: strings.Repeat("x", 100_000)}) // before anyone looked
	p := agents.New(styles)
	p.Tick(s.now, 0)
	p.Sync(&s.s)
	if row := rowOf(shown(p, 80, 5), "writes"); strings.ContainsAny(row, "▁▂▃▄▅▆▇█▏▎▍▌") {
		t.Errorf("what was there before counts: %q", row)
	}
	for _, n := range []int{2, 2, 2, 60, 60, 60, 1000, 1000, 1000, 50_000, 50_000, 50_000} {
		beat(p, s, "a", n)
	}
	text := shown(p, 80, 5)
	if row := rowOf(text, "writes"); !strings.Contains(row, "  ▁▃▃▅██ ") {
		t.Errorf("sparkline of %q", row)
	} else if !strings.Contains(row, "▌writes") {
		t.Errorf("no heat in %q", row)
	}
	if row := rowOf(text, "thinks"); strings.ContainsAny(row, "▁▂▃▄▅▆▇█▏▎▍▌") {
		t.Errorf("an idle agent is drawn as %q", row)
	}
	for range 10 {
		beat(p, s, "a", 0)
	}
	if row := rowOf(shown(p, 80, 5), "writes"); !strings.Contains(row, "█ ") || strings.Contains(row, "▌") {
		t.Errorf("after 20 seconds %q", row)
	}
	for range 25 {
		beat(p, s, "a", 0)
	}
	if row := rowOf(shown(p, 80, 5), "writes"); strings.ContainsAny(row, "▁▂▃▄▅▆▇█") {
		t.Errorf("after a minute %q", row)
	}
}

// TestActivityIsOfTheLastMinute lets much arrive, then little: at once, and after
// a long silence.
func TestActivityIsOfTheLastMinute(t *testing.T) {
	for _, silence := range []time.Duration{0, 4 * time.Minute} {
		s := newTalk().child("a", "root", "writes", 0, event.AgentRunning)
		p := pane(s)
		for range 40 {
			beat(p, s, "a", 50_000)
		}
		s.after(silence)
		for range 20 {
			beat(p, s, "a", 2)
		}
		row := rowOf(shown(p, 80, 5), "writes")
		if !strings.Contains(row, "▁▁▁▁▁▁▁▁▁▁ ") || strings.Contains(row, "█") != (silence == 0) {
			t.Errorf("after a silence of %v: %q", silence, row)
		}
		for range 12 {
			beat(p, s, "a", 2)
		}
		if row := rowOf(shown(p, 80, 5), "writes"); strings.Contains(row, "█") {
			t.Errorf("after another minute: %q", row)
		}
	}
}

// TestActivityIsDeterministic gives the same calls twice, the second time with a
// clock that jumps.
func TestActivityIsDeterministic(t *testing.T) {
	draw := func(jump time.Duration) string {
		s := newTalk().child("a", "root", "writes", 0, event.AgentRunning)
		p := pane(s)
		for i := range 40 {
			beat(p, s, "a", i*i)
			if i == 20 {
				s.after(jump)
			}
		}
		return rowOf(shown(p, 80, 5), "writes")
	}
	if one, two := draw(0), draw(0); one != two {
		t.Errorf("%q and %q", one, two)
	}
	for _, jump := range []time.Duration{-time.Hour, time.Hour, -100 * 365 * 24 * time.Hour} {
		if row := draw(jump); row == "" {
			t.Errorf("with a clock that jumps by %v there is no row", jump)
		}
	}
}

// TestToolsCount holds that calls that end, and news of other kinds, are activity.
func TestToolsCount(t *testing.T) {
	s := newTalk().child("a", "root", "works", 0, event.AgentRunning)
	p := pane(s)
	s.s.Agent("a").Tools++
	beat(p, s, "a", 0)
	if row := rowOf(shown(p, 80, 5), "works"); !strings.ContainsAny(row, "▁▂▃▄▅▆▇█") {
		t.Errorf("a call that ended is no activity: %q", row)
	}
	for range 40 {
		beat(p, s, "a", 0)
	}
	s.add("a", "", &event.PhaseChanged{Phase: event.PhaseConnecting})
	p.Sync(&s.s)
	if row := rowOf(shown(p, 80, 5), "works"); !strings.Contains(row, "▁") {
		t.Errorf("a change of phase is no activity: %q", row)
	}
}
