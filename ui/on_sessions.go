package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rewind"
	"hermes-tui/ui/status"
)

// sessionsWindow lists the sessions. Acts on the marked one are asked for by keys of its
// own.
type sessionsWindow struct {
	*overlay.Picker
	gen    uint64 // of its entries
	list   []app.SessionInfo
	hidden bool   // those that are archived or deleted are shown, too
	seen   string // the one that notes were asked for
	of     string // only what began with what this session began with, as a tree
	by     listing
}

// listing is which sessions are listed, and how.
type listing uint8

const (
	byTime listing = iota
	ofFolder
	byFolder
	listings
)

// sessionsMsg brings the list of conversations.
type sessionsMsg struct {
	of   *sessionsWindow
	gen  uint64
	list []app.SessionInfo
	more bool // there may be others
	err  error
}

// resumeMsg asks for another conversation; branch says that it may be one that begins like
// the one on the screen.
type resumeMsg struct {
	session string
	branch  bool
}

// sessionMsg asks for something to be done with a session of the list.
type sessionMsg struct {
	session string
	do      keys.Action
}

// sessionDoneMsg says that it was done, or why not.
type sessionDoneMsg struct {
	said string
	err  error
}

// titleMsg asks for another title, while it is typed, and when it is taken.
type titleMsg struct {
	of             *overlay.Picker
	session, title string
	taken          bool
}

// firstSessions is how many sessions are listed before the others.
const firstSessions = 200

// Contexts are where the window has keys of its own.
func (*sessionsWindow) Contexts() []keys.Context { return []keys.Context{keys.InSessions} }

// Name is what the window is called by those opened out of it.
func (*sessionsWindow) Name() string { return "sessions" }

// Act implements [overlay.Box].
func (w *sessionsWindow) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Rename, keys.Archive, keys.Doom, keys.Fork, keys.Hidden, keys.Compare, keys.Project, keys.Export, keys.Beside:
		it, _ := w.Selected()
		return sessionMsg{it.ID, a}
	}
	return w.Picker.Act(a)
}

func (m *Model) openSessions() tea.Cmd { return m.openSessionsOf("", "Sessions", keys.Archive) }

// openSessionsOf lists sessions: all, or those of a lineage.
func (m *Model) openSessionsOf(session, title string, act keys.Action) tea.Cmd {
	w := &sessionsWindow{of: session}
	var more []status.Hint
	if session == "" {
		more = m.hints(keys.InSessions, keys.Project)
	}
	hints := m.windowHints("open", m.hints(keys.InSessions, keys.Rename, act, keys.Doom, keys.Fork), more...)
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: title, Empty: "There is no earlier session.", Notes: true, Hints: hints,
		Chosen: func(it overlay.Item) overlay.Request { return resumeMsg{it.ID, session != ""} },
	})
	m.show(w)
	return m.loadSessions(w)
}

// loadSessions reads what a window lists.
func (m *Model) loadSessions(w *sessionsWindow) tea.Cmd {
	w.gen = w.Load()
	return m.readSessions(w, firstSessions)
}

// readSessions reads so many sessions for a window.
func (m *Model) readSessions(w *sessionsWindow, most int) tea.Cmd {
	a, ctx, hidden, gen := m.app, m.ctx, w.hidden, w.gen
	return m.do(func() tea.Msg {
		if w.of != "" {
			list, err := a.Lineage(ctx, w.of)
			return sessionsMsg{w, gen, list, false, err}
		}
		list, err := a.Sessions(ctx, "", most, hidden)
		return sessionsMsg{w, gen, list, len(list) == most && most < overlay.MaxItems, err}
	})
}

func (msg sessionsMsg) handle(m *Model) tea.Cmd {
	w := msg.of
	if m.box != w && !slices.Contains(m.under, overlay.Box(w)) || msg.gen != w.gen {
		return nil
	}
	m.dirty = true
	if msg.err != nil {
		w.Fail(w.gen, msg.err.Error())
		return nil
	}
	w.list = msg.list
	var more tea.Cmd
	if msg.more {
		more = m.readSessions(w, overlay.MaxItems)
	}
	m.listSessions(w)
	if w.Wanted() {
		return tea.Batch(more, m.dispatch(w.Act(keys.Accept)))
	}
	return tea.Batch(more, m.dispatch(w.Search()))
}

// listSessions makes the entries of a window.
func (m *Model) listSessions(w *sessionsWindow) {
	list, here := w.list, m.state.Work.Dir
	switch title := "Sessions"; {
	case w.of != "":
	case w.by == ofFolder:
		list = slices.DeleteFunc(slices.Clone(list), func(s app.SessionInfo) bool { return s.Dir != here })
		w.SetTitle(title + " of " + status.ShortDir(here, m.state.Work.Home))
	case w.by == byFolder:
		list = grouped(list)
		w.SetTitle(title + " by folder")
	default:
		w.SetTitle(title)
	}
	now := m.now()
	items := make([]overlay.Item, len(list))
	for i, s := range list {
		dir := status.ShortDir(s.Dir, m.state.Work.Home)
		items[i] = overlay.Item{
			ID: s.Session, Label: nameOf(s), Detail: dir,
			Right: format.Ago(now.Sub(s.LastActive)), Current: s.Session == string(m.conv.Session()),
		}
		if s.Title != "" && s.Preview != "" { // how it began is looked for as well
			items[i].Detail = s.Preview + " · " + dir
		}
		items[i].Detail = format.Count(s.Messages, "message", "messages") + " · " + items[i].Detail
		if w.by == byFolder && w.of == "" {
			items[i].Group = dir
		}
		if id, ok := m.elsewhere(s.Session); ok {
			items[i].Right = m.otherOf(id).words()
		}
		if s.Depth > 0 {
			items[i].Label = strings.Repeat("  ", s.Depth-1) + "└ " + items[i].Label
		}
		switch {
		case s.Delegated:
			items[i].Disabled = "a subagent"
		case s.Shortened:
			items[i].Disabled = "goes on below, compressed"
		case s.Deleted:
			items[i].Right = "deleted when you leave"
		case s.Archived:
			items[i].Right = "archived"
		case s.Left:
			items[i].Right = "taken back · " + items[i].Right
		case s.Point:
			items[i].Right = "shortened · " + format.Ago(now.Sub(s.LastActive))
		case s.Branch:
			items[i].Right = "branch · " + items[i].Right
		}
	}
	w.SetItems(w.gen, items)
}

// grouped puts sessions of one folder together, the folders in the order of their newest.
func grouped(list []app.SessionInfo) []app.SessionInfo {
	first := map[string]int{}
	for i, s := range list {
		if _, known := first[s.Dir]; !known {
			first[s.Dir] = i
		}
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b app.SessionInfo) int { return first[a.Dir] - first[b.Dir] })
	return list
}

// nameOf is what a session is called in lists.
func nameOf(s app.SessionInfo) string {
	if s.Title != "" {
		return s.Title
	}
	return s.Preview
}

// handle does what was asked for with a session of the list.
func (msg sessionMsg) handle(m *Model) tea.Cmd {
	w, ok := m.box.(*sessionsWindow)
	if !ok {
		return nil
	}
	switch {
	case msg.do == keys.Hidden:
		w.hidden = !w.hidden
		return m.loadSessions(w)
	case msg.do == keys.Project && w.of == "":
		w.by = (w.by + 1) % listings
		m.listSessions(w)
		m.dirty = true
		return m.dispatch(w.Search())
	}
	i := slices.IndexFunc(w.list, func(s app.SessionInfo) bool { return s.Session == msg.session })
	if i < 0 {
		return nil
	}
	s, a, ctx := w.list[i], m.app, m.ctx
	if (s.Left || s.Point) && msg.do != keys.Rename && msg.do != keys.Compare && msg.do != keys.Fork && msg.do != keys.Export || s.Point && msg.do != keys.Rename {
		return m.say("That is a part of a session: go there first.")
	}
	switch msg.do {
	case keys.Rename:
		return m.askTitle(s)
	case keys.Fork:
		m.show(nil)
		return m.fork(s.Session, "")
	case keys.Compare:
		return m.compare(s)
	case keys.Export:
		m.askFormat(s)
		return nil
	case keys.Beside:
		m.show(nil)
		return m.resumeFrom(s.Session, true)
	case keys.Archive:
		said := "Archived: no list and no search shows it" + m.unhides() + "."
		if s.Archived {
			said = "Brought back from the archive."
		}
		return m.do(func() tea.Msg { return sessionDoneMsg{said, a.ArchiveSession(ctx, s.Session, !s.Archived)} })
	case keys.Doom:
		said := "Deleted when you leave, unless you take that back" + m.unhides() + "."
		if s.Deleted {
			said = "It stays."
		}
		return m.do(func() tea.Msg { return sessionDoneMsg{said, a.DeleteSession(ctx, s.Session, s.Deleted)} })
	}
	return nil
}

// compare shows what a session says otherwise than the one on the screen.
func (m *Model) compare(s app.SessionInfo) tea.Cmd {
	a, ctx, styles, one, box := m.app, m.ctx, m.styles, string(m.conv.Session()), m.box
	if s.Session == one {
		return m.say("That is the session you are in: mark another one to compare it.")
	}
	hints := m.readHints()
	return m.do(func() tea.Msg {
		text, err := a.Compare(ctx, one, s.Session)
		if err != nil {
			return failedMsg{err}
		}
		if text == "" {
			return saidMsg{"Both say the same."}
		}
		return pagerMsg{overlay.NewPagerOf(styles, "From this session to "+clipTitle(nameOf(s)), text, rewind.Changes(text, nil), hints), box}
	})
}

// unhides says which key lists what is hidden.
func (m *Model) unhides() string {
	if b, ok := m.keys.Binding(keys.Hidden, keys.InSessions); ok {
		return "; " + b.Keys[0] + " lists it"
	}
	return ""
}

func (msg sessionDoneMsg) handle(m *Model) tea.Cmd {
	cmds := []tea.Cmd{m.dispatch(said(msg.err, msg.said))}
	if w, ok := m.box.(*sessionsWindow); ok {
		cmds = append(cmds, m.loadSessions(w))
	}
	return tea.Batch(cmds...)
}

// askTitle asks for another title of a session.
func (m *Model) askTitle(s app.SessionInfo) tea.Cmd {
	var w *overlay.Picker
	w = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "New title for " + clipTitle(nameOf(s)), Could: "a title", Empty: "Without a title it is listed by its first words.", Unasked: "Type the new title.", Hints: m.windowHints("rename", nil),
		Ask:    func(text string) overlay.Request { return titleMsg{w, s.Session, text, false} },
		Chosen: func(it overlay.Item) overlay.Request { return titleMsg{w, s.Session, it.Label, true} },
	})
	m.showOver(w)
	return m.dispatch(w.Type(s.Title))
}

func (msg titleMsg) handle(m *Model) tea.Cmd {
	if msg.taken {
		a, ctx := m.app, m.ctx
		return tea.Batch(m.closeBox(), m.do(func() tea.Msg {
			return sessionDoneMsg{"Renamed.", a.RenameSession(ctx, msg.session, msg.title)}
		}))
	}
	if m.box != msg.of {
		return nil
	}
	var items []overlay.Item
	if title := strings.TrimSpace(msg.title); title != "" {
		items = []overlay.Item{{ID: "title", Label: title}}
	}
	msg.of.SetItems(msg.of.Load(), items)
	m.dirty = true
	return nil
}

// share writes the session as a file to be shown to others.
func (m *Model) share() tea.Cmd {
	a, conv, ctx := m.app, m.conv, m.ctx
	return m.do(func() tea.Msg {
		file, err := a.Share(ctx, string(conv.Session()))
		if err != nil {
			return failedMsg{err}
		}
		conv.Notify(event.LevelInfo, "Written, with secrets masked: "+file)
		return nil
	})
}
