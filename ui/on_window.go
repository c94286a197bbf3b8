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
	m.focusful, m.blurred = true, !on
	if !on {
		return nil
	}
	m.dirty = true
	m.tickRegions(m.now())
	return m.animate()
}

// onBackground learns whether the terminal is dark.
func (m *Model) onBackground(msg tea.BackgroundColorMsg) tea.Cmd {
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

// onDrag says once how text is selected: the mouse is the program's.
func (m *Model) onDrag(msg tea.MouseMotionMsg) tea.Cmd {
	if m.dragged || msg.Button != tea.MouseLeft {
		return nil
	}
	m.dragged = true
	return m.say("Hold " + m.o.Term.SelectKey() + " to select text.")
}

// onClick marks the block under the pointer; a click on the marked one folds or
// unfolds it. In the draft it moves the cursor. It never answers a question.
func (m *Model) onClick(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || m.box != nil {
		return nil
	}
	m.dirty = true
	top := m.lay.mainTop()
	switch {
	case m.view.grid:
	case msg.Y >= top && msg.Y < top+m.lay.body-m.lay.below && msg.X < m.lay.main:
		if m.view.agent != "" {
			top++ // the banner
		}
		b := m.transcript.BlockAt(msg.Y - top)
		if b == nil {
			return nil
		}
		if s := m.transcript.Selected(); s != nil && s.ID == b.ID {
			m.transcript.ToggleFold()
			return m.animate()
		}
		m.transcript.SelectBlock(b.ID)
		m.setFocus(focusTranscript)
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
