package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/themes"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

func (m *Model) onSize(msg tea.WindowSizeMsg) tea.Cmd {
	m.w, m.h, m.dirty = msg.Width, msg.Height, true
	return tea.Batch(m.animate(), m.observe(false))
}

func (m *Model) onFocus(on bool) tea.Cmd {
	away := m.blurred
	m.focusful, m.blurred = true, !on
	if !on {
		return nil
	}
	m.dirty = true
	if m.terminal != nil && away { // a terminal may tell its focus whenever it is asked to
		m.terminal.Remind()
	}
	m.tickRegions(m.now())
	return m.animate()
}

// onScheme asks for the background when the terminal says that its colours have
// changed.
func (m *Model) onScheme() {
	if m.taken.auto() {
		m.askBackground()
	}
}

// onBackground learns whether the terminal is dark.
func (m *Model) onBackground(msg tea.BackgroundColorMsg) tea.Cmd {
	m.told = true
	if dark := msg.IsDark(); dark != m.dark {
		m.dark, m.dirty = dark, true
		m.restyle()
	}
	return nil
}

// onColorProfile learns how many colours the terminal has.
func (m *Model) onColorProfile(msg tea.ColorProfileMsg) tea.Cmd {
	if depth := themes.DepthOf(msg.Profile); depth != m.depth {
		m.depth, m.dirty = depth, true
		m.restyle()
	}
	return nil
}

// toggleSide shows or hides the side panes.
func (m *Model) toggleSide() {
	m.change(change{step: toggled, w: m.w, on: m.lay.side > 0})
	if m.w >= mediumColumns {
		return
	}
	m.lay = arrange(m.w, m.h, m.wants())
	if m.view.below {
		m.setFocus(focusSide)
	} else if m.focus == focusSide {
		m.setFocus(focusComposer)
	}
}

// wheelRows is how far one step of the mouse wheel scrolls.
const wheelRows = 3

func (m *Model) onWheel(msg tea.MouseWheelMsg) tea.Cmd {
	var step int
	switch msg.Button {
	case tea.MouseWheelUp:
		step = -wheelRows
	case tea.MouseWheelDown:
		step = wheelRows
	default:
		return nil
	}
	m.dirty = true
	if m.box != nil {
		a := keys.Down
		if step < 0 {
			a = keys.Up
		}
		var r overlay.Request
		for range wheelRows {
			r = overlay.Do(m.box, a)
		}
		return m.dispatch(r)
	}
	m.transcript.ScrollBy(step)
	return m.animate()
}

// onDrag extends a selection, or says how text is selected elsewhere: the mouse is the
// program's.
func (m *Model) onDrag(msg tea.MouseMotionMsg) tea.Cmd {
	switch {
	case msg.Button != tea.MouseLeft:
		return nil
	case m.pointer.down:
		x, y, _ := m.overTranscript(msg.X, msg.Y)
		return m.drag(x, y)
	}
	return m.sayHowToSelect()
}

// sayHowToSelect says once how text is selected that is not in the transcript.
func (m *Model) sayHowToSelect() tea.Cmd {
	if m.dragged {
		return nil
	}
	m.dragged = true
	how := "Hold " + m.o.Term.SelectKey() + " to select text"
	if key := m.keyName(keys.Mouse); key != "" {
		how += ", or press " + key
	}
	return m.say(how + ".")
}

// onClick begins to select text, or marks a block when the button is released, see
// [Model.pressAt]. In the draft it moves the cursor. It never answers a question.
func (m *Model) onClick(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || m.box != nil {
		return nil
	}
	m.dirty, m.pointer.down = true, false
	if x, y, over := m.overTranscript(msg.X, msg.Y); over {
		return m.pressAt(msg, x, y)
	}
	top := m.lay.mainTop()
	switch {
	case m.view.grid:
	case msg.Y >= m.lay.composerTop():
		m.setFocus(focusComposer)
		if y := msg.Y - m.lay.composerTop(); y < m.lay.composer {
			m.composer.MoveTo(msg.X-margin, y)
		}
	case m.lay.side > 0 && msg.X > m.lay.main, m.lay.below > 0 && msg.Y < top+m.lay.body:
		m.setFocus(focusSide)
	}
	return nil
}
