package ui

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// memoryMsg brings what is remembered.
type memoryMsg struct {
	list    []app.Remembered
	use     app.MemoryUse
	waiting []app.MemoryPending
	words   bool // that a search goes by words only
	err     error
}

// memoryOneMsg asks what is to be done with an entry.
type memoryOneMsg struct{ one app.Remembered }

// memoryDoMsg asks to do it.
type memoryDoMsg struct {
	one  app.Remembered
	what string
}

// What can be done with what is remembered.
const (
	memoryRead    = "read"
	memoryEdit    = "edit"
	memoryForget  = "forget"
	memoryEditor  = "editor"
	memoryAdd     = "add"
	memoryHere    = "here"
	memoryUser    = "user"
	memorySearch  = "search"
	memoryProject = "project"
	memoryAll     = "everywhere"
	memoryUndo    = "undo"
	memoryHistory = "history"
	memoryArchive = "archive"
	memoryNow     = "now"
)

// commandMemory lists what is remembered, or changes it.
func (m *Model) commandMemory(args string) tea.Cmd {
	what, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	a, ctx, conv := m.app, m.ctx, m.conv
	switch what {
	case "":
		return m.do(func() tea.Msg {
			list, use, err := a.Memory()
			waiting, err2 := a.MemoryPending()
			meaning, _ := conv.Meaningful()
			return memoryMsg{list, use, waiting, !meaning, errors.Join(err, err2)}
		})
	case memorySearch:
		return m.searchMemory(rest)
	case memoryHistory:
		return m.do(func() tea.Msg {
			list, err := a.MemoryHistory()
			return memoryHistoryMsg{list, err}
		})
	case memoryArchive:
		return m.do(func() tea.Msg {
			list, err := a.MemoryArchive()
			return memoryArchiveMsg{list, err}
		})
	case memoryNow:
		return m.askRenew()
	case memoryUndo:
		return m.do(func() tea.Msg { return said(a.UndoMemory(ctx, rest), "Taken back, from the next session on.") })
	case memoryAdd, memoryHere, memoryUser:
		if rest == "" {
			return m.say("Write after it what to remember.")
		}
		return m.do(func() tea.Msg {
			project := ""
			if what == memoryHere {
				project = conv.Project()
			}
			return remembered(a.AddMemory(ctx, what == memoryUser, project, rest))
		})
	case memoryEdit, memoryProject:
		id, text, _ := strings.Cut(rest, " ")
		if text = strings.TrimSpace(text); text == "" {
			return m.say("Nothing was changed: choose in /memory what to do with an entry.")
		}
		if what == memoryProject {
			return m.do(func() tea.Msg { return remembered(a.ScopeMemory(ctx, id, text)) })
		}
		return m.do(func() tea.Msg { return remembered(a.EditMemory(ctx, id, text)) })
	}
	return m.say(fmt.Sprintf("/memory does not know %s: it takes add, here, user, search, undo, history, archive, now or nothing.", what))
}

// memoryNowMsg asks to tell the model at once what is remembered.
type memoryNowMsg struct{}

// askRenew asks whether the model is to be told at once, with what that costs.
func (m *Model) askRenew() tea.Cmd {
	of := m.state.Model
	c := models.ChangeOf(m.state, models.Option{Choice: app.Choice{Provider: of.Provider, Name: of.Name}, Info: m.app.About(of)})
	if c.Turns == 0 && c.Tokens == 0 {
		return m.say("Nothing was sent yet: the first turn tells all that is remembered.")
	}
	ask := overlay.NewConfirm(m.styles, "Tell the model now what is remembered?", []overlay.Line{{Text: c.Sent()}}, m.questionHints("tell it", "in the next session"))
	ask.Yes = memoryNowMsg{}
	m.show(ask)
	return nil
}

func (memoryNowMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	m.conv.RenewPrompt()
	return m.say("The next turn begins with what is remembered now.")
}

// remembered is what the status line says of a change.
func remembered(what string, err error) tea.Msg { return said(err, what) }

func (msg memoryMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.say(sentence(msg.err))
	}
	byID := map[string]overlay.Request{}
	items := m.memoryWaiting(msg.waiting, byID)
	group := ""
	if len(items) > 0 {
		group = "Remembered"
	}
	for _, r := range msg.list {
		byID[r.ID] = memoryOneMsg{r}
		right := memoryRight(string(r.Target), r.Project)
		if !r.At.IsZero() {
			right = append(right, format.Ago(m.now().Sub(r.At)))
		}
		items = append(items, overlay.Item{ID: r.ID, Label: oneLine(r.Text), Right: strings.Join(right, " · "), Group: group})
	}
	title := fmt.Sprintf("Memory · notes %d%% · you %d%%", msg.use.Notes.Percent(), msg.use.User.Percent())
	if msg.words {
		title += " · searched by words only"
	}
	return m.openMemory(title, items, byID)
}

// memoryRight says of an entry where it is, which project it is about, and more.
func memoryRight(target, project string, more ...string) []string {
	right := []string{target}
	if project != "" {
		right = append(right, "only in "+path.Base(project))
	}
	return append(right, more...)
}

// pick shows a window of items in place of any other.
func (m *Model) pick(o overlay.PickerOptions, items []overlay.Item) tea.Cmd {
	o.Hints = m.windowHints("choose", nil)
	p := overlay.NewPicker(m.styles, o)
	m.show(p)
	p.SetItems(p.Load(), items)
	return m.dispatch(p.Search())
}

// oneLine is a text without its line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (msg memoryOneMsg) handle(m *Model) tea.Cmd {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Memory", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return memoryDoMsg{msg.one, it.ID} },
	})
	m.showOver(p)
	p.SetItems(p.Load(), []overlay.Item{
		{ID: memoryRead, Label: "Read all of it"},
		{ID: memoryEdit, Label: "Change it", Detail: oneLine(msg.one.Text)},
		{ID: memoryEditor, Label: "Change it in your editor", Detail: "$EDITOR"},
		memoryScope(msg.one),
		{ID: memoryProject, Label: "Show it in another project only", Detail: "by its folder"},
		{ID: memoryForget, Label: "Forget it", Detail: "/memory undo puts it back"},
	})
	return m.dispatch(p.Search())
}

// memoryScope offers to show an entry in this project only, or in all.
func memoryScope(one app.Remembered) overlay.Item {
	if one.Project != "" {
		return overlay.Item{ID: memoryAll, Label: "Show it in all projects", Detail: "it is about " + one.Project}
	}
	return overlay.Item{ID: memoryHere, Label: "Show it in this project only", Detail: "other projects do not get it"}
}

func (msg memoryDoMsg) handle(m *Model) tea.Cmd {
	one := msg.one
	what, text := memoryEdit, one.Text
	switch msg.what {
	case memoryRead:
		m.showOver(overlay.NewPager(m.styles, "Memory", memoryText(one), m.readHints()))
		return nil
	case memoryEditor:
		return m.editMemory(one)
	case memoryForget:
		m.show(nil)
		a, ctx := m.app, m.ctx
		return m.do(func() tea.Msg { return remembered(a.EditMemory(ctx, one.ID, "")) })
	case memoryAll, memoryHere:
		m.show(nil)
		a, ctx, conv := m.app, m.ctx, m.conv
		return m.do(func() tea.Msg {
			project := ""
			if msg.what == memoryHere {
				project = conv.Project()
			}
			return remembered(a.ScopeMemory(ctx, one.ID, project))
		})
	case memoryProject:
		what, text = memoryProject, one.Project
	}
	if !m.composer.Empty() {
		return m.say("Send or delete what is typed first: an entry is changed in its place.")
	}
	m.show(nil)
	m.composer.Set("/" + string(slash.Memory) + " " + what + " " + one.ID + " " + text)
	return nil
}

// memoryText says all that is known of an entry.
func memoryText(r app.Remembered) string {
	text := r.Text + "\n\n"
	if r.Project != "" {
		text += "Only in " + r.Project + ".\n"
	}
	if !r.At.IsZero() {
		text += "Written on " + r.At.Local().Format(time.DateOnly) + ".\n"
	}
	return text
}

// memoryHistoryMsg brings the last writes.
type memoryHistoryMsg struct {
	list []app.MemoryWrite
	err  error
}

func (msg memoryHistoryMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.say(sentence(msg.err))
	}
	items := make([]overlay.Item, len(msg.list))
	for i, w := range msg.list {
		var parts []string
		for _, p := range w.Removed {
			parts = append(parts, "- "+oneLine(p.Text))
		}
		for _, p := range w.Added {
			parts = append(parts, "+ "+oneLine(p.Text))
		}
		right := []string{string(w.Target), format.Ago(m.now().Sub(w.At))}
		if w.Undone {
			right = append(right, "taken back")
		}
		items[i] = overlay.Item{ID: w.ID, Label: strings.Join(parts, "  "), Right: strings.Join(right, " · ")}
	}
	return m.pick(overlay.PickerOptions{
		Title: "Memory · what was written · enter takes it back", Empty: "Nothing was written yet.",
		Chosen: func(it overlay.Item) overlay.Request { return memoryUndoMsg{it.ID} },
	}, items)
}

// memoryUndoMsg asks to take back a write.
type memoryUndoMsg struct{ id string }

func (msg memoryUndoMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	return m.commandMemory(memoryUndo + " " + msg.id)
}

// memoryArchiveMsg brings the entries that made room.
type memoryArchiveMsg struct {
	list []app.MemoryArchived
	err  error
}

func (msg memoryArchiveMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.say(sentence(msg.err))
	}
	items := make([]overlay.Item, len(msg.list))
	byID := map[string]app.MemoryArchived{}
	for i, e := range msg.list {
		id := fmt.Sprint(i)
		byID[id] = e
		items[i] = overlay.Item{ID: id, Label: oneLine(e.Text), Right: strings.Join(memoryRight(string(e.Target), e.Project, format.Ago(m.now().Sub(e.Moved))), " · ")}
	}
	return m.pick(overlay.PickerOptions{
		Title: "Memory · archive · enter puts an entry back", Empty: "Nothing had to make room yet.",
		Chosen: func(it overlay.Item) overlay.Request { return memoryBackMsg{byID[it.ID]} },
	}, items)
}

// memoryBackMsg asks to remember an archived entry again.
type memoryBackMsg struct{ e app.MemoryArchived }

func (msg memoryBackMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	a, ctx := m.app, m.ctx
	return m.do(func() tea.Msg { return remembered(a.PutBackMemory(ctx, msg.e)) })
}
