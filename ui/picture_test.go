package ui

import (
	"encoding/xml"
	"flag"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
)

var updatePicture = flag.Bool("update", false, "draw docs/screen.svg again")

// TestPicture holds the picture of the README to what the program draws: a frame of a
// session that came as events do, at a fixed time.
func TestPicture(t *testing.T) {
	const w, h = 120, 35
	start := time.Unix(1_700_000_000, 0).UTC()
	m, problems := New(Options{Now: func() time.Time { return start.Add(41 * time.Second) }, Settings: settingsOfTests(), Dir: "/home/me/app", Home: "/home/me"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	t.Cleanup(m.cancel)
	m.onSize(size(w, h))
	m.told, m.dark, m.depth = true, true, themes.TrueColor
	m.restyle()
	photographed(m, start)
	m.conv = still{state: m.state}
	m.dirty = true
	got := svg(drawn(m), w, h)

	name := filepath.Join("..", "docs", "screen.svg")
	if *updatePicture {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || string(want) != got {
		t.Errorf("docs/screen.svg is not what the screen looks like (%v); draw it again with: go test ./ui -run TestPicture -update", err)
	}
}

// photographed is a session at work: tasks, subagents, a finished and a running call, and
// a question that waits.
func photographed(m *Model, at time.Time) {
	tell := func(agent event.AgentID, after time.Duration, events ...event.Event) {
		for _, e := range events {
			*e.Head() = event.Meta{At: at.Add(after), Conv: "c", Session: "s", Agent: agent, Turn: "t1"}
			event.Stamp(e)
		}
		m.dispatch(eventsMsg{gen: m.gen, events: events})
	}
	work := event.Workspace{Dir: "/home/me/app", Root: "/home/me/app", Branch: "main", Dirty: true, Trusted: true, Place: "local", Home: "/home/me"}
	tell("root", 0,
		&event.AgentSpawned{Role: event.RoleRoot, Model: "a-model"},
		&event.StatusChanged{Model: &event.Model{Provider: "p", Name: "a-model", Host: "llm.example", ContextMax: 200_000, Effort: "high"}, Mode: event.ModeGuarded, Work: &work},
		&event.TitleChanged{Title: "fix the flaky store test"})
	view := func(kind event.ViewKind, name, subject, body string) event.CallView {
		return event.CallView{Kind: kind, Name: name, Subject: subject, Body: body}
	}
	test, delegate, push := view(event.ViewCommand, "terminal", "go test ./store -run Append -count=20", ""), view(event.ViewAgent, "delegate_task", "2 subagents", ""), view(event.ViewCommand, "terminal", "git push --force-with-lease origin fix/append", "")
	fails := test
	fails.Body = "--- FAIL: TestConcurrentAppend (0.02s)\n    append_test.go:41: 2 entries have the number 17\nFAIL\n"
	fails.Exit = new(int)
	*fails.Exit = 1
	tell("root", time.Second,
		&event.TurnStarted{Budget: 90},
		&event.MessageCommitted{Message: "m1", Role: event.RoleUser, Block: "b1", Text: "The store test fails one run in ten. Find out why and fix it."},
		&event.MessageCommitted{Message: "m2", Role: event.RoleAssistant, Block: "b3", Text: "I run it until it fails.",
			Reasoning: &event.Reasoning{Block: "b2", Text: "The failure is in TestConcurrentAppend, so two writers meet.", Took: 4200 * time.Millisecond},
			Calls:     []event.CallHead{{Call: "k1", View: test}}},
		&event.ToolStarted{Call: "k1", View: test},
		&event.ToolFinished{Call: "k1", Outcome: event.OutcomeFailed, Took: 12400 * time.Millisecond, View: fails},
		&event.MessageCommitted{Message: "m3", Role: event.RoleAssistant, Block: "b4", Text: "`Append` reads the counter **before** it takes the lock:\n\n```go\nn := s.next        // two writers read the same number\ns.mu.Lock()\n```\n\nTwo subagents look whether others rely on that.",
			Calls: []event.CallHead{{Call: "k2", View: delegate}, {Call: "k3", View: push}}},
		&event.TodosChanged{Items: []event.Todo{
			{ID: "1", Content: "Make it fail every time", Status: event.TodoCompleted}, {ID: "2", Content: "Find the shared state", Status: event.TodoCompleted},
			{ID: "3", Content: "Fix it, with a test", Status: event.TodoInProgress}, {ID: "4", Content: "Run the suite ten times", Status: event.TodoPending},
		}},
		&event.UsageUpdated{Usage: event.Usage{Input: 61_000, Output: 4000, Calls: 3}, Context: event.Context{Used: 96_000, Max: 200_000}, Final: true},
		&event.ToolStarted{Call: "k2", View: delegate})
	for i, goal := range []string{"List all callers of Append", "Find the commit that moved the lock"} {
		id := event.AgentID(fmt.Sprint("a", i+1))
		tell(id, time.Duration(20+i)*time.Second,
			&event.AgentSpawned{Parent: "root", Tree: "t1", Call: "k2", Index: i, Depth: 1, Role: event.RoleLeaf, Goal: goal, Model: "a-model", Budget: 50})
		tell(id, time.Duration(22+i)*time.Second, &event.TurnStarted{Budget: 50}, &event.PhaseChanged{Phase: event.PhaseReasoning})
	}
	tell("root", 40*time.Second,
		&event.ToolStarted{Call: "k3", View: push},
		&event.Requested{Request: event.Request{ID: "q1", Kind: event.RequestApproval, Agent: "root", Path: []string{"root"}, Call: "k3", Approval: &event.Approval{
			Action: "run", Text: push.Subject, SHA256: "00", Reason: "rewrites the remote branch", Category: "git",
			Words: []string{"--force-with-lease"}, Dir: "/home/me/app", Rule: "git push *", Editable: true}}})
	shown(m)
	m.panel.Arm()
}

// The cell of the picture, in pixels, and the colours of a terminal that says nothing else.
const (
	cellWidth, cellHeight = 8, 17
	paper, ink            = "#16181d", "#d8dbe2"
)

// svg draws a frame: a rectangle for each run of one background, and a text for each run
// of one style, stretched to its cells.
func svg(frame string, w, h int) string {
	buf := uv.NewScreenBuffer(w, h)
	uv.NewStyledString(frame).Draw(buf, uv.Rect(0, 0, w, h))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13">`+"\n", w*cellWidth+16, h*cellHeight+16)
	fmt.Fprintf(&b, "<title>hermes-tui at work</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n", paper)
	for y := range h {
		for x := 0; x < w; {
			style, from, text := styleAt(buf, x, y), x, ""
			for x < w && styleAt(buf, x, y) == style {
				c := buf.CellAt(x, y)
				text, x = text+c.Content, x+max(1, c.Width)
			}
			left, top, width := 8+from*cellWidth, 8+y*cellHeight, (x-from)*cellWidth
			if style.back != paper {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", left, top, width, cellHeight, style.back)
			}
			if strings.TrimSpace(text) == "" {
				continue
			}
			fmt.Fprintf(&b, `<text x="%d" y="%d" textLength="%d" fill="%s"%s xml:space="preserve">`, left, top+13, width, style.front, style.more)
			_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
			b.WriteString("</text>\n")
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// look of a cell, as attributes of SVG.
type cellLook struct{ front, back, more string }

func styleAt(buf uv.ScreenBuffer, x, y int) cellLook {
	s := buf.CellAt(x, y).Style
	l := cellLook{front: hex(s.Fg, ink), back: hex(s.Bg, paper)}
	if s.Attrs&uv.AttrReverse != 0 {
		l.front, l.back = l.back, l.front
	}
	for _, a := range []struct {
		attr uint8
		as   string
	}{{uv.AttrBold, ` font-weight="bold"`}, {uv.AttrItalic, ` font-style="italic"`}, {uv.AttrFaint, ` opacity=".6"`}} {
		if s.Attrs&a.attr != 0 {
			l.more += a.as
		}
	}
	return l
}

func hex(c color.Color, otherwise string) string {
	if c == nil {
		return otherwise
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
