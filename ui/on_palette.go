package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// paletteMsg asks for what was taken from the palette: an action of a context, or a
// command.
type paletteMsg struct {
	context keys.Context
	action  keys.Action
	command string
}

// openPalette lists every action with its key and every command: what can be done where
// the keys go first, then what works anywhere, the commands, and what can be done in the
// other regions, to which taking it leads. What only moves or edits comes last.
func (m *Model) openPalette() tea.Cmd {
	var items, moves []overlay.Item
	byID := map[string]paletteMsg{}
	seen := map[string]bool{}
	add := func(list *[]overlay.Item, it overlay.Item, what paletteMsg) {
		if it.ID = string(what.context) + "." + string(what.action) + what.command; !seen[it.Label+it.Detail] {
			seen[it.Label+it.Detail], byID[it.ID] = true, what
			*list = append(*list, it)
		}
	}
	actions := func(c keys.Context) {
		for _, b := range m.keys.Bindings {
			if b.Context != c || b.Action == keys.Palette {
				continue
			}
			it, list := overlay.Item{Label: b.Help, Group: contextTitle(c)}, &items
			if len(b.Keys) > 0 {
				it.Right = b.Keys[0]
			}
			if _, edits := edits[b.Action]; edits || b.Action == keys.Up || b.Action == keys.Down {
				it.Group, list = "Moving and editing: "+string(c), &moves
			}
			add(list, it, paletteMsg{context: c, action: b.Action})
		}
	}
	here := m.focused().context
	actions(here)
	actions(keys.Anywhere)
	for _, c := range slash.Table() {
		add(&items, overlay.Item{Label: "/" + string(c.Name), Detail: c.Help, Right: c.Args, Group: "Commands"}, paletteMsg{command: "/" + string(c.Name)})
	}
	for i := range m.list {
		if c := m.list[i].context; c != "" && c != here {
			actions(c)
		}
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Actions and commands", Empty: "No action has that name.", Hints: m.windowHints("do", nil),
		Chosen: func(it overlay.Item) overlay.Request { return byID[it.ID] },
	})
	p.SetItems(p.Load(), append(items, moves...))
	m.show(p)
	return m.dispatch(p.Search())
}

// contextTitle is a context as a heading.
func contextTitle(c keys.Context) string {
	return strings.ToUpper(string(c[:1])) + string(c[1:])
}

// handle does it as if its key had been pressed there. A command leaves the draft as it is.
func (msg paletteMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	if msg.command != "" {
		return m.commandBeside(msg.command)
	}
	if msg.context == keys.Anywhere {
		cmd, _ := m.actAnywhere(msg.action)
		return cmd
	}
	for i := range m.list {
		if r := &m.list[i]; r.context == msg.context {
			return m.actIn(r, msg.action)
		}
	}
	return nil
}

// actIn gives a region the focus and carries out an action of it. Without anything in it
// there is none.
func (m *Model) actIn(r *region, a keys.Action) tea.Cmd {
	if m.focus != r.focus {
		var why tea.Cmd
		switch r.focus {
		case focusSide:
			why = m.showSide()
		case focusGrid:
			why = m.openGrid()
		case focusQueue:
			if m.queue.Len() == 0 {
				return m.say("No message waits to be sent.")
			}
			m.setFocus(r.focus)
		default:
			m.setFocus(r.focus)
		}
		if m.focus != r.focus {
			return why
		}
	}
	cmd, _ := m.act(a)
	return cmd
}
