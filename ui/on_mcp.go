package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// serverShelf is what the screen knows of MCP servers.
type serverShelf struct {
	list      []app.MCPServer
	problems  []string
	prompts   []app.MCPPrompt
	asked     time.Time          // when the prompts were asked for
	window    *serversWindow     // opened last
	login     context.CancelFunc // ends the login that is under way, nil for none
	page      overlay.Box        // shows where to log in
	run       int                // counts logins
	following bool               // a change is waited for
}

// serversMsg brings the servers.
type serversMsg struct {
	list     []app.MCPServer
	problems []string
	news     <-chan struct{} // closed when they are no longer so
}

// serversNewsMsg says that something about a server has changed.
type serversNewsMsg struct{}

// serversWindow lists the servers.
type serversWindow struct {
	*overlay.Picker
	gen uint64 // of its entries
}

// serverMsg asks for something to be done with a server of the list.
type serverMsg struct {
	id   string // its name, or that of a problem
	do   keys.Action
	sure bool // the user has seen what that means
}

// serverDoneMsg says that it was done, or why not.
type serverDoneMsg struct {
	said string
	err  error
	run  int        // of a login, 0 for anything else
	now  serversMsg // how they are now, where that was read
}

// Contexts are where the window has keys of its own.
func (*serversWindow) Contexts() []keys.Context { return []keys.Context{keys.InServers} }

// Name is what the window is called by those opened out of it.
func (*serversWindow) Name() string { return "servers" }

// Act implements [overlay.Box].
func (w *serversWindow) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Allow, keys.Disable, keys.Project, keys.Try, keys.Login, keys.Give, keys.Logged:
		if it, ok := w.Selected(); ok {
			return serverMsg{id: it.ID, do: a}
		}
		return nil
	}
	return w.Picker.Act(a)
}

// openServers lists the servers.
func (m *Model) openServers() tea.Cmd {
	hints := m.windowHints("read", m.hints(keys.InServers, keys.Allow, keys.Disable, keys.Login, keys.Try, keys.Logged, keys.Project))
	w := &serversWindow{Picker: overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "MCP servers", Empty: "There are no servers: mcp_servers in config.yaml names programs whose tools the agent can use.", Hints: hints,
		Chosen: func(it overlay.Item) overlay.Request { return serverMsg{id: it.ID, do: keys.Open} },
	})}
	w.gen = w.Load()
	m.servers.window = w
	m.show(w)
	return m.loadServers()
}

// loadServers reads the servers.
func (m *Model) loadServers() tea.Cmd {
	a, conv := m.app, m.conv
	return m.do(func() tea.Msg { return readServers(a, conv) })
}

func readServers(a *app.App, conv app.Conversation) serversMsg {
	news := a.MCPNews()
	if conv == nil {
		list, problems := a.MCPServers()
		return serversMsg{list, problems, news}
	}
	list, problems := conv.MCPServers()
	return serversMsg{list, problems, news}
}

// followServers waits for a change, as long as the window is open. One waits at a time.
func (m *Model) followServers(news <-chan struct{}) tea.Cmd {
	if m.servers.following {
		return nil
	}
	m.servers.following = true
	ctx := m.ctx
	return func() tea.Msg { // the program is at rest meanwhile
		select {
		case <-ctx.Done():
		case <-news:
		}
		return serversNewsMsg{}
	}
}

func (serversNewsMsg) handle(m *Model) tea.Cmd {
	m.servers.following = false
	if w := m.servers.window; w == nil || m.box != w {
		return nil
	}
	return m.loadServers()
}

func (msg serversMsg) handle(m *Model) tea.Cmd {
	m.servers.list, m.servers.problems = msg.list, msg.problems
	w := m.servers.window
	if w == nil || m.box != w {
		return nil
	}
	w.SetItems(w.gen, serverItems(msg.list, msg.problems))
	m.dirty = true
	return tea.Batch(m.dispatch(w.Search()), m.followServers(msg.news))
}

// The headers of the list, in their order.
var serverGroups = []struct{ state, title string }{
	{"held", "Not started until you allow them"},
	{"ready", "Ready"},
	{"connecting", "Starting"},
	{"needs login", "Want a login"},
	{"rests", "Resting until they are called"},
	{"parked", "Not reached"},
	{"failed", "Cannot be used as they are written"},
	{"off", "Switched off"},
}

// serverItems are the rows of the window.
func serverItems(list []app.MCPServer, problems []string) []overlay.Item {
	var items []overlay.Item
	for i, p := range problems {
		items = append(items, overlay.Item{ID: problemID + strconv.Itoa(i), Label: p, Group: "Not read"})
	}
	for _, g := range serverGroups {
		for _, s := range list {
			state := s.State
			if s.Rests {
				state = "rests"
			}
			if state != g.state {
				continue
			}
			it := overlay.Item{ID: s.Name, Label: s.Name, Detail: s.Runs, Group: g.title}
			if s.Why != "" && s.State != "held" {
				it.Detail = s.Why
			}
			var right []string
			if n := len(s.Held); n > 0 {
				right = append(right, format.Count(n, "tool waits", "tools wait"))
			}
			if n := len(s.Tools); n > 0 {
				right = append(right, format.Count(n, "tool", "tools"), format.Tokens(int64(s.Tokens()))+" tok")
			}
			it.Right = strings.Join(right, " · ")
			items = append(items, it)
		}
	}
	return items
}

// handle does what was asked for. The window stays open.
func (msg serverMsg) handle(m *Model) tea.Cmd {
	i := slices.IndexFunc(m.servers.list, func(s app.MCPServer) bool { return s.Name == msg.id })
	if i < 0 {
		if n, err := strconv.Atoi(strings.TrimPrefix(msg.id, problemID)); err == nil && n < len(m.servers.problems) {
			m.showOver(overlay.NewPager(m.styles, "Not read", m.servers.problems[n]+"\n", m.readHints()))
		}
		return nil
	}
	s, a, conv, ctx := m.servers.list[i], m.app, m.conv, m.ctx
	done := func(said string, do func() error) tea.Cmd {
		return m.do(func() tea.Msg {
			msg := serverDoneMsg{said: said, err: do()}
			msg.now = readServers(a, conv) // so that what is said and what is listed agree
			return msg
		})
	}
	switch msg.do {
	case keys.Allow:
		switch {
		case s.State == "held" && !msg.sure:
			return m.confirmServer(msg, "start it", "Start "+s.Name+"?", consentLines(s))
		case s.State == "held":
			return tea.Batch(m.closeBox(), done("Allowed as it is now: "+s.Name+". When it changes you are asked again.", func() error { return a.AllowMCP(ctx, s) }))
		case len(s.Held) > 0:
			return done("Allowed as they are now: "+format.Count(len(s.Held), "tool", "tools")+" of "+s.Name+".", func() error { return a.AllowMCP(ctx, s) })
		}
		return m.say("Nothing of " + s.Name + " waits to be allowed.")
	case keys.Disable:
		if s.OffHere {
			return m.say(s.Name + " is switched off in this project: alt+p switches it on there.")
		}
		off := s.State != "off"
		said := "Switched off until you end the program: " + s.Name + "."
		if !off {
			said = "Switched on: " + s.Name + "."
		}
		return done(said, func() error { return a.SwitchMCP(s.Name, off) })
	case keys.Project:
		conv, off := m.conv, !s.OffHere
		switch {
		case conv == nil:
			return m.say("One moment: the session is being opened.")
		case s.State == "held":
			return m.say("Not started: " + s.Name + " waits until you allow it.")
		case s.State == "off" && off:
			return m.say(sentence(errors.New(s.Why)))
		}
		said := "Switched on in this project: " + s.Name + "."
		if off {
			said = "Switched off in this project, for all sessions there: " + s.Name + "."
		}
		return done(said, func() error { return conv.SwitchMCP(ctx, s.Name, off) })
	case keys.Logged:
		return m.readServerLog(s)
	case keys.Login:
		return m.login(s.Name)
	case keys.Give:
		return m.giveServer(msg, s, done)
	case keys.Try:
		return tea.Batch(m.say("Trying "+s.Name+"…"), m.do(func() tea.Msg {
			s, err := a.TryMCP(ctx, s.Name)
			return serverDoneMsg{said: strings.TrimSpace(s.Name + " is " + s.State + ". " + s.Why), err: err}
		}))
	}
	m.showOver(overlay.NewPager(m.styles, s.Name, serverText(s), m.readHints()))
	return nil
}

// readServerLog shows the end of the log of a server.
func (m *Model) readServerLog(s app.MCPServer) tea.Cmd {
	a, styles, out := m.app, m.styles, m.box
	hints := m.readHints()
	return m.do(func() tea.Msg {
		text, err := a.MCPLog(s)
		switch {
		case err != nil:
			return saidMsg{sentence(err)}
		case text == "":
			return saidMsg{s.Name + " has written nothing into its log."}
		}
		p := overlay.NewPager(styles, "Log of "+s.Name, text, hints)
		p.Follow() // the end of it first
		return pagerMsg{p, out}
	})
}

func (msg serverDoneMsg) handle(m *Model) tea.Cmd {
	var closed tea.Cmd
	if msg.run > 0 && msg.run == m.servers.run && m.servers.page != nil {
		if m.box == m.servers.page {
			closed = m.closeBox()
		}
		m.servers.page = nil
	}
	if msg.err != nil {
		return tea.Batch(closed, m.complain(msg.err)) // its reason can be longer than a row
	}
	if w := m.servers.window; w != nil && m.box == w {
		w.gen = w.Load()
	}
	if msg.now.news != nil {
		m.servers.list, m.servers.problems = msg.now.list, msg.now.problems
	}
	return tea.Batch(closed, m.say(msg.said), m.loadServers())
}

// serverText is all about a server.
func serverText(s app.MCPServer) string {
	lines := append([]string{s.Runs}, serverGets(s)...)
	lines = append(lines, "", "Named in "+s.Origin+". It is "+s.State+".")
	for _, line := range []string{s.Why, s.Next, s.Junk} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	if s.Trusted {
		lines = append(lines, "Its tools are called without asking (trust: full).")
	}
	lines = append(lines, "Its log: "+s.Log)
	if s.Says != "" {
		lines = append(lines, "", "It says about itself:", s.Says)
	}
	for _, h := range s.Held {
		lines = append(lines, "", "Held back: "+h.Name)
		if len(h.Findings) > 0 {
			lines = append(lines, "It reads like an attempt to take over the agent: "+strings.Join(h.Findings, ", ")+".")
		}
		lines = append(lines, h.Diff)
	}
	if len(s.Tools) > 0 {
		lines = append(lines, "", fmt.Sprintf("%s, about %s tokens in every request:", format.Count(len(s.Tools), "tool", "tools"), format.Tokens(int64(s.Tokens()))))
	}
	for _, t := range s.Tools {
		kind := ""
		if t.Reads {
			kind = " · only reads, it says"
		}
		lines = append(lines, "", fmt.Sprintf("%s  %s%s", t.Name, format.Tokens(int64(t.Tokens)), kind), t.Description)
	}
	for _, l := range s.Left {
		lines = append(lines, "", "Cannot be used: "+l)
	}
	return strings.Join(lines, "\n") + "\n"
}
