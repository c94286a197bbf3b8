package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes-tui/internal/uitest"
)

// client starts the program as a server, as an agent does, and connects to it.
func (b *box) client(o *mcp.ClientOptions) *mcp.ClientSession {
	b.t.Helper()
	cmd := exec.Command(uitest.Build(b.t), append([]string{"mcp", "serve"}, b.flags...)...)
	cmd.Dir, cmd.Env = b.dir, b.environ()
	var said bytes.Buffer
	cmd.Stderr = &said
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, said.String())
	}
	b.t.Cleanup(func() {
		s.Close()
		if cmd.ProcessState == nil {
			b.t.Error("the server outlives its input")
		}
	})
	return s
}

// ask calls a tool and reads its result into out. It returns the text of a failure.
func ask(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any, out any) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken("p")
	r, err := s.CallTool(ctx, params)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		return text
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, text)
	}
	return ""
}

// TestServe asks the agent from another one, goes on with the session, and finds, lists
// and reads it. What needs consent is denied, and secrets stay here.
func TestServe(t *testing.T) {
	const key = "sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	b, server := with(t, on("clean", command("rm -rf old")), after("clean", 1, say("I may not.")), on("", say("Your key is "+key+".")))
	old := filepath.Join(b.dir, "old")
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	b.settings("approvals: {mode: manual}\n")
	told := make(chan string, 100)
	s := b.client(&mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		told <- r.Params.Message
	}})
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 4 {
		t.Fatal(tools, err)
	}
	var first, second struct {
		Answer, Session string
		Notices         []string
	}
	if failed := ask(t, s, "ask", map[string]any{"prompt": "clean up"}, &first); failed != "" || first.Answer != "I may not." {
		t.Fatalf("%+v %s", first, failed)
	}
	if len(first.Notices) != 1 || !strings.HasPrefix(first.Notices[0], "Denied") {
		t.Errorf("notices %q", first.Notices)
	}
	for line := ""; line != first.Notices[0]; {
		select {
		case line = <-told:
		case <-time.After(patience):
			t.Fatal("no progress was told")
		}
	}
	if _, err := os.Stat(old); err != nil {
		t.Error("what needs consent ran:", err)
	}
	if failed := ask(t, s, "ask", map[string]any{"prompt": "what is my key?", "session": first.Session}, &second); failed != "" {
		t.Fatal(failed)
	}
	if second.Session != first.Session || !strings.HasPrefix(second.Answer, "Your key is ") || strings.Contains(second.Answer, key) {
		t.Errorf("second %+v", second)
	}
	if got := sent(t, server, 3); !strings.Contains(strings.Join(got, "\n"), "clean up") {
		t.Errorf("the session did not go on: %q", got)
	}
	var list struct{ Sessions []struct{ Session string } }
	if failed := ask(t, s, "sessions_list", nil, &list); failed != "" || len(list.Sessions) != 1 || list.Sessions[0].Session != first.Session {
		t.Errorf("list %+v %s", list, failed)
	}
	var found struct {
		Found []struct {
			Session string
			Hits    []struct{ Text string }
		}
	}
	if failed := ask(t, s, "sessions_search", map[string]any{"query": "clean"}, &found); failed != "" || len(found.Found) != 1 || len(found.Found[0].Hits) == 0 {
		t.Errorf("search %+v %s", found, failed)
	}
	var read struct {
		Total, Next int
		Said        []struct{ Role, Text string }
	}
	if failed := ask(t, s, "session_read", map[string]any{"session": first.Session, "from": 1, "limit": 2}, &read); failed != "" || len(read.Said) != 2 || read.Next != 3 || read.Total <= 3 {
		t.Errorf("read %+v %s", read, failed)
	}
	if failed := ask(t, s, "session_read", map[string]any{"session": first.Session, "from": 3}, &read); failed != "" || read.Said[len(read.Said)-1].Role != "assistant" {
		t.Errorf("read on %+v %s", read, failed)
	}
	if last := read.Said[len(read.Said)-1].Text; !strings.HasPrefix(last, "Your key is ") || strings.Contains(last, key) {
		t.Errorf("a secret leaves: %q", last)
	}
	for tool, args := range map[string]map[string]any{
		"ask": {"prompt": " "}, "session_read": {"session": "no-such"}, "sessions_search": {"query": "role:king x"},
	} {
		if failed := ask(t, s, tool, args, &read); failed == "" {
			t.Errorf("%s with %v works", tool, args)
		}
	}
}

// TestServeProgress keeps a client that waits three seconds for a word, as clients do, for as
// long as the agent works.
func TestServeProgress(t *testing.T) {
	b, _ := with(t, on("wait", command("touch began; until test -e go; do sleep 0.05; done")), after("wait", 1, say("Done.")))
	b.flags = append(b.flags, "--yolo")
	told := make(chan string, 100)
	s := b.client(&mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		told <- r.Params.Message
	}})
	ended := make(chan error, 1)
	var out struct{ Answer string }
	go func() {
		if failed := ask(t, s, "ask", map[string]any{"prompt": "wait"}, &out); failed != "" {
			ended <- errors.New(failed)
		}
		close(ended)
	}()
	waitForFile(t, filepath.Join(b.dir, "began"))
	for n := 0; n < 2; {
		select {
		case line := <-told:
			if strings.HasPrefix(line, "Running terminal touch began") {
				n++
			}
		case <-time.After(patience):
			t.Fatal("no progress was told")
		}
	}
	if err := os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || out.Answer != "Done." {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestServeCancel interrupts a question when its client gives up, and answers the others
// meanwhile and after that.
func TestServeCancel(t *testing.T) {
	b, server := with(t, on("wait", command("touch began; sleep 60")), on("", say("Yes.")))
	b.flags = append(b.flags, "--yolo")
	s := b.client(nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"prompt": "wait"}})
		ended <- err
	}()
	waitForFile(t, filepath.Join(b.dir, "began"))
	var out struct{ Answer string }
	if failed := ask(t, s, "ask", map[string]any{"prompt": "hello"}, &out); failed != "" || out.Answer != "Yes." {
		t.Errorf("beside it: %+v %s", out, failed)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled question was answered")
	}
	if failed := ask(t, s, "ask", map[string]any{"prompt": "hello"}, &out); failed != "" || out.Answer != "Yes." {
		t.Errorf("after it: %+v %s", out, failed)
	}
	if n := len(server.Requests()); n < 3 {
		t.Errorf("%d requests", n)
	}
}

func waitForFile(t *testing.T, name string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			return
		}
	}
	t.Fatal(name, "does not appear")
}

// TestServeJunk sends what is no message: the server says so and goes on, or ends with a
// sentence; it does not hang.
func TestServeJunk(t *testing.T) {
	b, _ := with(t, on("", say("Yes.")))
	for name, in := range map[string]string{"text": "hello\n", "half": `{"jsonrpc":"2.0","id":1,`, "nothing": "", "list": "[[]]\n", "long": strings.Repeat("x", 5<<20)} {
		b.in = strings.NewReader(in)
		if o := b.run("mcp", "serve"); o.code != exitOK && o.err == "" {
			t.Errorf("%s: %v", name, o)
		}
	}
}
