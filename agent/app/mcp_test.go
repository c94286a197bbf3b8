//go:build unix

package app

import (
	"encoding/json"
	"hermes-tui/agent/api"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serverNow is a server as the user sees it, once is says that it is so.
func serverNow(t *testing.T, a *App, name string, is func(api.MCPServer) bool) api.MCPServer {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		list, _ := a.MCPServers()
		for _, s := range list {
			if s.Name == name && is(s) {
				return s
			}
		}
	}
	list, problems := a.MCPServers()
	t.Fatalf("%s: %+v %q", name, list, problems)
	return api.MCPServer{}
}

// TestProjectServers: servers that a project names are started in a trusted folder and after
// the user has looked at them, and again when their entry has changed.
func TestProjectServers(t *testing.T) {
	b := newBox(t)
	work := t.TempDir() // not below the user's home
	b.dir = work
	proof := filepath.Join(t.TempDir(), "started")
	write := func(arg string) {
		text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
			"ours":    map[string]any{"command": "/bin/sh", "args": []string{"-c", "echo " + arg + " >> " + proof + "; exec " + os.Args[0]}, "env": map[string]string{serverEnv: "${UNSET:-1}"}},
			"theirs":  map[string]any{"command": "x"},
			"nothing": map[string]any{},
		}})
		if err == nil {
			err = os.WriteFile(filepath.Join(work, ".mcp.json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	b.config("probe:\n  local_servers: false\nmcp_servers:\n  theirs: {command: /no/such, enabled: false}\n")
	started := func() string { raw, _ := os.ReadFile(proof); return string(raw) }

	a, c := b.begin()
	if _, _, err := c.Trust(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	a.syncMCP()
	if list, _ := a.MCPServers(); len(list) != 1 || list[0].State != "off" || started() != "" {
		t.Fatalf("not trusted: %+v, %q", list, started())
	}
	if _, _, err := c.Trust(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	a.syncMCP()
	s := serverNow(t, a, "ours", func(s api.MCPServer) bool { return s.State == "held" })
	if started() != "" || !strings.Contains(s.Runs, "echo one") || !strings.HasSuffix(s.Origin, ".mcp.json") {
		t.Errorf("held: %+v, %q", s, started())
	}
	if _, problems := a.MCPServers(); len(problems) != 2 || !strings.Contains(problems[0], "nothing cannot be used: it has neither") || !strings.Contains(problems[1], "theirs does not count") {
		t.Errorf("problems: %q", problems)
	}
	if err := a.AllowMCP(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s = serverNow(t, a, "ours", func(s api.MCPServer) bool { return s.State == "ready" })
	if started() != "one\n" || len(s.Tools) == 0 || s.Trusted {
		t.Errorf("ready: %+v, %q", s, started())
	}
	write("two")
	a.syncMCP()
	serverNow(t, a, "ours", func(s api.MCPServer) bool { return s.State == "held" })
	if started() != "one\n" {
		t.Errorf("started though it has changed: %q", started())
	}
	closed(t, a)

	write("one") // what was agreed to last counts, over a restart as well
	a, _ = b.begin()
	a.syncMCP()
	serverNow(t, a, "ours", func(s api.MCPServer) bool { return s.State == "ready" })
	if err := a.SwitchMCP("ours", true); err != nil {
		t.Fatal(err)
	}
	serverNow(t, a, "ours", func(s api.MCPServer) bool { return s.State == "off" && strings.Contains(s.Why, "for this run") })
	if err := a.SwitchMCP("theirs", false); err == nil || !strings.Contains(err.Error(), "config.yaml") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(filepath.Join(work, ".mcp.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.syncMCP()
	if _, problems := a.MCPServers(); len(problems) != 1 || !strings.Contains(problems[0], "line 1 is not") {
		t.Errorf("problems: %q", problems)
	}
}

// TestServersFollowSettings adds a server on the command line's way, has the session use
// it, and sees it end when the settings no longer have it, and all of it when the program
// ends.
func TestServersFollowSettings(t *testing.T) {
	b := newBox(t)
	pid := filepath.Join(t.TempDir(), "pid")
	a, c := b.begin()
	if err := a.AddMCP(t.Context(), NewMCP{Name: "mine", Command: []string{"/bin/sh", "-c", "echo $$ >> " + pid + "; exec " + os.Args[0]}, Env: map[string]string{serverEnv: "1"}, Trust: true}); err != nil {
		t.Fatal(err)
	}
	serverNow(t, a, "mine", func(s api.MCPServer) bool { return s.State == "ready" })
	for _, err := range []error{
		a.AddMCP(t.Context(), NewMCP{Name: "mine", URL: "http://127.0.0.1:1"}), a.AddMCP(t.Context(), NewMCP{Name: "two words", URL: "http://127.0.0.1:1"}),
		a.AddMCP(t.Context(), NewMCP{Name: "x", URL: "ftp://h"}), a.AddMCP(t.Context(), NewMCP{Name: "x", URL: "http://127.0.0.1:1", Env: map[string]string{"A": "b"}}),
		a.AddMCP(t.Context(), NewMCP{Name: "x", Command: []string{"y"}, Headers: map[string]string{"A": "b"}}), a.AddMCP(t.Context(), NewMCP{Name: "x", URL: "http://127.0.0.1:1", Headers: map[string]string{"A b": "c"}}),
	} {
		if err == nil {
			t.Error("added")
		}
	}
	raw, err := os.ReadFile(b.home.Config())
	if err != nil || !strings.Contains(string(raw), "trust: full") {
		t.Fatalf("%s, %v", raw, err)
	}
	if err := a.AddMCP(t.Context(), NewMCP{Name: "gone", Command: []string{"no-such-program-here"}}); err != nil {
		t.Fatal(err)
	}
	if s, err := a.TryMCP(t.Context(), "gone"); err != nil || s.State != "parked" || !strings.Contains(s.Why, "no program no-such-program-here in PATH") || s.Next == "" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := a.TryMCP(t.Context(), "nobody"); err == nil {
		t.Error("tried one that is not there")
	}
	for deadline := time.Now().Add(patience); !strings.Contains(notices(c), "The MCP server gone is not there."); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("notices: %s", notices(c))
		}
	}
	if err := a.RemoveMCP(t.Context(), "nobody"); err == nil || !strings.Contains(err.Error(), "there is no server nobody in ") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"gone", "mine"} {
		if err := a.RemoveMCP(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if list, _ := a.MCPServers(); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	ended := func() bool {
		raw, _ := os.ReadFile(pid)
		for line := range strings.Lines(string(raw)) {
			if _, err := os.Stat("/proc/" + strings.TrimSpace(line)); err == nil {
				return false
			}
		}
		return len(raw) > 0
	}
	if _, err := os.Stat("/proc/self"); err != nil {
		return // the table of processes is elsewhere
	}
	for deadline := time.Now().Add(patience); !ended(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it lives on")
		}
	}
}

// TestPluginServers: a server of a plugin is started while the plugin is enabled, and once
// the user has agreed to it.
func TestPluginServers(t *testing.T) {
	b := newBox(t)
	a, _ := b.begin()
	ctx := t.Context()
	source := plugin(t, t.TempDir())
	run := "#!/bin/sh\n" + serverEnv + "=1 exec " + os.Args[0] + "\n"
	for name, text := range map[string]string{"mcp.json": `{"mcpServers":{"own":{"type":"stdio","command":"./run","args":["${PLUGIN_ROOT}"]}}}`, "run": run} {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p, err := a.InstallPlugin(ctx, source, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if list, _ := a.MCPServers(); len(list) != 0 {
		t.Errorf("before it is enabled: %+v", list)
	}
	if err := a.EnablePlugin(ctx, p, true); err != nil {
		t.Fatal(err)
	}
	s := serverNow(t, a, "tidy.own", func(s api.MCPServer) bool { return s.State == "held" })
	if s.Origin != "plugin tidy" || strings.Contains(s.Runs, "PLUGIN_ROOT") {
		t.Errorf("%+v", s)
	}
	if err := a.AllowMCP(ctx, s); err != nil {
		t.Fatal(err)
	}
	s = serverNow(t, a, "tidy.own", func(s api.MCPServer) bool { return s.State == "ready" })
	if len(s.Tools) == 0 || !strings.HasPrefix(s.Tools[0].Name, "mcp__tidy_own__") {
		t.Errorf("%+v", s.Tools)
	}
	if err := a.EnablePlugin(ctx, p, false); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if list, _ := a.MCPServers(); len(list) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it lives on")
		}
	}
}
