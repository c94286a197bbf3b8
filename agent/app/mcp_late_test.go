//go:build unix

package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/internal/scripttest"
)

// toolsOf are the tools of a request, as they were sent, and its newest message.
func toolsOf(t *testing.T, r scripttest.Recorded) (tools, last string) {
	t.Helper()
	var body struct {
		Tools    json.RawMessage
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	return string(body.Tools), body.Messages[len(body.Messages)-1].Content
}

// TestLateServers: a server that comes late is told of and found by a search, and neither
// it, nor one that has gone, nor a resume changes the tools that requests begin with.
func TestLateServers(t *testing.T) {
	b := newBox(t)
	model := serve(t, "some-model")
	flag := filepath.Join(t.TempDir(), "flag")
	settings := func(quick string) {
		b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, base_url: '" + model.URL() + "', default: some-model}\nmcp_servers:\n" +
			"  slow: {command: /bin/sh, args: [-c, 'until [ -e " + flag + " ]; do sleep 0.05; done; " + serverEnv + "=1 exec " + os.Args[0] + "']}\n" +
			"  quick: {command: " + quick + ", env: {" + serverEnv + ": '1'}}\n")
	}
	settings(os.Args[0])
	request := func(n int) scripttest.Recorded {
		t.Helper()
		all := model.Requests()
		if len(all) < n {
			t.Fatalf("%d requests, not %d", len(all), n)
		}
		return all[n-1]
	}
	a, c := b.begin()
	ready := func(m api.MCPServer) bool { return m.State == "ready" }
	serverNow(t, a, "quick", ready)
	say(t, c, "one")
	first, _ := toolsOf(t, request(1))
	if !strings.Contains(first, `"mcp__quick__about"`) || strings.Contains(first, `mcp__slow__`) || !strings.Contains(first, `slow: on its way`) {
		t.Fatalf("the tools are %s", first)
	}
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	serverNow(t, a, "slow", ready)
	say(t, c, "two")
	second, said := toolsOf(t, request(2))
	if second != first || !strings.Contains(said, "The MCP server \"slow\" is there now, with ") {
		t.Errorf("with the late server the tools are the same %v, and the agent is told %q", second == first, said)
	}
	say(t, c, "three")
	if third, said := toolsOf(t, request(3)); third != first || strings.Contains(said, "is there now") {
		t.Errorf("the same %v, told %q", third == first, said)
	}
	closed(t, a)
	if err := os.Remove(flag); err != nil {
		t.Fatal(err)
	}
	settings("/no/such/program")
	_, c = b.resume()
	say(t, c, "four")
	if fourth, _ := toolsOf(t, request(4)); fourth != first {
		t.Errorf("resumed without its servers, the tools are\n%s\nnot\n%s", fourth, first)
	}
}

// TestMuteServer: a server that says nothing is waited for once, briefly, and not again for a
// while, whatever it is asked.
func TestMuteServer(t *testing.T) {
	b := newBox(t)
	model := serve(t, "some-model")
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, base_url: '" + model.URL() + "', default: some-model}\nmcp_servers:\n  mute: {command: sleep, args: ['1000']}\n  dead: {command: /no/such}\n")
	took := func() time.Duration {
		a, c := b.begin()
		began := time.Now()
		say(t, c, "hello")
		d := time.Since(began)
		end := time.Now()
		closed(t, a)
		if d := time.Since(end); d > 3*time.Second {
			t.Errorf("ending took %v", d)
		}
		return d
	}
	first, again := took(), took()
	if first < attended.New || first > patience {
		t.Errorf("the first turn took %v", first)
	}
	if again > first-attended.New/2 {
		t.Errorf("another session took %v again, after %v", again, first)
	}
}
