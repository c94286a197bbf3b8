package app

import (
	"context"
	"errors"
	"io"
	"os"

	"hermes-tui/agent/api"
	"hermes-tui/tools/mcp"
)

// What is kept of a server in a project.
const (
	mcpOff = "off"
	mcpOn  = "on"
)

// mcpPlace is under what it is kept whether a server is switched off in the project of the
// conversation, empty where there is none.
func (c *conversation) mcpPlace(name string) string {
	if c.remote != nil {
		return ""
	}
	return "use of " + name + " in " + c.app.rootOf(c.dir)
}

// mcpOff reports whether a server is switched off in the project of the conversation.
func (c *conversation) mcpOff(name string) bool {
	at := c.mcpPlace(name)
	return at != "" && c.app.mcp.consents.Newest(at) == mcpOff
}

// mcpUnused reports whether a server is switched off in the projects of all conversations.
func (a *App) mcpUnused(name string) bool {
	open := a.conversations()
	for _, c := range open {
		if !c.mcpOff(name) {
			return false
		}
	}
	return len(open) > 0
}

// mcpOffNow reports whether a server is switched off for this run.
func (a *App) mcpOffNow(name string) bool {
	a.mcp.mu.Lock()
	defer a.mcp.mu.Unlock()
	return a.mcp.off[name]
}

// MCPServers implements [Conversation].
func (c *conversation) MCPServers() (list []api.MCPServer, problems []string) {
	list, problems = c.app.MCPServers()
	for i := range list {
		s := &list[i]
		if s.State != string(mcp.Held) && s.Why != offBySettings && c.mcpOff(s.Name) {
			s.State, s.Why, s.OffHere, s.Tools, s.Held, s.Left = string(mcp.Off), "It is switched off in this project.", true, nil, nil, nil
			s.Next = nextStep(*s)
		}
	}
	return list, problems
}

// SwitchMCP implements [Conversation].
func (c *conversation) SwitchMCP(ctx context.Context, name string, off bool) error {
	if err := c.app.writable(); err != nil {
		return err
	}
	at, is := c.mcpPlace(name), mcpOn
	if at == "" {
		return errors.New("this session works on another machine, where there are no projects of this one: switch the server off for this run")
	}
	if off {
		is = mcpOff
	}
	if err := c.app.mcp.consents.Allow(ctx, at, is); err != nil {
		return err
	}
	c.app.syncMCP()
	return nil
}

// mcpLogShown is how much of the log of a server is shown, in bytes.
const mcpLogShown = 256 << 10

// MCPLog is the end of what a server has written on its standard error, and of what was noted
// of it; empty when there is nothing.
func (a *App) MCPLog(s api.MCPServer) (string, error) {
	f, err := os.Open(a.mcpLogFile(s.Name))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() > mcpLogShown {
		if _, err := f.Seek(-mcpLogShown, io.SeekEnd); err != nil {
			return "", err
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, mcpLogShown))
	return string(text), err
}
