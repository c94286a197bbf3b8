package ui

import (
	"slices"
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

// wayIn leads to where a context's keys mean something and that is no region: a window,
// or a state of a region.
type wayIn struct {
	context keys.Context
	command slash.Name // that opens it, or
	open    func(m *Model) tea.Cmd
	where   string // in words, empty for the command
}

// waysIn are the ways into all contexts but those of regions. Where nothing leads there,
// what is in the way is said.
func waysIn() []wayIn {
	return []wayIn{
		{context: keys.InSessions, command: slash.Resume},
		{context: keys.InSkills, command: slash.Skills},
		{context: keys.InServers, command: slash.Servers},
		{context: keys.InMemory, command: slash.Memory},
		{context: keys.InHooks, command: slash.Hooks},
		{context: keys.InPlugins, command: slash.Plugins},
		{context: keys.InThemes, command: slash.Theme},
		{context: keys.InJobs, command: slash.Jobs},
		{context: keys.InReview, command: slash.Review},
		{context: keys.InDecided, command: slash.Permissions},
		{context: keys.InHeld, command: slash.Instructions},
		{context: keys.InReplays, command: slash.Replay},
		{context: keys.InSetup, command: slash.Setup},
		{context: keys.InTimeline, where: "who worked when", open: func(m *Model) tea.Cmd { return m.actIn(m.regionOf(keys.InSidebar), keys.Timeline) }},
		{context: keys.InFind, where: "while finding", open: func(m *Model) tea.Cmd { m.openFind(); return nil }},
		{context: keys.InSelection, where: "while selecting", open: func(m *Model) tea.Cmd { return m.actIn(m.regionOf(keys.InTranscript), keys.SelectText) }},
		{context: keys.InRecall, where: "in the history", open: (*Model).openRecall},
		{context: keys.InPrompt, where: "while a question is open"},
		{context: keys.InMenu, where: "while a draft is completed"},
		{context: keys.InOverlay, where: "while a window is open"},
		{context: keys.InText, where: "while a text is open"},
	}
}

// lies says in words where that is.
func (w *wayIn) lies() string {
	if w.command != "" {
		return "in /" + string(w.command)
	}
	return w.where
}

// firstOfAll are the commands that the palette begins with.
var firstOfAll = []slash.Name{slash.Resume, slash.New, slash.Model, slash.Theme}

// otherWords are words that commands are looked for by, besides theirs and their aliases.
var otherWords = map[slash.Name]string{
	slash.Resume: "switch open continue", slash.New: "chat conversation", slash.Model: "switch select", slash.Theme: "switch colors",
	slash.Mode: "switch approvals yolo", slash.Quit: "exit", slash.Share: "export", slash.Compress: "compact summarize", slash.Usage: "cost tokens",
}

// openPalette lists every action with its key and every command: a few commands and what
// can be done where the keys go first, then what works anywhere, the commands, and what can be done in the
// other regions and in windows, to which taking it leads. What only moves or edits comes
// last.
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
	actions := func(c keys.Context, way *wayIn) {
		for _, b := range m.keys.Bindings {
			if b.Context != c || b.Action == keys.Palette {
				continue
			}
			it, list := overlay.Item{Label: b.Help, Group: contextTitle(c)}, &items
			if way != nil {
				it.Detail = way.lies()
				if way.command == "" && way.open == nil {
					it.Disabled = it.Detail
				}
			}
			if len(b.Keys) > 0 {
				it.Right = b.Keys[0]
			}
			if _, edits := edits[b.Action]; edits || b.Action == keys.Up || b.Action == keys.Down {
				it.Group, list = "Moving and editing: "+string(c), &moves
			}
			add(list, it, paletteMsg{context: c, action: b.Action})
		}
	}
	command := func(c slash.Command, group string) {
		also := strings.Join(append(c.Aliases, otherWords[c.Name]), " ")
		add(&items, overlay.Item{Label: "/" + string(c.Name), Detail: c.Help, Right: c.Args, Group: group, Also: also}, paletteMsg{command: "/" + string(c.Name)})
	}
	commands := slash.Table()
	for _, c := range commands {
		if slices.Contains(firstOfAll, c.Name) {
			command(c, "Often")
		}
	}
	here := m.focused().context
	actions(here, nil)
	actions(keys.Anywhere, nil)
	for _, c := range commands {
		command(c, "Commands")
	}
	for i := range m.list {
		if c := m.list[i].context; c != "" && c != here {
			actions(c, nil)
		}
	}
	for _, way := range waysIn() {
		actions(way.context, &way)
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Actions and commands", Empty: "No action has that name.", Hints: m.windowHints("run", nil),
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

// handle does it as if its key had been pressed there. What acts on the marked entry of a
// window is not done at once: the window opens, and the key is named. A command leaves the
// draft as it is.
func (msg paletteMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	if msg.command != "" {
		return m.commandBeside(msg.command)
	}
	if msg.context == keys.Anywhere {
		cmd, _ := m.actAnywhere(msg.action)
		return cmd
	}
	if r := m.regionOf(msg.context); r != nil {
		return m.actIn(r, msg.action)
	}
	for _, way := range waysIn() {
		if way.context == msg.context {
			return m.goIn(way, msg.action)
		}
	}
	return nil
}

// goIn leads to where an action is done, and says by which key.
func (m *Model) goIn(way wayIn, a keys.Action) tea.Cmd {
	var cmd tea.Cmd
	note := m.noteGen
	if way.command != "" {
		cmd = m.commandBeside("/" + string(way.command))
	} else {
		cmd = way.open(m)
	}
	b, ok := m.keys.Binding(a, way.context)
	if !ok || m.noteGen != note { // it says why that cannot be
		return cmd
	}
	return tea.Batch(cmd, m.say(b.Keys[0]+": "+b.Help+"."))
}

// regionOf is the region that has a context, nil for none.
func (m *Model) regionOf(c keys.Context) *region {
	for i := range m.list {
		if r := &m.list[i]; r.context == c {
			return r
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
