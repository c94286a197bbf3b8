package ui

import (
	"context"
	"errors"
	"hermes-tui/agent/app"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// loginMsg brings what the user needs to log in at a server, while that is waited for.
type loginMsg struct {
	name, address, code string
	opened              bool // the page, in a browser
	until               time.Time
	done                <-chan serverDoneMsg
}

// login logs in at a server. An earlier attempt that is under way ends.
func (m *Model) login(name string) tea.Cmd {
	if m.servers.login != nil {
		m.servers.login()
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.servers.login = cancel
	m.servers.run++
	run := m.servers.run
	a, open := m.app, m.o.OpenPage
	return tea.Batch(m.say("Asking "+name+" how to log in…"), m.do(func() tea.Msg {
		done, shown := make(chan serverDoneMsg, 1), make(chan loginMsg, 1)
		go func() {
			defer cancel()
			s, err := a.LoginMCP(ctx, name, app.LoginWay{
				Browser: func(address string) {
					shown <- loginMsg{name: name, address: address, opened: open != nil && open(address), done: done}
				},
				Code: func(c app.LoginCode) {
					shown <- loginMsg{name: name, address: c.Page, code: c.Code, until: c.Expires, done: done}
				},
			})
			if errors.Is(err, context.Canceled) {
				done <- serverDoneMsg{run: run, said: "The login was not finished, and nothing has changed."}
				return
			}
			done <- serverDoneMsg{run: run, said: strings.TrimSpace("Logged in: " + s.Name + " is " + s.State + ". " + s.Why), err: err}
		}()
		select {
		case msg := <-shown:
			return msg
		case msg := <-done:
			return msg
		}
	}))
}

// handle shows where to log in. The window may be closed meanwhile.
func (msg loginMsg) handle(m *Model) tea.Cmd {
	text := "Open this address in a browser on this machine, and log in there:\n\n" + msg.address + "\n\nThe program goes on by itself when you have.\n"
	if msg.code != "" {
		text = "Open this page on any device, and enter the code there until " + msg.until.Format("15:04") + ":\n\n" + msg.address + "\n\ncode: " + msg.code +
			"\n\nEnter it only if you began this login yourself. The program goes on by itself when you have.\n"
	}
	show := func(int, *rows.Styles) string { return text }
	m.servers.page = overlay.NewPagerOf(m.styles, "Log in at "+msg.name, msg.address, show, m.readHints())
	m.showOver(m.servers.page)
	said := m.say("Waiting for you to log in at " + msg.name + "…")
	if msg.opened {
		said = m.say("The page was opened in your browser. Waiting for you to log in at " + msg.name + "…")
	}
	return tea.Batch(said, m.do(func() tea.Msg { return <-msg.done }))
}
