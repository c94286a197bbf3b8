//go:build unix

package app

import (
	"hermes-tui/agent/api"
	"os"
	"strings"
	"testing"
)

// TestServerOffInProject: a server that is switched off in a project does not run for it, over
// a restart as well, and runs in another one.
func TestServerOffInProject(t *testing.T) {
	b := newBox(t)
	b.config("probe:\n  local_servers: false\nmcp_servers:\n  tell: {command: " + os.Args[0] + ", env: {" + serverEnv + ": \"1\"}, trust: full}\n")
	tools := func(c Conversation) (n int) {
		for _, tool := range c.(*conversation).mcpTools(true) {
			if strings.HasPrefix(tool.Name, "mcp__tell__") {
				n++
			}
		}
		return n
	}
	a, c := b.begin()
	if n := tools(c); n == 0 {
		t.Fatal("it is not there")
	}
	if err := c.SwitchMCP(t.Context(), "tell", true); err != nil {
		t.Fatal(err)
	}
	list, _ := c.MCPServers()
	if n := tools(c); n != 0 || len(list) != 1 || list[0].State != "off" || !list[0].OffHere || list[0].Why != "It is switched off in this project." {
		t.Errorf("%d tools, %+v", n, list)
	}
	if running := a.mcp.servers.List(); len(running) != 0 {
		t.Errorf("it runs though no session wants it: %+v", running)
	}
	closed(t, a)

	a, c = b.begin()
	if n := tools(c); n != 0 {
		t.Error("forgotten at a restart")
	}
	closed(t, a)
	here := b.dir
	b.dir = t.TempDir()
	a, other := b.begin()
	if n := tools(other); n == 0 {
		t.Error("off in another project")
	}
	if list, _ := other.MCPServers(); len(list) != 1 || list[0].State != "ready" || list[0].OffHere {
		t.Errorf("%+v", list)
	}
	closed(t, a)
	b.dir = here
	a, c = b.begin()
	if err := c.SwitchMCP(t.Context(), "tell", false); err != nil {
		t.Fatal(err)
	}
	if n := tools(c); n == 0 {
		t.Error("not on again")
	}
	if log, err := a.MCPLog(api.MCPServer{Name: "none"}); log != "" || err != nil {
		t.Errorf("%q, %v", log, err)
	}
	closed(t, a)
}
