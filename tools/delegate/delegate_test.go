package delegate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"hermes-tui/tools"
)

func TestSchemaIsStableAndSaysTheLimits(t *testing.T) {
	o := options(t, nil)
	r := tools.NewRegistry(time.Now)
	if err := r.Add(New(o).Tool()); err != nil {
		t.Fatal(err)
	}
	defs := r.Definitions(t.Context(), []string{Toolset}, nil)
	if len(defs) != 1 {
		t.Fatalf("%d definitions", len(defs))
	}
	text := string(defs[0].Parameters)
	for _, part := range []string{"at most 3", "of: clarify, file, mcp-tracker, terminal, todo; omit for all", `"background"`, "at most 2 at a time", `"orchestrator"`} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in the schema %s", part, text)
		}
	}
	parent := o.Tools()
	slices.Reverse(parent)
	o.Tools = func() []tools.Tool { return parent }
	again := New(o).Tool()
	var compact bytes.Buffer
	if err := json.Compact(&compact, again.Parameters); err != nil {
		t.Fatal(err)
	}
	if compact.String() != text || again.Description != defs[0].Description {
		t.Error("the same tools in another order give another schema")
	}
	o.Background, o.Orchestrators, o.MaxTasks = 0, false, 0
	text = string(New(o).Tool().Parameters)
	if strings.Contains(text, "background") || strings.Contains(text, "role\":{") || !strings.Contains(text, "at most 1") {
		t.Errorf("the schema offers what there is not: %s", text)
	}
	if tool := New(o).Tool(); tool.Class != tools.Delegating || !tool.ReadsOnly || tool.Guidance == "" {
		t.Errorf("tool %+v", tool)
	}
}

func TestGrant(t *testing.T) {
	all := []string{"clarify", "issues_list", "patch", "process", "read_file", "search_files", "terminal", "todo", "write_file"}
	for _, c := range []struct {
		name         string
		asked        []string
		orchestrator bool
		names        []string
		unknown      []string
	}{
		{"all of the parent's", nil, false, all, nil},
		{"an orchestrator delegates", nil, true, append([]string{"clarify", Name}, all[1:]...), nil},
		{"one set", []string{"terminal"}, false, []string{"process", "terminal"}, nil},
		{"an old name", []string{"file_tools"}, false, []string{"patch", "read_file", "search_files", "write_file"}, nil},
		{"a set of others", []string{"debugging"}, false, []string{"patch", "process", "read_file", "search_files", "terminal", "write_file"}, nil},
		{"everything", []string{"all"}, false, all, nil},
		{"a set of a server", []string{"mcp-tracker"}, false, []string{"issues_list"}, nil},
		{"what the parent lacks", []string{"browser", "todo"}, false, []string{"todo"}, nil},
		{"what is never handed down", []string{"delegation", "memory", "messaging", "code_execution"}, false, nil, nil},
		{"an orchestrator with one set", []string{"todo"}, true, []string{Name, "todo"}, nil},
		{"unknown", []string{"files", "todo", "mcp-other"}, false, []string{"todo"}, []string{"files", "mcp-other"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			names, unknown := Grant(parentTools(t), c.asked, c.orchestrator)
			if !slices.Equal(names, c.names) || !slices.Equal(unknown, c.unknown) {
				t.Errorf("got %v and %v", names, unknown)
			}
		})
	}
	leaf := slices.DeleteFunc(parentTools(t), func(x tools.Tool) bool { return x.Name == Name })
	if names, _ := Grant(leaf, []string{"todo"}, true); !slices.Equal(names, []string{Name, "todo"}) {
		t.Errorf("an orchestrator below an agent that cannot delegate has %v", names)
	}
}

func TestTasks(t *testing.T) {
	for _, c := range []struct{ name, args, goals, subject string }{
		{"a goal", `{"goal":" find it\n fast "}`, "find it\n fast", "find it fast"},
		{"tasks", `{"tasks":[{"goal":"a"},{"goal":" b "}]}`, "a|b", "2 tasks: a | b"},
		{"as text", `{"tasks":"[{\"goal\":\"a\"},{\"goal\":\"b\"}]"}`, "a|b", "2 tasks: a | b"},
		{"one without brackets", `{"tasks":{"goal":"a"}}`, "a", "a"},
		{"tasks go before a goal", `{"goal":"both","tasks":[{"goal":"a"}]}`, "a", "a"},
		{"no tasks but a goal", `{"goal":"g","tasks":[]}`, "g", "g"},
		{"null", `{"goal":"g","tasks":null,"toolsets":null}`, "g", "g"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &crew{report: done}
			r := call(t.Context(), t, New(options(t, s)), c.args)
			var goals []string
			for _, x := range s.tasks {
				goals = append(goals, x.Goal)
			}
			if got := strings.Join(goals, "|"); got != c.goals || r.Status != tools.StatusOK {
				t.Errorf("goals %q, result %s", got, r.Content)
			}
			if r.View.Subject != c.subject || r.View.Kind != tools.KindAgent {
				t.Errorf("view %+v", r.View)
			}
		})
	}
}

func TestWhatTasksInherit(t *testing.T) {
	s := &crew{report: done}
	o := options(t, s)
	call(t.Context(), t, New(o), `{"context":" all ","toolsets":["file"," ","file"],"role":"orchestrator",
		"tasks":[{"goal":"a"},{"goal":"b","context":"own","toolsets":["todo"],"role":"leaf"}]}`)
	a, b := s.tasks[0], s.tasks[1]
	if a.Context != "all" || !slices.Equal(a.Toolsets, []string{"file"}) || a.Role != RoleOrchestrator || !slices.Contains(a.Tools, Name) || slices.Contains(a.Tools, "todo") {
		t.Errorf("first %+v", a)
	}
	if b.Context != "own" || b.Role != RoleLeaf || !slices.Equal(b.Tools, []string{"todo"}) {
		t.Errorf("second %+v", b)
	}
	o.Orchestrators = false
	call(t.Context(), t, New(o), `{"goal":"a","role":"orchestrator"}`)
	if x := s.tasks[0]; x.Role != RoleLeaf || slices.Contains(x.Tools, Name) {
		t.Errorf("where no one may nest, an orchestrator is %+v", x)
	}
}

func TestWrongArguments(t *testing.T) {
	for _, c := range []struct{ args, words string }{
		{`{}`, "give a goal, or tasks"},
		{`{"goal":"  ","tasks":[]}`, "give a goal, or tasks"},
		{`{"goal":"x","tasks":""}`, "tasks[0] must be an object"},
		{`{"tasks":[{"goal":"1"},{"goal":"2"},{"goal":"3"},{"goal":"4"}]}`, "the first 3 now"},
		{`{"tasks":[{"goal":"1"},{"goal":" "}]}`, "tasks[1]: goal is missing"},
		{`{"tasks":[{"goal":"1"},{"context":"x"}]}`, "tasks[1].goal is required"},
		{`{"tasks":"[{"}`, "tasks[0] must be an object"},
		{`{"goal":"x","role":"boss"}`, "role must be one of"},
		{`{"goal":"x","toolsets":["files","todo","fnord"]}`, "no toolset files, fnord. Ask for some of clarify, file, mcp-tracker, terminal, todo"},
		{`{"goal":"x","toolsets":["memory"]}`, "no tool that you could hand down. Ask for some of clarify"},
		{`{"background":true,"tasks":[{"goal":"1"},{"goal":"2"}]}`, "background takes a single goal"},
	} {
		s := &crew{report: done}
		r := call(t.Context(), t, New(options(t, s)), c.args)
		if r.Status != tools.StatusFailed || !strings.Contains(r.Content, c.words) {
			t.Errorf("%s: %s", c.args, r.Content)
		}
		if len(s.calls) > 0 {
			t.Errorf("%s started something", c.args)
		}
	}
	o := options(t, &crew{})
	o.Background = 0
	r, err := New(o).Tool().Run(t.Context(), tools.Call{Name: Name, Args: json.RawMessage(`{"goal":"x","background":true}`)}, nil, nil)
	if err != nil || !strings.Contains(r.Content, "without background") {
		t.Errorf("background where there is none: %s, %v", r.Content, err)
	}
	// What no schema has looked at.
	for args, words := range map[string]string{`{"tasks":"[{"}`: "tasks must be an array", `{"goal":"x","role":"boss"}`: "leaf or orchestrator", `[`: "arguments of delegate_task", `{"tasks":[3]}`: "tasks must be"} {
		r, err := New(o).Tool().Run(t.Context(), tools.Call{Name: Name, Args: json.RawMessage(args)}, nil, nil)
		if err != nil || r.Status != tools.StatusFailed || !strings.Contains(r.Content, words) {
			t.Errorf("%s: %s, %v", args, r.Content, err)
		}
	}
}

func TestFailed(t *testing.T) {
	for _, c := range []struct {
		content string
		want    bool
	}{
		{`{"error":"no such file"}`, true}, {` {"error":{"code":1}}`, true}, {`{"error":null,"output":"x"}`, false}, {`{"error":""}`, false}, {`{"error":false}`, false},
		{`{"status":"error"}`, true}, {`{"status":"Failed"}`, true}, {`{"status":"failure"}`, true}, {`{"status":"timeout"}`, true}, {`{"status":"completed"}`, false}, {`{"status":500}`, false},
		{`{"matches":[]}` + "\n[Hint: more]", false}, {`{"error":"x"}` + "\n[Tool loop warning]", true}, {`{"Error":"x"}`, false},
		{"Error: it broke\nmore", true}, {"failed: x", true}, {"Traceback (most recent call last):\n", true}, {"EXCEPTION: x", true},
		{"all is well\nerror: later", false}, {"errors: 0", false}, {"", false}, {"[]", false}, {`{"error":`, false}, {"  \n error: x", true},
	} {
		if got := Failed(c.content); got != c.want {
			t.Errorf("%q: %v", c.content, got)
		}
	}
}

func TestConcurrentCalls(t *testing.T) {
	s := &crew{report: done}
	o := options(t, s)
	o.Now = time.Now
	d := New(o)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { call(t.Context(), t, d, `{"tasks":[{"goal":"a"},{"goal":"b"}]}`) })
	}
	wg.Wait()
	if len(s.calls) != 8 {
		t.Errorf("%d calls", len(s.calls))
	}
}

// FuzzArguments holds that any arguments give tasks that can be started, or a
// sentence.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"goal":"x"}`, `{"tasks":"[{\"goal\":\"a\"}]"}`, `{"tasks":[{"goal":"a","toolsets":["file"]}],"background":true}`, `{"tasks":"\"[]\""}`, `{"tasks":{}}`,
		`{"goal":"x","toolsets":["all","nothing"],"role":"orchestrator"}`, `null`, `{"tasks":[null]}`, `{"goal":3}`, `{"tasks":"` + "\x00" + `"}`,
	} {
		f.Add([]byte(seed))
	}
	d := New(options(f, nil))
	rootOnly := map[string]bool{}
	for _, t := range parentTools(f) {
		rootOnly[t.Name] = t.RootOnly
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if v := preview(raw); v.Kind != tools.KindAgent || strings.ContainsAny(v.Subject, "\n\r") || utf8.RuneCountInString(v.Subject) > 1000 {
			t.Errorf("view %+v", v)
		}
		var a arguments
		if err := (tools.Call{Name: Name, Args: raw}).Decode(&a); err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		tasks, err := d.tasks(a)
		if err != nil {
			return
		}
		if len(tasks) == 0 || len(tasks) > 3 || a.Background && len(tasks) > 1 {
			t.Errorf("%d tasks", len(tasks))
		}
		for _, x := range tasks {
			if strings.TrimSpace(x.Goal) == "" || x.Role != RoleLeaf && x.Role != RoleOrchestrator || len(x.Tools) == 0 ||
				slices.ContainsFunc(x.Tools, func(n string) bool { return rootOnly[n] && (n != Name || x.Role != RoleOrchestrator) }) {
				t.Errorf("task %+v", x)
			}
		}
	})
}
