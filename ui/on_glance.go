package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
)

// looker is a window that shows more of the entry that is marked. Look asks for it,
// once.
type looker interface{ Look() overlay.Request }

// lookMsg asks for what is shown of a session.
type lookMsg struct {
	of      *sessionsWindow
	session string
}

// glanceMsg brings it.
type glanceMsg struct {
	of     *sessionsWindow
	glance app.Glance
	err    error
}

// Look implements looker.
func (w *sessionsWindow) Look() overlay.Request {
	it, ok := w.Selected()
	if !ok || it.ID == w.seen {
		return nil
	}
	w.seen = it.ID
	return lookMsg{w, it.ID}
}

// looked lets the open window ask for what it shows of the entry that is marked now.
func (m *Model) looked(cmd tea.Cmd) tea.Cmd {
	w, ok := m.box.(looker)
	if !ok {
		return cmd
	}
	if r := w.Look(); r != nil {
		return tea.Batch(cmd, m.dispatch(r))
	}
	return cmd
}

func (msg lookMsg) handle(m *Model) tea.Cmd {
	a, ctx := m.app, m.ctx
	return m.do(func() tea.Msg {
		g, err := a.Glance(ctx, msg.session)
		g.Session = msg.session
		return glanceMsg{msg.of, g, err}
	})
}

func (msg glanceMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	if m.box != msg.of || msg.glance.Session != msg.of.seen {
		return nil
	}
	var notes []overlay.Note
	if msg.err != nil {
		notes = []overlay.Note{{Text: sentence(msg.err), Rows: 3}}
	} else {
		notes = m.glanced(msg.of, msg.glance)
	}
	msg.of.SetNotes(msg.glance.Session, notes)
	m.dirty = true
	return nil
}

// glanced says what is known of a session.
func (m *Model) glanced(w *sessionsWindow, g app.Glance) []overlay.Note {
	var s app.SessionInfo
	for _, one := range w.list {
		if one.Session == g.Session {
			s = one
		}
	}
	used := []string{format.Count(s.Messages, "message", "messages")}
	if g.Calls > 0 {
		used = append(used, format.Count(int(g.Calls), "tool call", "tool calls"))
	}
	if n := g.Usage.Prompt() + g.Usage.Output; n > 0 {
		used = append(used, format.Tokens(n)+" tokens")
	}
	if cost := format.CostBrief(g.Usage); cost != "" {
		used = append(used, cost)
	}
	ago := func(at time.Time) string { return format.Ago(m.now().Sub(at)) }
	notes := []overlay.Note{
		{Text: nameOf(s), Tone: overlay.Strong, Rows: 2},
		{Text: strings.Join(used, " · "), Tone: overlay.Faint},
		{Text: strings.TrimPrefix(g.Model+" · began "+ago(g.Started)+" · last used "+ago(s.LastActive), " · "), Tone: overlay.Faint},
		{Text: status.ShortDir(s.Dir, m.state.Work.Home), Tone: overlay.Faint},
	}
	if g.From != "" {
		notes = append(notes, overlay.Note{Text: "A branch of " + g.From, Tone: overlay.Faint})
	}
	for _, said := range g.Said {
		note := overlay.Note{Text: said.Text, Rows: 12}
		if said.User {
			note = overlay.Note{Text: "❯ " + said.Text, Tone: overlay.Mine, Rows: 4}
		}
		notes = append(notes, overlay.Note{}, note)
	}
	return notes
}
