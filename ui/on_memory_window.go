package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// memoryWindow lists what is remembered. It has keys of its own for what can be done with
// the marked entry, and with all of memory.
type memoryWindow struct {
	*overlay.Picker
	byID map[string]overlay.Request // what choosing a row asks for
}

// memoryKeyMsg asks for what a key of the window does.
type memoryKeyMsg struct {
	marked overlay.Request // what choosing the marked row would ask for, nil for no row
	typed  string
	do     keys.Action
}

// memoryAgainMsg says what was done, and has the window show what is remembered now.
type memoryAgainMsg struct{ said tea.Msg }

// Contexts are where the window has keys of its own.
func (*memoryWindow) Contexts() []keys.Context { return []keys.Context{keys.InMemory} }

// Act implements [overlay.Box].
func (w *memoryWindow) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Find, keys.Editor, keys.Remove, keys.Undo, keys.Writes, keys.Archive:
		it, _ := w.Selected()
		return memoryKeyMsg{w.byID[it.ID], w.Query(), a}
	}
	return w.Picker.Act(a)
}

// openMemory shows the window. What was typed into one that is open stays.
func (m *Model) openMemory(title string, items []overlay.Item, byID map[string]overlay.Request) tea.Cmd {
	hints := m.windowHints("open", m.hints(keys.InMemory, keys.Editor, keys.Remove), m.hints(keys.InMemory, keys.Find, keys.Undo, keys.Writes, keys.Archive)...)
	w := &memoryWindow{byID: byID, Picker: overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: title, Empty: "Nothing is remembered yet: see /memory add.", Hints: hints,
		Chosen: func(it overlay.Item) overlay.Request { return byID[it.ID] },
	})}
	typed := ""
	if was, ok := m.box.(*memoryWindow); ok {
		typed = was.Query()
	}
	m.show(w)
	w.SetItems(w.Load(), items)
	if typed != "" {
		return m.dispatch(w.Type(typed))
	}
	return m.dispatch(w.Search())
}

func (msg memoryKeyMsg) handle(m *Model) tea.Cmd {
	a, ctx := m.app, m.ctx
	again := func(what string, err error) tea.Msg { return memoryAgainMsg{remembered(what, err)} }
	switch msg.do {
	case keys.Find:
		if msg.typed == "" {
			return m.say("Type what to look for first.")
		}
		return m.searchMemory(msg.typed)
	case keys.Undo:
		return m.do(func() tea.Msg { return again("Taken back, from the next session on.", a.UndoMemory(ctx, "")) })
	case keys.Writes:
		return m.commandMemory(memoryHistory)
	case keys.Archive:
		return m.commandMemory(memoryArchive)
	}
	switch row := msg.marked.(type) {
	case memoryOneMsg:
		if msg.do == keys.Editor {
			return m.editMemory(row.one)
		}
		return m.do(func() tea.Msg { return again(a.EditMemory(ctx, row.one.ID, "")) })
	case memoryPendingMsg:
		if msg.do == keys.Editor {
			return m.say("Take the change first: it is no entry yet.")
		}
		return m.do(func() tea.Msg { return again(a.DecideMemory(ctx, row.w.ID, false)) })
	}
	return m.say("No entry is selected.")
}

func (msg memoryAgainMsg) handle(m *Model) tea.Cmd {
	cmd := m.dispatch(msg.said)
	if _, open := m.box.(*memoryWindow); !open {
		return cmd
	}
	return tea.Batch(cmd, m.commandMemory(""))
}
