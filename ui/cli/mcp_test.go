package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/oauthtest"
)

// TestServerCommands adds a server that wants a login, logs in and out, and removes it.
func TestServerCommands(t *testing.T) {
	s := oauthtest.Start(t)
	b := newBox(t)
	b.settings("probe: {local_servers: false}\n")
	o := b.run("mcp", "add", "far", s.MCP())
	holds(t, "added", o.out, "far  needs login  "+s.MCP(), "It wants a login.", "Log in with hermes-tui mcp login far")
	s.Approve()
	o = b.run("mcp", "login", "far")
	holds(t, "logged in", o.out, s.URL+"/enter", "code: ABCD-EFGH", "began this login yourself", "Logged in at far.", "far  ready", "1 tool")
	if o.code != exitOK || o.err != "" || s.Asked("authorize") != 0 {
		t.Error(o, s.Log())
	}
	o = b.run("mcp", "test", "far")
	holds(t, "tested", o.out, "far  ready", "mcp__far__whoami")
	if o = b.run("mcp", "logout", "far"); o.code != exitOK || o.out != "Logged out of far.\n" || o.err != "" || s.Asked("revoke") != 1 {
		t.Error(o, s.Log())
	}
	if o = b.run("mcp", "logout", "far"); o.code != exitOK || o.out != "There was no login at far.\n" {
		t.Error(o)
	}
	if raw, err := os.ReadFile(filepath.Join(b.home, "auth.json")); err != nil || strings.Contains(string(raw), "-token-") {
		t.Errorf("%s, %v", raw, err)
	}
	s.NoDevice = true
	for _, c := range []struct{ args, want string }{
		{"login far", "logging in to the MCP server far failed: it offers no login with a code, only one in a browser on this machine"},
		{"login nobody", "there is no server nobody that is switched on"}, {"login", "takes the name of one server"}, {"logout", "takes the name of one server"}, {"remove x", "there is no server x in "},
	} {
		if o := b.run(append([]string{"mcp"}, strings.Fields(c.args)...)...); o.code == exitOK || !strings.Contains(o.err, c.want) {
			t.Errorf("%s: %v", c.args, o)
		}
	}
	if o = b.run("mcp", "remove", "far"); o.code != exitOK || !strings.HasPrefix(o.out, "Removed from ") {
		t.Error(o)
	}
	if o = b.run("mcp", "list"); o.out != "There are no servers: hermes-tui mcp add adds one.\n" {
		t.Error(o)
	}
}
