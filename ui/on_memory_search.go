package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
)

// memoryFoundMsg brings what a search over what is remembered has found.
type memoryFoundMsg struct {
	words string
	list  []app.MemoryFound
	how   string // what the search could not do
	err   error
}

// searchMemory looks through what is remembered, archived, learnt and said.
func (m *Model) searchMemory(words string) tea.Cmd {
	if words == "" {
		return m.say("Write after it what to look for.")
	}
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		list, err := conv.SearchMemory(ctx, words)
		_, how := conv.Meaningful()
		return memoryFoundMsg{words, list, how, err}
	})
}

func (msg memoryFoundMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.say(sentence(msg.err))
	}
	title := fmt.Sprintf("Memory · %s for “%s”", format.Count(len(msg.list), "text", "texts"), oneLine(msg.words))
	if msg.how != "" {
		title += " · by words only"
	}
	items := make([]overlay.Item, len(msg.list))
	byID := map[string]overlay.Request{}
	for i, f := range msg.list {
		id := fmt.Sprint(i)
		byID[id] = memoryRequest(f)
		items[i] = overlay.Item{ID: id, Label: oneLine(f.Text), Right: strings.TrimSuffix(strings.Join(memoryRight(f.From, f.Project, f.When), " · "), " · ")}
	}
	return m.pick(overlay.PickerOptions{
		Title: title, Empty: "Nothing was found.", Chosen: func(it overlay.Item) overlay.Request { return byID[it.ID] },
	}, items)
}

// memoryRequest opens what a text that was found is about.
func memoryRequest(f app.MemoryFound) overlay.Request {
	switch {
	case f.Entry != nil:
		return memoryOneMsg{*f.Entry}
	case f.Learning != nil:
		return learningMsg{*f.Learning}
	case f.Archived != nil:
		return memoryOldMsg{*f.Archived}
	}
	return hitMsg{session: f.Session, message: f.Message}
}

// memoryOldMsg asks what is to be done with an archived entry.
type memoryOldMsg struct{ e app.MemoryArchived }

// memoryOldDoMsg asks to do it.
type memoryOldDoMsg struct {
	e    app.MemoryArchived
	read bool
}

func (msg memoryOldMsg) handle(m *Model) tea.Cmd {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Memory · archive", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return memoryOldDoMsg{msg.e, it.ID == memoryRead} },
	})
	m.showOver(p)
	p.SetItems(p.Load(), []overlay.Item{
		{ID: memoryRead, Label: "Read all of it"},
		{ID: memoryArchive, Label: "Put it back", Detail: "it is remembered again, as it was"},
	})
	return m.dispatch(p.Search())
}

func (msg memoryOldDoMsg) handle(m *Model) tea.Cmd {
	if !msg.read {
		return m.dispatch(memoryBackMsg{msg.e})
	}
	r := app.Remembered{Target: msg.e.Target}
	r.Text, r.At, r.Project = msg.e.Text, msg.e.At, msg.e.Project
	m.showOver(overlay.NewPager(m.styles, "Memory · archive", memoryText(r), m.readHints()))
	return nil
}
