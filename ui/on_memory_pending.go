package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
)

// memoryWaiting are the rows of changes of memory that wait, each with what choosing it
// asks for.
func (m *Model) memoryWaiting(list []app.MemoryPending, chosen map[string]overlay.Request) []overlay.Item {
	items := make([]overlay.Item, len(list))
	for i, w := range list {
		id := "pending:" + w.ID
		chosen[id] = memoryPendingMsg{w}
		var parts []string
		for _, op := range w.Change.Operations {
			if op.OldText != "" {
				parts = append(parts, "- "+oneLine(op.OldText))
			}
			if op.Content != "" {
				parts = append(parts, "+ "+oneLine(op.Content))
			}
		}
		items[i] = overlay.Item{
			ID: id, Label: strings.Join(parts, "  "), Group: "Changes by agents that need your decision",
			Right: fmt.Sprintf("%s · %s", w.Change.Target, format.Ago(m.now().Sub(w.At))),
		}
	}
	return items
}

// memoryPendingMsg asks what is to be done with a change of memory that waits.
type memoryPendingMsg struct{ w app.MemoryPending }

// What can be done with a change that waits.
const (
	pendingSee  = "see"
	pendingTake = "take"
	pendingDrop = "drop"
)

func (msg memoryPendingMsg) handle(m *Model) tea.Cmd {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "A change of memory that waits", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return memoryDecideMsg{msg.w, it.ID} },
	})
	m.showOver(p)
	p.SetItems(p.Load(), []overlay.Item{
		{ID: pendingSee, Label: "See what it changes"},
		{ID: pendingTake, Label: "Take it", Detail: "/memory undo takes it back"},
		{ID: pendingDrop, Label: "Drop it", Detail: "nothing is changed"},
	})
	return m.dispatch(p.Search())
}

// memoryDecideMsg asks to do it.
type memoryDecideMsg struct {
	w    app.MemoryPending
	what string
}

func (msg memoryDecideMsg) handle(m *Model) tea.Cmd {
	if msg.what == pendingSee {
		m.showOver(overlay.NewPager(m.styles, "A change of memory", msg.w.Diff, m.readHints()))
		return nil
	}
	m.show(nil)
	a, ctx := m.app, m.ctx
	return m.do(func() tea.Msg { return remembered(a.DecideMemory(ctx, msg.w.ID, msg.what == pendingTake)) })
}
