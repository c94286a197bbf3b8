package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// awareBox is a box whose model is a scenario.
func awareBox(t *testing.T, s *script.Scenario) (*box, *scripttest.Server) {
	t.Helper()
	server, err := scripttest.Serve(s, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	b := newBox(t)
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\napprovals: {mode: \"off\"}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n")
	return b, server
}

// when is a rule for the messages that begin with a word: calls, then an answer.
func when(word string, calls ...script.Call) []script.Rule {
	var rules []script.Rule
	for i, c := range calls {
		rules = append(rules, script.Rule{Match: script.Match{User: "^" + word, Results: &i}, Steps: []script.Step{c}})
	}
	return append(rules, script.Rule{Match: script.Match{User: "^" + word}, Steps: []script.Step{script.Text{Text: "Done."}}})
}

// lastMessages are those of the newest request, as texts.
func lastMessages(t *testing.T, server *scripttest.Server) []string {
	t.Helper()
	var list []string
	for _, r := range server.Requests() {
		var body struct {
			Messages []struct {
				Content json.RawMessage `json:"content"`
			} `json:"messages"`
		}
		if json.Unmarshal(r.Body, &body) == nil && len(body.Messages) > 0 {
			list = nil
			for _, m := range body.Messages {
				var text string
				if json.Unmarshal(m.Content, &text) != nil {
					text = string(m.Content)
				}
				list = append(list, text)
			}
		}
	}
	return list
}

// noticed are what the transcript of the root shows beside what was said.
func noticed(c Conversation) []string {
	var list []string
	for _, b := range c.State().Root().Blocks {
		if b.Kind == event.BlockNotice {
			list = append(list, b.Text.String())
		}
	}
	return list
}

// TestAwareness has others change a file that the agent has read, between turns and
// during one: the agent is told at the end of what is sent next, the user in a line,
// and what was typed stays what was typed. Programs that are started again send the
// same bytes.
func TestAwareness(t *testing.T) {
	s := &script.Scenario{}
	s.Rules = append(s.Rules, when("read", script.Call{Name: "read_file", Args: `{"path":"a.txt"}`})...)
	s.Rules = append(s.Rules, when("sed", script.Call{Name: "terminal", Args: `{"command":"echo mine > a.txt"}`})...)
	s.Rules = append(s.Rules, script.Rule{Steps: []script.Step{script.Text{Text: "Done."}}})
	b, server := awareBox(t, s)
	file := filepath.Join(b.dir, "a.txt")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("one\n")
	a, c := b.begin()
	say(t, c, "read it")
	say(t, c, "sed it")
	say(t, c, "talk")
	for _, m := range lastMessages(t, server) {
		if strings.Contains(m, "what has changed around you") {
			t.Errorf("told of its own doing: %s", m)
		}
	}
	put("theirs\n")
	say(t, c, "hello")
	sent := lastMessages(t, server)
	said := sent[len(sent)-1]
	if !strings.HasPrefix(said, "hello\n\n[note from the program") || !strings.Contains(said, `"a.txt"`) || !strings.HasSuffix(said, "[end of the note]") {
		t.Fatalf("sent %q", said)
	}
	if list := noticed(c); len(list) != 1 || list[0] != `Told the agent: changed meanwhile: "a.txt".` {
		t.Errorf("shown %q", list)
	}
	blocks := c.State().Root().Blocks
	for _, bl := range blocks {
		if bl.Kind == event.BlockUser && strings.Contains(bl.Text.String(), "note from") {
			t.Errorf("shown as typed: %q", bl.Text.String())
		}
	}
	say(t, c, "more")
	if again := lastMessages(t, server); strings.Contains(again[len(again)-1], "note from the program") {
		t.Errorf("told again: %q", again[len(again)-1])
	}
	before := lastMessages(t, server)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_, c = b.resume()
	say(t, c, "after")
	now := lastMessages(t, server)
	for i, m := range before {
		if now[i] != m {
			t.Errorf("message %d was\n%q\nand is\n%q", i, m, now[i])
		}
	}
	if list := noticed(c); len(list) != 1 {
		t.Errorf("shown after a resume: %q", list)
	}
}

// TestTodoCheckpoint tells the open tasks after ten calls that do not touch the list.
func TestTodoCheckpoint(t *testing.T) {
	s := &script.Scenario{}
	calls := []script.Call{{Name: "todo", Args: `{"todos":[{"id":"1","content":"write the parser","status":"in_progress"},{"id":"2","content":"done already","status":"completed"}]}`}}
	for range 23 {
		calls = append(calls, script.Call{Name: "terminal", Args: `{"command":"true"}`})
	}
	s.Rules = when("work", calls...)
	b, server := awareBox(t, s)
	_, c := b.begin()
	say(t, c, "work")
	var at []int
	results := -2 // the prompt and the message of the user come first
	for i, m := range lastMessages(t, server) {
		if strings.Contains(m, `"output"`) || strings.Contains(m, `"todos"`) {
			results = max(results, 0) + 1
		}
		if strings.Contains(m, "[in_progress] write the parser") && strings.Contains(m, "what has changed") {
			at = append(at, results)
		}
		if strings.Contains(m, "what has changed") && strings.Contains(m, "done already") {
			t.Errorf("message %d tells of what is done: %s", i, m)
		}
	}
	if len(at) != 2 || at[0] != 11 || at[1] != 21 {
		t.Errorf("told with results %v, want 11 and 21", at)
	}
}

// TestFailureDoubtsTheList tells the open tasks once when a call fails, and again only after
// the list was touched.
func TestFailureDoubtsTheList(t *testing.T) {
	list := script.Call{Name: "todo", Args: `{"todos":[{"id":"1","content":"write the parser","status":"in_progress"}]}`}
	missing := script.Call{Name: "read_file", Args: `{"path":"no-such-file.txt"}`}
	fine := script.Call{Name: "terminal", Args: `{"command":"grep -c x /dev/null"}`} // which finds nothing
	s := &script.Scenario{Rules: when("work", missing, list, fine, missing, missing, fine, list, missing)}
	b, server := awareBox(t, s)
	_, c := b.begin()
	say(t, c, "work")
	var at []int
	results := 0
	for _, m := range lastMessages(t, server)[2:] {
		if m == "" {
			continue // a turn that only calls
		}
		results++
		if strings.Contains(m, "A call failed, which may change your plan.") && strings.Contains(m, "[in_progress] write the parser") {
			at = append(at, results)
		}
	}
	if !slices.Equal(at, []int{4, 8}) {
		t.Errorf("told with results %v, want 4 and 8:\n%s", at, strings.Join(lastMessages(t, server), "\n---\n"))
	}
}

func hasGit() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// gitIn runs git in the workspace of a box.
func (b *box) gitIn(args ...string) {
	b.t.Helper()
	if !hasGit() {
		b.t.Skip("SKIPPED: git is not installed: what agents are told of repositories is not tested")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir, cmd.Env = b.dir, []string{"PATH=" + b.env["PATH"], "HOME=" + b.env["HOME"]}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// untilTold says something until the agent is told of its repository: a turn does not
// wait for git on a machine that is busy.
func untilTold(t *testing.T, c Conversation, server *scripttest.Server, want string) {
	t.Helper()
	for range 20 {
		say(t, c, "talk")
		for _, m := range lastMessages(t, server) {
			if strings.Contains(m, want) {
				return
			}
		}
	}
	t.Errorf("never told: %s; last %q", want, lastMessages(t, server))
}

// TestAwarenessOfGit tells the agent where its repository stands when that is not what
// it was told, over a resume and a rewind.
func TestAwarenessOfGit(t *testing.T) {
	b, server := awareBox(t, &script.Scenario{Rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "Done."}}}}})
	b.gitIn("init", "-q", "-b", "main")
	a, c := b.begin()
	if _, _, err := c.Trust(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	say(t, c, "talk")
	say(t, c, "talk")
	if n := strings.Count(strings.Join(lastMessages(t, server), ""), "The git repository now"); n > 1 { // 1: git was slow
		t.Errorf("told %d times what the prompt says", n)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.gitIn("checkout", "-q", "-b", "topic")
	const topic = `The git repository now: branch "topic", 1 untracked.`
	untilTold(t, c, server, topic)
	count := func() int { return strings.Count(strings.Join(lastMessages(t, server), "\n"), topic) }
	say(t, c, "talk")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_, c = b.resume()
	say(t, c, "talk")
	say(t, c, "talk")
	if n := count(); n != 1 {
		t.Errorf("told %d times", n)
	}
	blocks := c.State().Root().Blocks
	i := slices.IndexFunc(blocks, func(bl *event.Block) bool { return bl.Kind == event.BlockNotice })
	if i < 0 {
		t.Fatal("the user was not shown it")
	}
	turn := blocks[i].Turn
	if _, err := c.Rewind(t.Context(), RewindOptions{To: turn, Conversation: true}); err != nil {
		t.Fatal(err)
	}
	untilTold(t, c, server, topic)
}

// TestAwarenessOfHangingGit does not wait for a git that never ends, neither in a turn
// nor when the program is closed.
func TestAwarenessOfHangingGit(t *testing.T) {
	b, _ := awareBox(t, &script.Scenario{Rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "Done."}}}}})
	b.gitIn("init", "-q", "-b", "main")
	a, c := b.begin()
	if _, _, err := c.Trust(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	say(t, c, "talk")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.env["PATH"] = dir + ":" + b.env["PATH"]
	a, c = b.resume()
	began := time.Now()
	for range 5 {
		say(t, c, "talk")
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("5 turns took %v", took)
	}
	began = time.Now()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("closing took %v", took)
	}
}
