package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
)

// answered is the state of a conversation of n questions and answers.
func answered(n int) *event.State {
	st := &event.State{}
	put := func(turn int, e event.Event) {
		*e.Head() = event.Meta{Agent: "root", Turn: event.TurnID(fmt.Sprint("t", turn))}
		st.Apply(e)
	}
	put(0, &event.AgentSpawned{Role: event.RoleRoot})
	for i := range n {
		put(i, &event.TurnStarted{})
		put(i, &event.MessageCommitted{Message: event.MessageID(fmt.Sprint("q", i)), Role: event.RoleUser, Block: event.BlockID(fmt.Sprint("bq", i)), Text: fmt.Sprintf("Question %d.", i)})
		put(i, &event.MessageCommitted{Message: event.MessageID(fmt.Sprint("a", i)), Role: event.RoleAssistant, Block: event.BlockID(fmt.Sprint("ba", i)), Text: fmt.Sprintf("Answer %d.", i)})
		put(i, &event.TurnFinished{Outcome: event.TurnCompleted})
	}
	return st
}

// TestGlimpse shows the end of a conversation before the rest is there: it can be looked
// at and typed under, what needs the conversation waits, and what is on top stays there
// when it comes.
func TestGlimpse(t *testing.T) {
	t.Parallel()
	begun := func(t *testing.T) (*Model, *event.State) {
		t.Helper()
		m, _ := New(Options{Now: time.Now, Settings: app.Settings{Theme: "dark", ShowReasoning: true}})
		m.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
		whole, end := answered(40), answered(40)
		end.Root().Blocks = slices.Clone(end.Root().Blocks[40:])
		end.Title, whole.Title = "old work", "old work"
		m.Update(glimpsedMsg{end})
		return m, whole
	}
	screen := func(m *Model) string {
		m.dirty = true
		return ansi.Strip(drawn(m))
	}
	t.Run("at the end", func(t *testing.T) {
		t.Parallel()
		m, whole := begun(t)
		if s := screen(m); !strings.Contains(s, "Answer 39.") || !strings.Contains(s, "old work") || !strings.Contains(s, "starting") {
			t.Fatalf("shows\n%s", s)
		}
		m.command("/help")
		for _, r := range "hello" {
			m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		m.Update(openedMsg{conv: still{state: whole}})
		if m.box == nil {
			t.Error("the command was not run")
		}
		m.onKey(pressed(t, "esc"))
		if s := screen(m); !strings.Contains(s, "Answer 39.") || !strings.Contains(s, "hello") {
			t.Errorf("then\n%s", s)
		}
		m.transcript.Top()
		if s := screen(m); !strings.Contains(s, "Question 0.") {
			t.Errorf("the beginning is\n%s", s)
		}
		m.Update(glimpsedMsg{answered(3)}) // too late
		if s := screen(m); !strings.Contains(s, "Question 0.") || len(m.state.Root().Blocks) != 80 {
			t.Errorf("a late look changed it to\n%s", s)
		}
	})
	t.Run("scrolled", func(t *testing.T) {
		t.Parallel()
		m, whole := begun(t)
		m.transcript.PageUp()
		m.transcript.PageUp()
		body := func() (rows []string) {
			for row := range strings.Lines(screen(m)) {
				if strings.Contains(row, "Question") || strings.Contains(row, "Answer") {
					rows = append(rows, strings.TrimSpace(row))
				}
			}
			return rows
		}
		before := body()
		m.Update(openedMsg{conv: still{state: whole}})
		if after := body(); len(before) == 0 || !slices.Equal(before, after) || m.transcript.NewLines() != 0 {
			t.Errorf("%d new, before\n%s\nafter\n%s", m.transcript.NewLines(), strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	})
}
