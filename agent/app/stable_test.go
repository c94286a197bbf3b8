package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// sentBody is a request with each of its messages as it was sent.
type sentBody struct {
	fields   map[string]json.RawMessage
	messages []json.RawMessage
}

// differences names what of a request does not go on from the one before it.
func (b *sentBody) differences(was *sentBody) []string {
	var list []string
	for i, m := range was.messages {
		if i >= len(b.messages) || !bytes.Equal(m, b.messages[i]) {
			list = append(list, fmt.Sprintf("message %d", i))
			break
		}
	}
	keys := maps.Clone(was.fields)
	maps.Copy(keys, b.fields)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if k != "messages" && !bytes.Equal(was.fields[k], b.fields[k]) {
			list = append(list, k)
		}
	}
	return list
}

// TestPromptIsStable has a conversation of 60 turns with task lists, memory, skills, files in
// deeper folders with instructions of their own, edited settings and skills, others who change files
// and the repository, and a program that is started again. Each request begins with the one before it, byte for byte, and differs
// in nothing else but where the user has asked for that.
func TestPromptIsStable(t *testing.T) {
	const turns, edited, effort, resumed = 60, 20, 30, 40
	zero := 0
	calls := func(user, tool, args string) script.Rule {
		return script.Rule{Match: script.Match{User: user, Results: &zero}, Steps: []script.Step{script.Call{Name: tool, Args: args}}}
	}
	work := make([]script.Call, 11)
	for i := range work {
		work[i] = script.Call{Name: "terminal", Args: `{"command":"true"}`}
	}
	s := &script.Scenario{Rules: append(when("work", work...), []script.Rule{
		calls("^plan", "todo", `{"todos":[{"id":"1","content":"a task","status":"in_progress"}]}`),
		calls("^look", "read_file", `{"path":"deep/er/f.txt"}`),
		calls("^remember", "memory", `{"action":"add","target":"memory","content":"The build needs no network."}`),
		{Match: script.Match{User: "^skills", Results: &zero}, Steps: []script.Step{
			script.Call{Name: "skills_list", Args: `{}`}, script.Call{Name: "skill_view", Args: `{"name":"greet"}`},
			script.Call{Name: "skill_manage", Args: `{"action":"create","name":"made","content":"---\nname: made\ndescription: Made by an agent.\n---\n\nDo it.\n"}`},
		}},
		calls("^job", "terminal", `{"command":"true","background":true}`),
		calls("^write", "write_file", `{"path":"deep/new.txt","content":"new\n"}`),
		{Steps: []script.Step{script.Text{Text: "Done."}}},
	}...)}
	server, err := scripttest.Serve(s, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	b := newBox(t)
	settings := "probe: {local_servers: false}\nagent: {auto_title: false}\napprovals: {mode: \"off\"}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n"
	b.config(settings)
	for name, text := range map[string]string{
		"AGENTS.md": "Use tabs.", "deep/er/AGENTS.md": "Use blanks here.", "deep/er/f.txt": "text\n",
		filepath.Join("..", "home", "skills", "greet", "SKILL.md"): "---\nname: greet\ndescription: Says hello.\n---\nSay hello.\n",
	} {
		file := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	causes := []string{"deep/er/f.txt", "Background jobs of yours", "Your task list was not touched"}
	if hasGit() {
		b.gitIn("init", "-q")
		causes = append(causes, "The git repository now")
	} else {
		t.Log("git is not installed: what agents are told of repositories is not tested")
	}
	a, c := b.begin()
	if _, _, err := c.Trust(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	firsts := map[int]int{} // turns by the number of their first request
	for n := range turns {
		switch n {
		case edited:
			b.config(settings + "tool_output: {max_lines: 11}\n")
		case effort:
			if _, err := c.SetEffort("high"); err != nil {
				t.Fatal(err)
			}
		case resumed:
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			b.config(settings)
			a, c = b.resume()
		}
		if n%8 == 5 { // others change what the agent has read
			if err := os.WriteFile(filepath.Join(b.dir, "deep/er/f.txt"), fmt.Append(nil, "others ", n), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if n%16 == 9 { // another skill, and one that says something else
			b.put("skills/greet/SKILL.md", fmt.Sprintf("---\nname: greet\ndescription: Says hello, version %d.\n---\nSay hello.\n", n))
			b.put("skills/later/SKILL.md", "---\nname: later\ndescription: Came later.\n---\nDo it.\n")
		}
		if n%8 == 3 && hasGit() {
			b.gitIn("checkout", "-q", "-b", fmt.Sprint("topic-", n))
		}
		firsts[len(server.Requests())] = n
		say(t, c, []string{"plan", "look", "remember", "skills", "write", "talk", "job", "work"}[n%8]+fmt.Sprint(" ", n))
	}
	for _, file := range []string{filepath.Join(b.home.Dir(), "memories", "MEMORY.md"), filepath.Join(b.home.Dir(), "skills", "made", "SKILL.md"), filepath.Join(b.dir, "deep", "new.txt")} {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("a tool did not do what it was to do: %v", err)
		}
	}
	var was *sentBody
	turn := 0
	changes := map[int]string{}
	for i, r := range server.Requests() {
		now := &sentBody{}
		if err := json.Unmarshal(r.Body, &now.fields); err != nil {
			continue // a list of models was asked for
		}
		if err := json.Unmarshal(now.fields["messages"], &now.messages); err != nil {
			continue
		}
		if n, ok := firsts[i]; ok {
			turn = n
		}
		if was != nil {
			if d := now.differences(was); len(d) > 0 {
				changes[turn] = strings.Join(d, ", ")
				t.Logf("turn %d, request %d: %s", turn, i, changes[turn])
			}
		}
		was = now
	}
	if was == nil || len(was.messages) < 2*turns {
		t.Fatalf("too little was sent: %d requests", len(server.Requests()))
	}
	for _, cause := range causes {
		n := 0
		for _, m := range was.messages {
			if bytes.Contains(m, []byte("what has changed around you")) && bytes.Contains(m, []byte(cause)) {
				n++
			}
		}
		t.Logf("told %d times: %s", n, cause)
		if n == 0 {
			t.Errorf("never told: %s", cause)
		}
	}
	if want := map[int]string{effort: "reasoning_effort"}; !maps.Equal(changes, want) {
		t.Errorf("changes at turns %v, want %v", changes, want)
	}
}
