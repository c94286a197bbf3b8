//go:build unix

package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/mcp"
)

// realServers is the folder in which servers of others are installed, as .ci/run does it. A
// test that needs them is skipped without.
func realServers(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HERMES_MCP_NPM")
	if dir == "" {
		t.Skip("SKIPPED: HERMES_MCP_NPM does not name a folder in which @modelcontextprotocol/server-everything, -filesystem and -memory are installed")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("SKIPPED: node, which runs the servers of others, is not installed")
	}
	return dir
}

// realServer is one of them as an entry.
func realServer(dir, home, name string, args ...string) mcp.Config {
	return mcp.Config{
		Name: name, Origin: "test", Command: filepath.Join(dir, "node_modules/.bin/mcp-server-"+name), Args: args, Trusted: true, SamplesPerMinute: 10,
		Env: map[string]string{"PATH": os.Getenv("PATH"), "HOME": home, "MEMORY_FILE_PATH": filepath.Join(home, "memory.json")},
	}
}

// TestReal speaks to servers of others, where they are installed.
func TestReal(t *testing.T) {
	t.Parallel()
	dir, work := realServers(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte("alpha"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	for _, s := range b.begin(realServer(dir, work, "everything"), realServer(dir, work, "filesystem", work), realServer(dir, work, "memory")) {
		if s.State != mcp.Ready || len(s.Tools) < 5 {
			t.Errorf("%s: %s %s, %d tools\n%s", s.Name, s.State, s.Why, len(s.Tools), b.logOf(s.Name))
		}
	}
	everything(t, b)
	b.wants("read_text_file", `{"path":"`+work+`/a.txt"}`, "alpha", tools.StatusOK)
	b.wants("read_text_file", `{"path":"/etc/passwd"}`, "denied", tools.StatusFailed)
	b.wants("create_entities", `{"entities":[{"name":"Anna","entityType":"person","observations":["likes tabs"]}]}`, "Anna", tools.StatusOK)
	b.wants("search_nodes", `{"query":"tabs"}`, "Anna", tools.StatusOK)
	if text, err := b.Ask(t.Context(), "memory", "search_nodes", map[string]any{"query": "tabs", "session": "s", "chars": 100}); err != nil || !strings.Contains(text, "Anna") {
		t.Errorf("%q, %v", text, err)
	}

	// The first one dies during a call, and is begun again by the next.
	out := &waits{seen: make(chan struct{})}
	go func() {
		<-out.seen
		b.mu.Lock()
		defer b.mu.Unlock()
		_ = syscall.Kill(-b.kids["everything"], syscall.SIGKILL)
	}()
	r, err := b.call(t.Context(), "trigger-long-running-operation", `{"duration":60,"steps":60}`, nil, out)
	if err != nil || r.Status != tools.StatusFailed || !strings.Contains(r.Content, "what it has done is not known") {
		t.Errorf("it died: %+v, %v", r, err)
	}
	b.wants("everything__echo", `{"message":"again"}`, "Echo: again", tools.StatusOK)
}

// everything goes through what the server of that name offers.
func everything(t *testing.T, b *bench) {
	t.Helper()
	b.wants("everything__echo", `{"message":"hello"}`, "Echo: hello", tools.StatusOK)
	b.wants("get-sum", `{"a":2,"b":3}`, "5", tools.StatusOK)
	b.wants("get-tiny-image", `{}`, "kept in /kept/image/png/", tools.StatusOK)
	b.wants("get-structured-content", `{"location":"Chicago"}`, "temperature", tools.StatusOK)
	b.wants("everything__list_resources", `{}`, "demo://resource", tools.StatusOK)
	b.wants("everything__read_resource", `{"uri":"demo://resource/dynamic/text/1"}`, "Resource 1", tools.StatusOK)
	b.wants("everything__list_prompts", `{}`, "simple-prompt", tools.StatusOK)
	b.wants("everything__get_prompt", `{"name":"args-prompt","arguments":{"city":"Bergen"}}`, "Bergen", tools.StatusOK)
	out := &waits{seen: make(chan struct{})}
	if r, err := b.call(t.Context(), "trigger-long-running-operation", `{"duration":1,"steps":4}`, nil, out); err != nil || !strings.Contains(r.Content, "completed") || !strings.Contains(out.String(), "50 %") {
		t.Errorf("%+v %v %q", r, err, out.String())
	}
	// The tools below are told of by list_changed, once the server knows what we can do.
	user := &answers{list: []tools.Answer{{Choice: tools.ChoiceDeny}}}
	if r, err := b.call(t.Context(), "trigger-elicitation-request", `{}`, user, io.Discard); err != nil || !strings.Contains(strings.ToLower(r.Content), "decline") || len(user.asked) != 1 || !strings.Contains(user.asked[0].Question, "The MCP server everything asks") {
		t.Errorf("%+v %v", r, err)
	}
	for path, want := range map[string][]string{"false": {"https://example.com/a"}, "true": {"https://modelcontextprotocol.io", "https://example.com/a"}} {
		user = &answers{list: []tools.Answer{chooses("I have opened it"), chooses("I have opened it")}}
		r, err := b.call(t.Context(), "trigger-url-elicitation", `{"url":"https://example.com/a","errorPath":`+path+`}`, user, io.Discard)
		if err != nil || r.Status != tools.StatusOK || len(user.asked) != len(want) {
			t.Errorf("%s: %+v %v, asked %+v", path, r, err, user.asked)
			continue
		}
		for i, at := range want {
			if !strings.Contains(user.asked[i].Question, at) {
				t.Errorf("asked %q, want %s", user.asked[i].Question, at)
			}
		}
	}
	user = &answers{list: []tools.Answer{chooses("Allow once")}}
	if r, err := b.call(t.Context(), "trigger-sampling-request", `{"prompt":"what is it?","maxTokens":50}`, user, io.Discard); err != nil || !strings.Contains(r.Content, "house:m") || len(user.asked) != 1 {
		t.Errorf("%+v %v, asked %+v", r, err, user.asked)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	out = &waits{seen: make(chan struct{})}
	go func() {
		<-out.seen
		cancel(errors.New("stopped"))
	}()
	if _, err := b.call(ctx, "trigger-long-running-operation", `{"duration":60,"steps":120}`, nil, out); err == nil || err.Error() != "stopped" {
		t.Errorf("stopped: %v", err)
	}
	b.wants("everything__echo", `{"message":"still"}`, "Echo: still", tools.StatusOK)
}

// TestRealElsewhere speaks to a server of others at an address, by both transports. It dies and
// comes back there, and the session with it is begun again.
func TestRealElsewhere(t *testing.T) {
	t.Parallel()
	dir := realServers(t)
	for name, path := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			port := l.Addr().(*net.TCPAddr).Port
			_ = l.Close()
			start := func() *exec.Cmd {
				cmd := exec.Command(filepath.Join(dir, "node_modules/.bin/mcp-server-everything"), name)
				cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port), "HOME="+t.TempDir())
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
					conn, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", port))
					if err == nil {
						_ = conn.Close()
						return cmd
					}
					if time.Now().After(deadline) {
						t.Fatal("it does not listen")
					}
				}
			}
			cmd := start()
			b := newBench(t)
			s := b.begin(mcp.Config{Name: "everything", Origin: "test", URL: fmt.Sprintf("http://localhost:%d%s", port, path), SSE: name == "sse", Trusted: true, SamplesPerMinute: 10})
			if len(s) != 1 || s[0].State != mcp.Ready {
				t.Fatalf("%+v", s)
			}
			everything(t, b)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			cmd = start()
			defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
				r, err := b.call(t.Context(), "everything__echo", `{"message":"again"}`, nil, io.Discard)
				if err == nil && strings.Contains(r.Content, "Echo: again") {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("it is not back: %+v, %v", r, err)
				}
			}
			b.Close()
		})
	}
}
