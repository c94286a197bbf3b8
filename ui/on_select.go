package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/status"
	"hermes-tui/ui/transcript"
)

// pointer is the mouse over the transcript.
type pointer struct {
	x, y  int // in the transcript, where the button was pressed
	at    time.Time
	count int  // of clicks on the same place
	down  bool // the button is held
	// selects says that a selection was begun with this press.
	selects bool
	toX     int // where the pointer is now, in the transcript
	toY     int
	scrolls int // counts the times that it has scrolled while it was held
	// before is what the first of several clicks has changed.
	before struct {
		focus  focus
		folded event.BlockID
	}
}

// doubleClick is how soon a click must follow another one on the same place to count as
// its repeat.
const doubleClick = 400 * time.Millisecond

// units are what one, two and three clicks select.
var units = [...]transcript.Unit{transcript.Cells, transcript.Words, transcript.TextLines}

// overTranscript is where a place on the screen lies in the transcript, and whether it is
// there.
func (m *Model) overTranscript(x, y int) (tx, ty int, over bool) {
	l := m.lay
	top, height := l.mainTop(), l.body-l.below
	if m.view.agent != "" {
		top, height = top+1, height-1 // the banner
	}
	if m.finds() {
		height--
	}
	return x, y - top, !m.view.grid && x < l.main && y >= top && y < top+height
}

// pressAt takes a press of the left button over the transcript.
func (m *Model) pressAt(msg tea.MouseClickMsg, x, y int) tea.Cmd {
	p, now := &m.pointer, m.now()
	if again := x == p.x && y == p.y && now.Sub(p.at) < doubleClick; again && p.count < len(units) {
		p.count++
	} else {
		p.count = 1
	}
	p.x, p.y, p.toX, p.toY, p.at, p.down, p.selects = x, y, x, y, now, true, false
	switch {
	case msg.Mod.Contains(tea.ModShift) && m.transcript.HasSelection():
		p.selects = true
		m.transcript.ExtendSelection(x, y)
	case p.count == 1:
		m.transcript.EndSelection()
	default:
		m.unclick()
		p.selects = m.transcript.StartSelection(x, y, units[p.count-1])
	}
	return nil
}

// drag moves the pointer with the button held.
func (m *Model) drag(x, y int) tea.Cmd {
	p := &m.pointer
	if !p.selects {
		if x == p.x && y == p.y {
			return nil
		}
		if p.selects = m.transcript.StartSelection(p.x, p.y, transcript.Cells); !p.selects {
			return m.sayHowToSelect()
		}
	}
	p.toX, p.toY = x, y
	m.dirty = true
	m.transcript.ExtendSelection(x, y)
	if m.beyond() == 0 {
		return nil
	}
	p.scrolls++
	return m.scrollDrag(p.scrolls)
}

// beyond is how many rows the pointer is above the transcript, as a negative number, or
// below it.
func (m *Model) beyond() int { return m.transcript.Beyond(m.pointer.toY) }

// dragScroll is how often the transcript scrolls while the pointer is held beyond it.
const dragScroll = 50 * time.Millisecond

// dragMsg scrolls while the pointer is held beyond the transcript.
type dragMsg struct{ gen int }

func (m *Model) scrollDrag(gen int) tea.Cmd {
	return m.after(dragScroll, func() tea.Msg { return dragMsg{gen} })
}

func (msg dragMsg) handle(m *Model) tea.Cmd {
	p, by := &m.pointer, m.beyond()
	if msg.gen != p.scrolls || !p.down || by == 0 {
		return nil
	}
	m.transcript.ScrollBy(by)
	m.transcript.ExtendSelection(p.toX, p.toY)
	m.dirty = true
	return m.scrollDrag(msg.gen)
}

// onRelease takes what was selected, or the click that it was.
func (m *Model) onRelease(tea.MouseReleaseMsg) tea.Cmd {
	p := &m.pointer
	if !p.down {
		return nil
	}
	p.down = false
	m.dirty = true
	switch {
	case !p.selects:
		return m.clickBlock()
	case m.transcript.SelectionIsPoint(): // it was drawn back to where it began
		m.transcript.EndSelection()
	case m.o.Settings.CopyOnSelect:
		return m.copy(m.transcript.SelectionText())
	}
	return nil
}

// clickBlock marks the block under the pointer; a click on the marked one folds or unfolds
// it.
func (m *Model) clickBlock() tea.Cmd {
	p := &m.pointer
	y := p.y
	p.before.focus, p.before.folded = m.focus, ""
	b := m.transcript.BlockAt(y)
	if pinned := m.transcript.Pinned(); b == nil && y == 0 && pinned != nil {
		m.setFocus(focusTranscript)
		m.transcript.Show(pinned.ID)
		return nil
	}
	if b == nil {
		return nil
	}
	if s := m.transcript.Selected(); s != nil && s.ID == b.ID {
		if m.transcript.ToggleFold() {
			p.before.folded = b.ID
		}
		return m.animate()
	}
	m.transcript.SelectBlock(b.ID)
	m.setFocus(focusTranscript)
	return nil
}

// unclick takes back what the first of two clicks has done: together they select.
func (m *Model) unclick() {
	before := m.pointer.before
	if s := m.transcript.Selected(); s != nil && s.ID == before.folded {
		m.transcript.ToggleFold()
	}
	m.pointer.before.folded = ""
	if m.focus == focusTranscript && before.focus == focusComposer {
		m.setFocus(before.focus)
	}
}

// selectionKey takes a key that means the selection of text. It reports false for others.
func (m *Model) selectionKey(key string) (tea.Cmd, bool) {
	if !m.transcript.HasSelection() {
		return nil, false
	}
	if m.transcript.SelectsByKeys() {
		if a, ok := m.keys.Find(key, keys.InSelection); ok {
			return m.actSelection(a), true
		}
	}
	switch a, _ := m.keys.Find(key, keys.Anywhere); a {
	case keys.Escape:
		m.transcript.EndSelection()
	case keys.Cancel:
		return m.copySelection(), true
	default:
		if a, _ := m.keys.Find(key, keys.InTranscript); m.focus == focusTranscript && a == keys.Copy {
			return m.copySelection(), true
		}
		return nil, false
	}
	return nil, true
}

// selectionSteps are where keys move the end of a selection.
var selectionSteps = map[keys.Action]transcript.Step{
	keys.Left: transcript.StepLeft, keys.Right: transcript.StepRight, keys.Up: transcript.StepUp, keys.Down: transcript.StepDown,
	keys.WordLeft: transcript.StepWordLeft, keys.WordRight: transcript.StepWordRight,
	keys.Home: transcript.StepRowStart, keys.End: transcript.StepRowEnd,
	keys.PageUp: transcript.StepPageUp, keys.PageDown: transcript.StepPageDown,
	keys.Top: transcript.StepTop, keys.Bottom: transcript.StepBottom,
}

// actSelection carries out an action of a selection that is moved by keys.
func (m *Model) actSelection(a keys.Action) tea.Cmd {
	if step, ok := selectionSteps[a]; ok {
		m.transcript.MoveSelection(step)
		return nil
	}
	switch a {
	case keys.SelectLines:
		m.transcript.SelectLines()
	case keys.SelectText:
		m.transcript.EndSelection()
	case keys.Copy:
		return m.copySelection()
	}
	return nil
}

// selectText begins to select text with keys, in the marked block.
func (m *Model) selectText() tea.Cmd {
	if !m.transcript.SelectByKeys() {
		return m.say("There is no text to select here.")
	}
	return nil
}

// copySelection copies what is selected, which ends the selection.
func (m *Model) copySelection() tea.Cmd {
	text := m.transcript.SelectionText()
	m.transcript.EndSelection()
	return m.copy(text)
}

// selectionHints are the keys worth knowing while text is selected.
func (m *Model) selectionHints() []status.Hint {
	end := m.hint(keys.Escape, keys.Anywhere, "end the selection")
	if m.transcript.SelectsByKeys() {
		return append(m.hints(keys.InSelection, keys.Copy, keys.SelectLines, keys.WordRight, keys.End), end...)
	}
	return append(m.hint(keys.Cancel, keys.Anywhere, "copy"), end...)
}

// releaseMouse leaves the mouse to the terminal, or takes it again.
func (m *Model) releaseMouse() tea.Cmd {
	if !m.o.Settings.Mouse {
		return m.say("The mouse is the terminal's already: display.mouse is off.")
	}
	m.released, m.pointer.down, m.dirty = !m.released, false, true
	if !m.released {
		return m.say("The mouse scrolls, marks and selects here again.")
	}
	return m.say("The mouse is the terminal's now, to select and scroll as elsewhere.")
}
