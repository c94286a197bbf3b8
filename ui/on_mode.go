package ui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/overlay"
)

// modes are the approval modes as they are offered, with what they mean.
var modes = []struct {
	mode  event.Mode
	means string
}{
	{event.ModeGuarded, "confined; asks about what needs more"},
	{event.ModeManual, "asks about all but plain reading"},
	{event.ModeSmart, "guarded; a model judges before you do"},
	{event.ModePlan, "reads only"},
	{event.ModeOff, "asks nothing, confines nothing; hard blocks stay"},
}

// modeMsg asks for an approval mode. sure says that the user has confirmed it.
type modeMsg struct {
	mode event.Mode
	sure bool
}

func (msg modeMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	if msg.sure {
		return m.setMode(msg.mode)
	}
	return m.chooseMode(msg.mode)
}

// chooseMode sets a mode that was named. One without protection is confirmed first.
func (m *Model) chooseMode(mode event.Mode) tea.Cmd {
	if mode != event.ModeOff || m.state.Mode == mode {
		return m.setMode(mode)
	}
	ask := overlay.NewConfirm(m.styles, "Switch all questions off?", []overlay.Line{{Text: app.OffWarning, Warn: true}},
		m.questionHints("switch them off", "leave mode "+string(m.state.Mode)))
	ask.Yes = modeMsg{mode, true}
	m.show(ask)
	return nil
}

// commandMode sets the approval mode, or offers all of them.
func (m *Model) commandMode(args string) tea.Cmd {
	var names []string
	for _, o := range modes {
		if strings.EqualFold(args, string(o.mode)) {
			return m.chooseMode(o.mode)
		}
		names = append(names, string(o.mode))
	}
	if args != "" {
		return m.say(fmt.Sprintf("There is no mode %q: choose one of %s.", args, strings.Join(names, ", ")))
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Approval mode", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return modeMsg{mode: event.Mode(it.ID)} },
	})
	var items []overlay.Item
	for _, o := range modes {
		items = append(items, overlay.Item{ID: string(o.mode), Label: string(o.mode), Detail: o.means, Current: o.mode == m.state.Mode})
	}
	p.SetItems(p.Load(), items)
	m.show(p)
	return m.dispatch(p.Search())
}

// nextMode turns plan mode on, and off again: back to the mode before it. Mode off is
// never entered so.
func (m *Model) nextMode() tea.Cmd {
	switch m.state.Mode {
	case event.ModePlan:
		return m.setMode(cmp.Or(m.unplanned, event.ModeGuarded))
	case event.ModeOff:
		return m.setMode(event.ModeGuarded)
	}
	m.unplanned = m.state.Mode
	return m.setMode(event.ModePlan)
}

func (m *Model) setMode(mode event.Mode) tea.Cmd {
	if m.conv == nil {
		return nil
	}
	conv, later := m.conv, ""
	if before := m.state.Mode; m.busy() && before != mode && before.Strictest(mode) == before {
		later = " from the next turn on"
	}
	return m.do(func() tea.Msg {
		if err := conv.SetMode(mode); err != nil {
			return failedMsg{err}
		}
		for _, o := range modes {
			if o.mode == mode {
				return saidMsg{fmt.Sprintf("Mode %s%s: %s.", mode, later, o.means)}
			}
		}
		return nil
	})
}
