package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// host plays the part of an agent: it asks the demo, runs the calls it makes on
// a real directory, and keeps the history.
type host struct {
	t       testing.TB
	client  providers.Client
	dir     string
	request providers.Request
	// answers replace the results of tools, by name and by the number of the
	// call of that tool, from 1: "terminal 2".
	answers map[string]string
	// steer is added to the result of the call of that key.
	steer map[string]string
	calls []providers.Call
}

const rootPrompt = "You are an agent.\nGit repository, branch: main"

func allTools() []string {
	return []string{"clarify", "delegate_task", "read_file", "search_files", "terminal", "todo"}
}

func newHost(t testing.TB, dir string, tools ...string) *host {
	h := &host{t: t, client: Demo(DemoOptions{}), dir: dir, answers: map[string]string{}, steer: map[string]string{}}
	h.request = providers.Request{Model: "demo", System: rootPrompt, Session: "s1"}
	for _, name := range tools {
		h.request.Tools = append(h.request.Tools, providers.ToolDef{Name: name, Parameters: json.RawMessage(`{}`)})
	}
	return h
}

// files makes a directory with files.
func files(t testing.TB, content map[string]string) string {
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// collect reads an answer to its end.
func collect(s providers.Stream) (providers.Message, error) {
	defer s.Close()
	m := providers.Message{Role: providers.Assistant}
	var text strings.Builder
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			m.Parts = providers.TextParts(text.String())
			return m, nil
		}
		if err != nil {
			m.Parts = providers.TextParts(text.String())
			return m, err
		}
		switch d.Kind {
		case providers.DeltaText:
			text.WriteString(d.Text)
		case providers.DeltaReasoning:
			m.Reasoning += d.Text
		case providers.DeltaCall:
			m.Calls = append(m.Calls, providers.Call{ID: "our_" + d.CallID, WireID: d.CallID, Name: d.Name})
		case providers.DeltaArguments:
			m.Calls[d.Index].Arguments += d.Text
		case providers.DeltaFinish:
			m.Finish = d.Finish
		}
	}
}

// ask sends a prompt and works until there is a final answer.
func (h *host) ask(prompt string) string {
	h.t.Helper()
	h.request.Messages = append(h.request.Messages, providers.Message{Role: providers.User, Parts: providers.TextParts(prompt)})
	h.calls = nil
	used := map[string]int{}
	for range 30 {
		m := h.once()
		h.request.Messages = append(h.request.Messages, m)
		if len(m.Calls) == 0 {
			if m.Finish != providers.FinishStop {
				h.t.Fatalf("final answer ends with %q", m.Finish)
			}
			return m.Text()
		}
		for _, c := range m.Calls {
			h.calls = append(h.calls, c)
			used[c.Name]++
			key := fmt.Sprintf("%s %d", c.Name, used[c.Name])
			h.request.Messages = append(h.request.Messages, providers.Message{
				Role: providers.Tool, CallID: c.ID, CallName: c.Name, Parts: providers.TextParts(h.run(c, key) + h.steer[key]),
			})
		}
	}
	h.t.Fatal("no final answer after 30 requests")
	return ""
}

func (h *host) once() providers.Message {
	h.t.Helper()
	s, err := h.client.Stream(context.Background(), h.request)
	if err != nil {
		h.t.Fatal(err)
	}
	m, err := collect(s)
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

// run gives the result of a call.
func (h *host) run(c providers.Call, key string) string {
	h.t.Helper()
	var args struct {
		Pattern, Target, Path, Command, Question string
		Choices                                  []string
		Offset, Limit                            int
		Todos                                    []map[string]string
		Tasks                                    []map[string]string
	}
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		h.t.Fatalf("arguments of %s: %v", key, err)
	}
	if !slices.ContainsFunc(h.request.Tools, func(d providers.ToolDef) bool { return d.Name == c.Name }) {
		h.t.Fatalf("%s was called but not offered", c.Name)
	}
	if answer, ok := h.answers[key]; ok {
		return answer
	}
	switch c.Name {
	case "search_files":
		return h.search(args.Pattern, args.Target, args.Limit)
	case "read_file":
		return h.read(args.Path, max(1, args.Offset), args.Limit)
	case "terminal":
		return `{"output":"8d3f1ab Fix the lock\n77aa012 Add the store","exit_code":0,"error":null}`
	case "todo":
		return object(map[string]any{"todos": args.Todos, "summary": map[string]int{"total": len(args.Todos)}})
	case "clarify":
		return object(map[string]any{"question": args.Question, "choices_offered": args.Choices, "user_response": args.Choices[1]})
	case "delegate_task":
		return object(map[string]any{"results": h.delegate(args.Tasks)})
	}
	h.t.Fatalf("unexpected tool %s", c.Name)
	return ""
}

func object(v any) string { return string(encode(v)) }

func (h *host) search(pattern, target string, limit int) string {
	var list []string
	_ = filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(h.dir, path)
			list = append(list, rel)
		}
		return nil
	})
	if target == "files" {
		return object(map[string]any{"total_count": len(list), "files": list[:min(len(list), limit)]})
	}
	re := regexp.MustCompile(pattern)
	var found []map[string]any
	for _, f := range list {
		data, _ := os.ReadFile(filepath.Join(h.dir, f))
		for i, line := range strings.Split(string(data), "\n") {
			if re.MatchString(line) {
				found = append(found, map[string]any{"path": f, "line": i + 1, "content": line})
			}
		}
	}
	return object(map[string]any{"total_count": len(found), "matches": found})
}

func (h *host) read(path string, offset, limit int) string {
	data, err := os.ReadFile(filepath.Join(h.dir, path))
	if err != nil {
		return object(map[string]any{"error": "File not found: " + path})
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var b strings.Builder
	for i := offset; i <= len(lines) && i < offset+limit; i++ {
		fmt.Fprintf(&b, "%d|%s\n", i, lines[i-1])
	}
	return object(map[string]any{"content": b.String(), "total_lines": len(lines)})
}

// delegate runs subagents on the same directory.
func (h *host) delegate(tasks []map[string]string) []map[string]any {
	var out []map[string]any
	for i, task := range tasks {
		child := newHost(h.t, h.dir, "clarify", "read_file", "search_files", "terminal", "todo")
		child.request.System = childPrompt
		summary := child.ask(assignment(task["goal"], task["context"]))
		var trace []any
		for _, c := range child.calls {
			trace = append(trace, map[string]any{"tool": c.Name, "status": "ok"})
			if c.Name != "read_file" && c.Name != "search_files" && c.Name != "terminal" {
				h.t.Errorf("child %d called %s", i, c.Name)
			}
		}
		out = append(out, map[string]any{"task_index": i, "status": "completed", "summary": summary, "tool_trace": trace, "duration_seconds": 1.25})
		if n := len(child.calls); n == 0 || n > 2 {
			h.t.Errorf("child %d made %d calls", i, n)
		}
	}
	return out
}

// childPrompt and assignment are what a subagent gets, in the words of the program.
const childPrompt = "You are a subagent of Hermes. An agent above you has handed you one task.\n\nGit branch: main"

func assignment(goal, context string) string {
	return "Your task:\n" + goal + "\n\nWhat the agent that hands it to you knows about it:\n" + context +
		"\n\nWorkspace: /home/me/things (relative paths start there)"
}
