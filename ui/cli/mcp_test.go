package cli

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
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
		{"login nobody", "there is no server nobody: hermes-tui mcp list shows them"}, {"login", "takes the name of one server"}, {"logout", "takes the name of one server"}, {"remove x", "there is no server x in "},
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

// TestServerAddKeys adds servers with what they get: a key that is asked for and kept in .env,
// headers, variables. No key is shown.
func TestServerAddKeys(t *testing.T) {
	t.Parallel()
	var seen atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Header.Get("Authorization") + "|" + r.Header.Get("X-Team"))
		http.Error(w, "not here", http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	b := newBox(t)
	text := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(b.home, name))
		if err != nil {
			t.Error(err)
		}
		return string(raw)
	}
	b.settings("probe: {local_servers: false}\n")
	b.in = strings.NewReader("Bearer a-key-of-mine-123\n")
	o := b.run("mcp", "add", "my.far", server.URL, "--auth", "header", "--header", "X-Team: blue")
	b.in = nil
	holds(t, "added", o.out, "The key is kept in", "MCP_MY_FAR_API_KEY", "Added to ", "Authorization: Bearer ${MCP_MY_FAR_API_KEY}")
	if got := seen.Load(); got != "Bearer a-key-of-mine-123|blue" {
		t.Errorf("it got %v", got)
	}
	if strings.Contains(o.out+o.err, "a-key-of") || strings.Contains(text("config.yaml"), "a-key-of") {
		t.Errorf("the key is shown: %v", o)
	}
	if st, err := os.Stat(filepath.Join(b.home, ".env")); err != nil || st.Mode().Perm() != 0o600 || !strings.Contains(text(".env"), "a-key-of-mine-123") {
		t.Errorf("%v, %v", st, err)
	}
	b.run("mcp", "add", "near", "--env", "A=b c", "--env", "TOKEN=${SOME_TOKEN}", "--", "no-such-program", "--flag")
	holds(t, "settings", text("config.yaml"), "command: no-such-program", `args: [--flag]`, "A: b c", "TOKEN: ${SOME_TOKEN}", "X-Team: blue")
	before := text("config.yaml")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"x", server.URL, "--env", "A=b"}, "variables are for a command"}, {[]string{"x", "--header", "A: b", "--", "y"}, "headers and logins are for an address"},
		{[]string{"x", server.URL, "--header", "A"}, "--header takes"}, {[]string{"x", "--env", "=b", "--", "y"}, "--env takes"}, {[]string{"x", server.URL, "--auth", "much"}, "--auth is"},
		{[]string{"x", "--auth", "header", "--", "y"}, "is for an address"}, {[]string{"my.far", server.URL, "--auth", "header"}, "there is a server my.far already"},
		{[]string{"x"}, "takes a name"},
	} {
		if o := b.run(append([]string{"mcp", "add"}, c.args...)...); o.code == exitOK || !strings.Contains(o.err, c.want) {
			t.Errorf("%q: %v; want %q", c.args, o, c.want)
		}
	}
	if after := text("config.yaml"); after != before {
		t.Errorf("changed to %s", after)
	}
	s := oauthtest.Start(t)
	s.Approve()
	o = b.run("mcp", "add", "login", s.MCP(), "--auth", "oauth")
	holds(t, "logged in", o.out, "Added to ", "Logged in at login.", "login  ready")
}

// TestProjectServers lists the servers of a trusted project, and allows one of them, which waits
// for that. Of a folder that is not trusted none count.
func TestProjectServers(t *testing.T) {
	b := newBox(t)
	b.settings("probe: {local_servers: false}\nmodel: {provider: demo}\n")
	if err := os.WriteFile(filepath.Join(b.dir, ".mcp.json"), []byte(`{"mcpServers":{"near":{"command":"false"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := b.run("mcp", "list"); !strings.HasPrefix(o.out, "There are no servers") {
		t.Errorf("untrusted: %v", o)
	}
	db := b.db()
	seal, _, err := bind.OpenSeal(t.Context(), filepath.Join(b.home, "grants.key"))
	if err == nil {
		err = bind.Trust(db, event.SystemSource(), seal).Decide(t.Context(), b.dir, true)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	holds(t, "listed", b.run("mcp", "list").out, "near  held")
	holds(t, "allowed", b.run("mcp", "allow", "near").out, "Allowed as it is now")
	if o := b.run("mcp", "list"); strings.Contains(o.out, "held") || !strings.Contains(o.out, "near  ") {
		t.Errorf("allowed: %v", o)
	}
}
