package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/feature"
	"hermes-tui/ui/overlay"
)

// below reports whether a window is the one that the open window gives way to.
func (w *windows) below(b overlay.Box) bool { return len(w.under) > 0 && w.under[len(w.under)-1] == b }

// featureTickMsg is due when a list is to be read again.
type featureTickMsg struct {
	window *featureWindow
	reads  int
}

func (msg featureTickMsg) handle(m *Model) tea.Cmd {
	if msg.reads != msg.window.reads {
		return nil
	}
	return m.refresh(msg.window)
}

// refresh reads a list again that changes by itself, if it is in sight or the text of an
// entry.
func (m *Model) refresh(w *featureWindow) tea.Cmd {
	if w == nil || w.list.Changed == nil || m.conv == nil || m.box != w && !m.below(w) {
		return nil
	}
	return m.readFeature(w, "")
}

// featureNewsMsg says that a list may have changed.
type featureNewsMsg struct{ name string }

func (msg featureNewsMsg) handle(m *Model) tea.Cmd {
	delete(m.following, msg.name)
	return m.refresh(m.featured)
}

// followFeature reads a list again when it has changed. One of each feature waits at a time.
func (m *Model) followFeature(w *featureWindow) tea.Cmd {
	var cmds []tea.Cmd
	if w.list.Again > 0 {
		msg := featureTickMsg{w, w.reads}
		cmds = append(cmds, m.after(w.list.Again, func() tea.Msg { return msg }))
	}
	if changed := w.list.Changed; changed != nil && !m.following[w.of.Name] {
		m.following[w.of.Name] = true
		ctx, name := m.ctx, w.of.Name
		cmds = append(cmds, func() tea.Msg { // the program is at rest meanwhile
			select {
			case <-ctx.Done():
			case <-changed:
			}
			return featureNewsMsg{name}
		})
	}
	return tea.Batch(cmds...)
}

// featureMarkedMsg says that another entry may be marked, or that it is in another state.
type featureMarkedMsg struct{ window *featureWindow }

func (msg featureMarkedMsg) handle(m *Model) tea.Cmd {
	w := msg.window
	e, ok := w.list.Entry(w.marked)
	w.SetHints(w.hints(m, e))
	m.dirty = true
	if !ok || w.of.Tail == nil {
		return nil
	}
	ctx, host := m.ctx, m.host()
	return entryText(w, e, func(f feature.Feature) string { return f.Tail(ctx, host, e) })
}

// featureTextMsg brings what an entry says now.
type featureTextMsg struct {
	window *featureWindow
	id     string
	text   string
}

// entryText reads what an entry says.
func entryText(w *featureWindow, e feature.Entry, read func(feature.Feature) string) tea.Cmd {
	return func() tea.Msg { return featureTextMsg{w, e.ID, read(w.of)} }
}

// readOn reads more of the text that is open over a window, if that grows.
func (m *Model) readOn(w *featureWindow) tea.Cmd {
	e, ok := w.list.Entry(w.reading)
	if !ok || w.of.Tail == nil {
		return nil
	}
	ctx, host := m.ctx, m.host()
	return entryText(w, e, func(f feature.Feature) string {
		text, _ := f.Read(ctx, host, e)
		return text
	})
}

func (msg featureTextMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	switch w := msg.window; {
	case m.box == w:
		m.dirty = w.SetTail(msg.id, msg.text) || m.dirty
	case m.below(w) && msg.id == w.reading:
		if b, ok := m.box.(interface{ Grow(text string) bool }); ok {
			m.dirty = b.Grow(msg.text) || m.dirty
		}
	}
	return nil
}
