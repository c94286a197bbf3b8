package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
)

// wishes are what regions may ask for: nothing, usual things, far too much.
func wishes() map[string]wants {
	return map[string]wants{
		"idle":     {side: true, summary: 1, composer: 1},
		"drawer":   {side: true, drawer: true, summary: 2, composer: 1},
		"hidden":   {summary: 2, composer: 3},
		"question": {side: true, summary: 2, composer: 1, prompt: 7},
		"busy":     {side: true, drawer: true, summary: 2, looking: 1, composer: 2, queue: 3, prompt: 9, menu: 6},
		"too much": {side: true, drawer: true, summary: 99, composer: 99, queue: 99, prompt: 99, menu: 99},
	}
}

// TestLayout arranges every size: the regions fill the screen exactly, and what
// the user is asked and writes has room.
func TestLayout(t *testing.T) {
	for name, want := range wishes() {
		for w := 20; w <= 240; w++ {
			for h := 5; h <= 80; h++ {
				l := arrange(w, h, want)
				if problem := wrong(l, w, h, want); problem != "" {
					t.Fatalf("%s on %d×%d: %s: %+v", name, w, h, problem, l)
				}
			}
		}
	}
}

// wrong says what is wrong with a layout, empty for nothing.
func wrong(l layout, w, h int, want wants) string {
	if small := w < 40 || h < 10; l.tooSmall != small {
		return fmt.Sprintf("too small is %v", l.tooSmall)
	} else if small {
		return ""
	}
	rows := l.body + l.summary + l.looking + l.queue + l.prompt + l.menu + l.composer + count(l.title, l.topRule, l.lowerRule, l.inputRule, l.status)
	columns := l.main
	if l.side > 0 {
		columns += 1 + l.side
	}
	switch side := want.side && (w >= 120 || w >= 80 && want.drawer); {
	case rows != h:
		return fmt.Sprintf("the rows are %d", rows)
	case columns != w:
		return fmt.Sprintf("the columns are %d", columns)
	case (l.side > 0) != side:
		return "the side panes are not where they belong"
	case l.side > 0 && l.summary > 0:
		return "the side panes are shown twice"
	case l.side == 0 && l.summary == 0 && want.prompt+want.menu+want.queue == 0:
		return "the side panes are not even summed up"
	case !l.title || !l.status || l.composer < 1 || l.body < 1 || l.body < 3 && (h >= roomyRows || want.prompt <= 3):
		return "something is missing"
	case l.side > 0 && l.main < 40:
		return "the transcript is too narrow"
	case want.prompt > 0 && l.prompt < min(want.prompt, 2):
		return "the question has no room"
	case l.composer > want.composer || l.prompt > want.prompt || l.menu > want.menu || l.queue > want.queue || l.summary > want.summary:
		return "a region got more than it asked for"
	case l.composerTop() != h-1-l.composer, l.promptTop() != l.composerTop()-count(l.inputRule)-l.menu-l.prompt:
		return "the regions are not where they say"
	}
	return ""
}

func TestLayoutGrowsSteadily(t *testing.T) {
	for name, want := range wishes() {
		for w := 40; w <= 240; w += 40 {
			last := arrange(w, 10, want)
			for h := 11; h <= 80; h++ {
				l := arrange(w, h, want)
				if l.composer < last.composer || l.prompt < last.prompt && h != roomyRows {
					t.Errorf("%s at %d columns: from %d to %d rows it shrinks: %+v, %+v", name, w, h-1, h, last, l)
				}
				last = l
			}
		}
	}
}

// TestFrames draws every width at some heights and every height at some widths,
// in every situation: each frame has exactly its rows, each row exactly its
// cells.
func TestFrames(t *testing.T) {
	for name, enter := range screens() {
		t.Run(name, func(t *testing.T) {
			m := newScreen(t, 80, 24, settingsOfTests())
			enter(m)
			for w := 20; w <= 240; w++ {
				resized(t, m, name, w, []int{5, 9, 10, 16, 30}[w%5])
			}
			for h := 5; h <= 80; h++ {
				resized(t, m, name, []int{20, 40, 79, 80, 119, 120, 200}[h%7], h)
			}
			for w := 20; w <= 240 && name == "armed"; w++ { // the most there is to see
				for h := 5 + w%8; h <= 80; h += 8 {
					resized(t, m, name, w, h)
				}
			}
		})
	}
}

func resized(t *testing.T, m *Model, name string, w, h int) {
	t.Helper()
	m.onSize(size(w, h))
	whole(t, m, fmt.Sprintf("%s on %d×%d", name, w, h))
}

func TestSmallestScreens(t *testing.T) {
	for name, enter := range situations() {
		m := newScreen(t, 40, 10, settingsOfTests())
		enter(m)
		text, armed := shown(m), m.panel.Armed()
		if strings.Contains(text, "too small") || !strings.ContainsAny(text, "❯↑") && m.box == nil {
			t.Errorf("%s on 40×10:\n%s", name, text)
		}
		for _, s := range [][2]int{{39, 10}, {40, 9}, {20, 5}} {
			m.onSize(size(s[0], s[1]))
			want := fmt.Sprintf("%d×%d is too small: make the window at least 40×10.", s[0], s[1])
			if m.panel.Active() {
				want += " A question waits; esc denies it."
			}
			if got := strings.Join(strings.Fields(shown(m)), " "); got != want {
				t.Errorf("%s on %v: %q", name, s, got)
			}
		}
		m.onSize(size(40, 10))
		if shown(m); m.panel.Armed() {
			t.Errorf("%s: a question that was hidden still has the keys", name)
		}
		if armed {
			m.panel.Arm()
		}
		if got := shown(m); got != text {
			t.Errorf("%s: after a smaller window the screen is\n%s\nbefore it was\n%s", name, got, text)
		}
	}
}

// TestColumns looks at where the side panes are on a wide, a medium and a narrow
// screen.
func TestColumns(t *testing.T) {
	m := newScreen(t, 120, 30, settingsOfTests())
	busy(m)
	for _, c := range []struct {
		w             int
		drawer        bool
		side, summary bool
	}{
		{120, false, true, false}, {200, true, true, false}, {119, false, false, true}, {119, true, true, false}, {80, true, true, false},
		{79, true, false, true}, {40, false, false, true},
	} {
		m.view = view{}
		if c.drawer {
			m.view.drawer = drawerByHand
		}
		m.onSize(size(c.w, 30))
		text := shown(m)
		// The joint of the rule over the side panes, and the tasks one by one.
		side := strings.Contains(text, "┬") && strings.Contains(text, "│  ✓ Read the code")
		summary := strings.Contains(text, "1/4") && !strings.Contains(text, "┬")
		if side != c.side || summary != c.summary {
			t.Errorf("%d columns, drawer %v: side panes %v, summary %v:\n%s", c.w, c.drawer, side, summary, text)
		}
	}
}

// shown is the frame as text.
func shown(m *Model) string {
	m.dirty = true
	return ansi.Strip(drawn(m))
}

// TestEmptyPanesAreNotShown holds that the panes take room only with something in
// them, or when they were asked for.
func TestEmptyPanesAreNotShown(t *testing.T) {
	for _, w := range []int{60, 80, 100, 160} {
		m := newScreen(t, w, 30, app.Settings{})
		m.state = &event.State{Agents: []*event.Agent{{ID: "root"}}}
		if l := arrange(w, 30, m.wants()); l.panes() || l.summary > 0 {
			t.Errorf("%d columns: empty panes take %d columns and %d rows", w, l.side, l.summary)
		}
		m.dirty = true
		m.View()
		m.toggleSide()
		if l := arrange(w, 30, m.wants()); !l.panes() {
			t.Errorf("%d columns: they cannot be opened", w)
		}
		m.dirty = true
		m.View()
		m.toggleSide()
		if l := arrange(w, 30, m.wants()); l.panes() {
			t.Errorf("%d columns: they cannot be closed", w)
		}
		m = newScreen(t, w, 30, app.Settings{})
		m.state = &event.State{Agents: []*event.Agent{{ID: "root"}, {ID: "kid", Parent: "root"}}}
		if l := arrange(w, 30, m.wants()); l.side == 0 && l.summary == 0 {
			t.Errorf("%d columns: a subagent is not seen", w)
		}
	}
}
