package ui

import (
	"hermes-tui/agent/app"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/slash"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// promptShelf is what the screen knows of prompts of MCP servers.
type promptShelf struct {
	list  []app.MCPPrompt
	asked time.Time
}

// promptsMsg brings the prompts of servers.
type promptsMsg struct {
	gen  int
	list []app.MCPPrompt
}

// promptMsg brings a prompt of a server, for the draft of a conversation.
type promptMsg struct {
	gen  int
	name string
	text string
	err  error
}

// commands are the prompts of servers.
func (s *promptShelf) commands() (list []slash.Command) {
	for _, p := range s.list {
		help := p.Description
		if help == "" {
			help = "a prompt of an MCP server"
		}
		list = append(list, slash.Command{Name: slash.Name(p.Name), Args: p.Arguments, Help: help, Busy: true, Prompt: true})
	}
	return list
}

// freshPrompts asks for the prompts again for completing a name, when that is due.
func (m *Model) freshPrompts() tea.Cmd {
	if m.now().Sub(m.servers.asked) < skillsAge {
		return nil
	}
	m.servers.asked = m.now()
	conv, gen, ctx := m.conv, m.gen, m.ctx
	return m.do(func() tea.Msg { return promptsMsg{gen, conv.MCPPrompts(ctx)} })
}

func (msg promptsMsg) handle(m *Model) tea.Cmd {
	if msg.gen != m.gen {
		m.servers.asked = time.Time{} // those of another conversation
		return nil
	}
	same := slices.Equal(m.servers.list, msg.list)
	m.servers.list = msg.list
	if q, ok := m.composer.Completion(); same || !ok || q.Kind != composer.SlashQuery {
		return nil
	}
	m.dirty = true
	return m.completing()
}

// callPrompt asks a server for a prompt. It becomes the draft, so that nothing is sent in
// the user's name that was not seen.
func (m *Model) callPrompt(name, args string) tea.Cmd {
	m.composer.Remember(m.composer.Value())
	m.composer.Set("")
	conv, gen, ctx := m.conv, m.gen, m.ctx
	return tea.Batch(m.say("Asking for "+name+"…"), m.do(func() tea.Msg {
		text, err := conv.MCPPrompt(ctx, name, args)
		return promptMsg{gen, name, text, err}
	}))
}

func (msg promptMsg) handle(m *Model) tea.Cmd {
	switch {
	case msg.gen != m.gen:
		return nil
	case msg.err != nil:
		return m.fail(msg.err)
	case strings.TrimSpace(msg.text) == "":
		return m.say(msg.name + " is empty.")
	}
	if !m.composer.Empty() {
		m.composer.Remember(m.composer.Draft())
		m.composer.Set("")
	}
	m.composer.Paste(msg.text)
	m.dirty = true
	return m.say("This is what the server gives for " + msg.name + ": look at it, change it, and enter sends it.")
}
