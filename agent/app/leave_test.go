//go:build unix

package app

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
)

// TestLeave leaves a server, a tool and parts of the prompt out for the rest of the session,
// over a restart, and brings them back; what cannot be left out says why.
func TestLeave(t *testing.T) {
	server := serve(t, "m")
	b := newBox(t)
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n" +
		"mcp_servers: {NAME: {command: " + os.Args[0] + ", env: {" + serverEnv + ": \"1\"}}}\n")
	a, c := b.begin()
	serverNow(t, a, "NAME", func(m api.MCPServer) bool { return m.State == "ready" })
	if _, err := a.AddMemory(t.Context(), false, "", "The tests need a database."); err != nil {
		t.Fatal(err)
	}
	asks := func(c Conversation) string {
		t.Helper()
		say(t, c, "go on")
		all := server.Requests()
		return string(all[len(all)-1].Body)
	}
	has := func(body string, want bool, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if strings.Contains(body, part) != want {
				t.Errorf("%q is there: %v", part, !want)
			}
		}
	}
	mine := []string{`"mcp__NAME__about"`, `"web_search"`, "The tests need a database.", "Search the web"}
	has(asks(c), true, mine[:3]...)
	l := c.Layers(t.Context())
	sum, n := 0, 0
	for _, layer := range l.List {
		if layer.Server == "NAME" {
			sum, n = sum+layer.Tokens, n+1
		}
		if (layer.Fixed == "") != (layer.Kind == api.LayerTool || slices.Contains([]string{"memory", "skills"}, layer.Name)) || layer.ID == "" && layer.Kind != api.LayerHistory {
			t.Errorf("%s %q: %q", layer.ID, layer.Name, layer.Fixed)
		}
	}
	if len(l.Servers) != 1 || l.Servers[0].Tokens != sum || l.Servers[0].Tools != n || n < 3 {
		t.Errorf("%+v, in fact %d tools of %d tokens", l.Servers, n, sum)
	}
	if ch := c.LeavePrice(t.Context(), l.Servers[0].ID, "system:memory"); ch.Tokens <= sum {
		t.Errorf("it saves %+v of %d", ch, sum)
	}
	for _, id := range []string{"system:identity", "tool:none", "history:user", "nonsense", "reserve:reply"} {
		if err := c.Leave(t.Context(), true, id); !errors.Is(err, agent.ErrNoLayer) {
			t.Errorf("%s: %v", id, err)
		}
	}
	out := []string{l.Servers[0].ID, "tool:web_search", "system:memory", "system:skills"}
	if err := c.Leave(t.Context(), true, out...); err != nil {
		t.Fatal(err)
	}
	if l = c.Layers(t.Context()); len(l.Left) != 4 || len(l.Servers) != 0 {
		t.Errorf("left %+v, servers %+v", l.Left, l.Servers)
	}
	has(asks(c), false, append(mine, "code-review")...)
	closed(t, a)
	a, c = b.resume()
	has(asks(c), false, append(mine, "code-review")...)
	if err := c.Leave(t.Context(), false, out...); err != nil {
		t.Fatal(err)
	}
	body := asks(c)
	has(body, true, mine[:3]...)
	has(body, true, "code-review")
	if l = c.Layers(t.Context()); len(l.Left) != 0 {
		t.Errorf("left %+v", l.Left)
	}
	if said := notices(c); !strings.Contains(said, "Left out for the rest of the session: NAME, web_search, memory, skills.") || !strings.Contains(said, "Back in what the model gets: NAME") {
		t.Errorf("said %q", said)
	}

	// Left out just before the program ends, a part is not in the prompt that was stored.
	if err := c.Leave(t.Context(), true, "system:memory"); err != nil {
		t.Fatal(err)
	}
	closed(t, a)
	_, c = b.resume()
	has(asks(c), false, "The tests need a database.")
}
