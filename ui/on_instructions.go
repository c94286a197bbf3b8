package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// heldWindow lists the instruction files that were left out.
type heldWindow struct {
	*overlay.Picker
	list []app.HeldInstructions
}

// heldMsg asks to read one of them, or to take it.
type heldMsg struct {
	app.HeldInstructions
	take bool
}

// Contexts are where the window has keys of its own.
func (*heldWindow) Contexts() []keys.Context { return []keys.Context{keys.InHeld} }

// Name is what the window is called by those opened out of it.
func (*heldWindow) Name() string { return "instructions" }

// Act implements [overlay.Box].
func (w *heldWindow) Act(a keys.Action) overlay.Request {
	if it, ok := w.Selected(); ok && a == keys.Allow {
		return w.asking(it, true)
	}
	return w.Picker.Act(a)
}

func (w *heldWindow) asking(it overlay.Item, take bool) overlay.Request {
	for _, h := range w.list {
		if h.File == it.ID {
			return heldMsg{h, take}
		}
	}
	return nil
}

// openInstructions lists the instruction files that were left out.
func (m *Model) openInstructions() tea.Cmd {
	w := &heldWindow{list: m.conv.HeldInstructions()}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Instructions that were left out", Empty: "None was left out in this session.", Hints: m.windowHints("read", m.hints(keys.InHeld, keys.Allow)),
		Chosen: func(it overlay.Item) overlay.Request { return w.asking(it, false) },
	})
	items := make([]overlay.Item, len(w.list))
	for i, h := range w.list {
		items[i] = overlay.Item{ID: h.File, Label: h.Name, Detail: h.Why}
	}
	w.SetItems(w.Load(), items)
	m.show(w)
	return nil
}

func (msg heldMsg) handle(m *Model) tea.Cmd {
	if !msg.take {
		m.showOver(overlay.NewPager(m.styles, msg.Name+": "+msg.Why, msg.Text, m.readHints()))
		return nil
	}
	conv, ctx := m.conv, m.ctx
	return tea.Batch(m.closeBox(), m.do(func() tea.Msg {
		return said(conv.TakeInstructions(ctx, msg.HeldInstructions), msg.Name+" counts as it is now, from the next turn on; those of deeper folders from the next session on. A change of it asks again.")
	}))
}
