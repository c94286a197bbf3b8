package script

import (
	"encoding/json"
	"strings"
	"testing"
)

// goals are those of the newest delegation.
func (h *host) goals() []string {
	var out []string
	for _, c := range h.calls {
		if c.Name != "delegate_task" {
			continue
		}
		out = nil
		for _, item := range parseResult(c.Arguments).list("tasks") {
			out = append(out, result{fields: item.(map[string]any)}.str("goal"))
		}
	}
	return out
}

// allow makes the offer of the tool that delegates say how many subagents a call
// may have, in the form of the program.
func (h *host) allow(schema string) {
	for i, d := range h.request.Tools {
		if d.Name == "delegate_task" {
			h.request.Tools[i].Parameters = json.RawMessage(schema)
		}
	}
}

func TestDemoTeamKeepsToTheLimit(t *testing.T) {
	for schema, want := range map[string]int{
		`{"properties":{"tasks":{"description":"instead of goal: at most 1, each for a subagent of its own"}}}`:  1,
		`{"properties":{"tasks":{"description":"instead of goal: at most 2, each for a subagent of its own"}}}`:  2,
		`{"properties":{"tasks":{"description":"instead of goal: at most 60, each for a subagent of its own"}}}`: 3,
		`{"properties":{"tasks":{"description":"instead of goal: at most 0, each for a subagent of its own"}}}`:  1,
		`{"properties":{"tasks":{"description":"any number"}}}`:                                                  3,
		`{}`: 3, `[]`: 3, ``: 3,
	} {
		h := newHost(t, project(t), allTools()...)
		h.allow(schema)
		answer := h.ask("hello")
		if got := h.goals(); len(got) != want {
			t.Errorf("%s: goals %q", schema, got)
		}
		contains(t, answer, "**Subagents:** "+plural(want, "result")+": completed")
		contains(t, object(decodeTodo(t, h.calls[0].Arguments)), "Send "+plural(want, "subagent"))
	}
}

// TestDemoSendsWhatIsAskedFor has a prompt that asks for subagents: one for each
// word, on the first prompt as on later ones.
func TestDemoSendsWhatIsAskedFor(t *testing.T) {
	h := newHost(t, project(t), allTools()...)
	for _, prompt := range []string{"Send subagents for Append and widget, please", "And now delegate zyxwvut"} {
		answer := h.ask(prompt)
		if got := names(h.calls); got != "delegate_task" {
			t.Errorf("%s: plan %s", prompt, got)
		}
		contains(t, answer, "offline demo model", "completed")
	}
	h = newHost(t, project(t), allTools()...)
	answer := h.ask("Send subagents for Append and widget, please")
	if got := strings.Join(h.goals(), "|"); got != goalWords+"append|"+goalWords+"widget" {
		t.Errorf("goals %q", got)
	}
	contains(t, answer, "**Subagents:** 2 results: completed, completed", "**Look for: widget** (completed, 3 calls", "> Around the hit in `go.mod` I read 1 line.",
		"**Look for: append** (completed, 2 calls",
		"The search for `append` found 1 line.", "`store/a.go:4`", "The search for `widget` found")
	h = newHost(t, project(t), allTools()...)
	h.ask("subagents for add and hello and notes")
	if got := strings.Join(h.goals(), "|"); got != goalWords+"hello|"+goalWords+"notes|"+goalWords+"add" {
		t.Errorf("goals %q", got)
	}
	h = newHost(t, project(t), allTools()...)
	h.allow(`{"properties":{"tasks":{"description":"at most 1"}}}`)
	h.ask("subagents for Append and widget")
	if got := h.goals(); len(got) != 1 {
		t.Errorf("goals %q with one place", got)
	}
	for _, c := range []struct{ prompt, plan string }{
		{"what do subagents do?", fullPlan}, // no word to search for
		{"Where is the agent of Append?", fullPlan},
		{"How does Append treat subagents?", fullPlan},
	} {
		h := newHost(t, project(t), allTools()...)
		h.ask(c.prompt)
		if got := names(h.calls); got != c.plan {
			t.Errorf("%s: plan %s", c.prompt, got)
		}
	}
	h = newHost(t, project(t), "read_file", "search_files")
	h.ask("hello")
	h.ask("subagents for Append")
	if got := names(h.calls); got != "search_files read_file" {
		t.Errorf("plan without delegate_task %s", got)
	}
}

// TestDemoKnowsThatItIsASubagent: by its system prompt, and it searches for the
// words of its goal alone.
func TestDemoKnowsThatItIsASubagent(t *testing.T) {
	h := newHost(t, project(t), "clarify", "delegate_task", "read_file", "search_files", "terminal", "todo")
	h.request.System = childPrompt
	answer := h.ask(assignment("Where is Append?", "The lock matters."))
	if got := names(h.calls); got != "search_files read_file" {
		t.Errorf("plan %s", got)
	}
	if got := parseResult(h.calls[0].Arguments).str("pattern"); got != "(?i)(append)" {
		t.Errorf("it searches for %s", got)
	}
	contains(t, answer, "`store/a.go:4`")
	lacks(t, answer, "OPENROUTER_API_KEY", "##")

	// What the user says to it when it was done.
	answer = h.ask("widget, too")
	if got := parseResult(h.calls[0].Arguments).str("pattern"); got != "(?i)(widget)" {
		t.Errorf("it searches for %s", got)
	}
	contains(t, answer, "`go.mod:1`")

	root := newHost(t, project(t), allTools()...)
	root.request.System = "You are Hermes.\nYou can send subagents. A subagent sees nothing of this.\nYou are a subagent only below."
	root.ask("hello")
	if got := names(root.calls); got != fullPlan {
		t.Errorf("the root takes itself for a subagent: %s", got)
	}
}

// TestDemoChildIsSteered: a child repeats in its report what the user said.
func TestDemoChildIsSteered(t *testing.T) {
	const note = "\n\n[message from the user, sent while this ran; it is not part of the result]\nLook at store\n[end of the user's message]"
	for goal, key := range map[string]string{goalSurvey: "read_file 1", goalMarks: "search_files 1", goalHistory: "terminal 2", "Find Append": "read_file 1"} {
		h := newHost(t, project(t), "read_file", "search_files", "terminal")
		h.request.System = childPrompt
		h.steer[key] = note
		contains(t, h.ask(assignment(goal, "")), "## What you added meanwhile\n\n> Look at store\n")
	}
}

func TestDemoPast(t *testing.T) {
	child := func(system string, tools ...string) *host {
		h := newHost(t, project(t), tools...)
		h.request.System = "You are a subagent of Hermes.\n" + system
		return h
	}
	const listing = `{"output":"total 0\nREADME.md","exit_code":0,"error":null}`
	ask := assignment(goalHistory, "")
	for name, c := range map[string]struct {
		system  string
		answers map[string]string
		calls   []string
		says    []string
	}{
		"commits": {"Git branch: main", map[string]string{"terminal 2": `{"output":"8d3f1ab Fix\n a | 2 +\n 1 file changed","exit_code":0}`, "terminal 3": `{"output":"","exit_code":0}`},
			[]string{"git log --oneline -8", "git show --stat --oneline HEAD", "git status --short"}, []string{"printed:", "The newest of them: `1 file changed`", "`git status --short` ended with exit code 0 and no output."}},
		"no repository": {"This is not a git repository.", map[string]string{"terminal 1": listing},
			[]string{"ls -la"}, []string{"README.md"}},
		"unknown": {"", map[string]string{"terminal 1": listing},
			[]string{"git log --oneline -8 2>/dev/null || ls -la"}, []string{"README.md"}},
		"no commits": {"Git branch: main", map[string]string{"terminal 1": `{"output":"fatal: no commits","exit_code":128}`, "terminal 2": listing},
			[]string{"git log --oneline -8", "ls -la"}, []string{"exit code 128: `fatal: no commits`", "README.md"}},
		"denied": {"Git branch: main", map[string]string{"terminal 1": `{"error":"The user did not allow this."}`, "terminal 2": `{"output":"","exit_code":0}`},
			[]string{"git log --oneline -8", "ls -la"}, []string{"was not allowed: The user did not allow this.", "no output"}},
		"broken": {"Git branch: main", map[string]string{"terminal 1": `{"error":"no shell"}`, "terminal 2": `nothing`},
			[]string{"git log --oneline -8", "ls -la"}, []string{"failed: no shell", "a result that I cannot read"}},
	} {
		h := child(c.system, "terminal")
		for k, v := range c.answers {
			h.answers[k] = v
		}
		answer := h.ask(ask)
		var got []string
		for _, call := range h.calls {
			got = append(got, parseResult(call.Arguments).str("command"))
		}
		if strings.Join(got, "|") != strings.Join(c.calls, "|") {
			t.Errorf("%s: commands %q", name, got)
		}
		contains(t, answer, c.says...)
	}
	contains(t, child("", "read_file").ask(ask), "no tool to run commands with")
}

// TestDemoTeamFails reports from what there is of a result.
func TestDemoTeamFails(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		says   []string
	}{
		"one of two": {`{"results":[{"task_index":1,"status":"interrupted","summary":"","error":"The user ended this subagent."},` +
			`{"task_index":0,"status":"completed","summary":"All is well.","tool_trace":[{}],"duration_seconds":2}],"total_duration_seconds":2.04}`,
			[]string{"2 results: interrupted, completed; they worked side by side for 2.0 s", "**Find loose ends** (interrupted):\n\n> The user ended this subagent.",
				"**Survey the files** (completed, 1 call, 2.0 s):\n\n> All is well."}},
		"stopped":           {`{"results":[{"status":"interrupted","summary":"Half."}],"status":"cancelled","error":"it was stopped"}`, []string{"1 result: interrupted", "> Half.", "| Send subagents | `delegate_task` | failed: it was stopped |"}},
		"refused":           {`{"error":"no more than 1"}`, []string{"they could not be sent: no more than 1"}},
		"nothing":           {`{"results":[]}`, []string{"the result names none"}},
		"unknown task":      {`{"results":[{"task_index":9,"status":"completed","summary":"x"},{"task_index":-1,"summary":"y"}]}`, []string{"**Subagent 1** (completed):", "**Subagent 2** (unknown):"}},
		"figures of no use": {`{"results":[{"status":"completed","summary":"x","duration_seconds":-1,"tool_trace":7}],"total_duration_seconds":1e300}`, []string{"1 result: completed\n", "(completed):"}},
	} {
		h := newHost(t, project(t), allTools()...)
		h.answers["delegate_task 1"] = c.result
		answer := h.ask("hello")
		for _, want := range c.says {
			if !strings.Contains(answer, want) {
				t.Errorf("%s: the answer lacks %q:\n%s", name, want, answer)
			}
		}
	}
}
