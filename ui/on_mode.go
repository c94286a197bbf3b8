package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

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

// modeMsg asks for an approval mode.
type modeMsg struct{ mode event.Mode }

func (msg modeMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	return m.setMode(msg.mode)
}

// commandMode sets the approval mode, or offers all of them.
func (m *Model) commandMode(args string) tea.Cmd {
	var names []string
	for _, o := range modes {
		if strings.EqualFold(args, string(o.mode)) {
			return m.setMode(o.mode)
		}
		names = append(names, string(o.mode))
	}
	if args != "" {
		return m.say(fmt.Sprintf("There is no mode %q: choose one of %s.", args, strings.Join(names, ", ")))
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Approval mode", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return modeMsg{event.Mode(it.ID)} },
	})
	var items []overlay.Item
	for _, o := range modes {
		items = append(items, overlay.Item{ID: string(o.mode), Label: string(o.mode), Detail: o.means, Current: o.mode == m.state.Mode})
	}
	p.SetItems(p.Load(), items)
	m.show(p)
	return m.dispatch(p.Search())
}

// nextMode goes round the approval modes.
func (m *Model) nextMode() tea.Cmd {
	switch m.state.Mode {
	case event.ModePlan:
		return m.setMode(event.ModeOff)
	case event.ModeOff:
		return m.setMode(event.ModeGuarded)
	}
	return m.setMode(event.ModePlan)
}

func (m *Model) setMode(mode event.Mode) tea.Cmd {
	if m.conv == nil {
		return nil
	}
	conv := m.conv
	return m.do(func() tea.Msg {
		if err := conv.SetMode(mode); err != nil {
			return saidMsg{sentence(err)}
		}
		for _, o := range modes {
			if o.mode == mode {
				return saidMsg{fmt.Sprintf("Mode %s: %s.", mode, o.means)}
			}
		}
		return nil
	})
}
