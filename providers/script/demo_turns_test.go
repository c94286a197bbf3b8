package script

import (
	"encoding/json"
	"strings"
	"testing"
)

// sent are the goals of the newest delegation.
func (h *host) sent() []string {
	var out []string
	for _, c := range h.calls {
		if c.Name == "delegate_task" {
			for _, item := range parseResult(c.Arguments).objects("tasks") {
				out = append(out, item.str("goal"))
			}
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
		if got := h.sent(); len(got) != want {
			t.Errorf("%s: goals %q", schema, got)
		}
		contains(t, answer, "**Subagents:** "+plural(want, "result")+": completed")
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
	if got := strings.Join(h.sent(), "|"); got != goalWords+"append|"+goalWords+"widget" {
		t.Errorf("goals %q", got)
	}
	contains(t, answer, "**Subagents:** 2 results: completed, completed", "**Look for: widget** (completed, 2 calls",
		"**Look for: append** (completed, 2 calls",
		"The search for `append` found 1 line.", "`store/a.go:4`", "The search for `widget` found")
	h = newHost(t, project(t), allTools()...)
	h.ask("subagents for add and hello and notes")
	if got := strings.Join(h.sent(), "|"); got != goalWords+"hello|"+goalWords+"notes|"+goalWords+"add" {
		t.Errorf("goals %q", got)
	}
	h = newHost(t, project(t), allTools()...)
	h.allow(`{"properties":{"tasks":{"description":"at most 1"}}}`)
	h.ask("subagents for Append and widget")
	if got := h.sent(); len(got) != 1 {
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

func TestDemoSecondPrompt(t *testing.T) {
	h := newHost(t, project(t), allTools()...)
	h.ask("hello")
	answer := h.ask("Where is the function Append with the lock?")
	if got := names(h.calls); got != "search_files read_file" {
		t.Errorf("plan %s", got)
	}
	contains(t, answer, "`function`", "`append`", "`lock`", "| `store/a.go:3` | `// TODO: take the lock` |", "The first lines of `store/a.go`:\n\n```text\n",
		"func Append() {}", "offline demo model")
	contains(t, h.ask("zyxwvut"), "found nothing in these files")
	if got := names(h.calls); got != "search_files" {
		t.Errorf("plan without hits %s", got)
	}
	contains(t, h.ask("??"), "I can only search for words")
	h.answers["search_files 1"] = `{"error":"the pattern is bad"}`
	contains(t, h.ask("Append again"), "The search did not work: the pattern is bad.")
	seen := map[string]bool{}
	for _, m := range h.request.Messages {
		for _, c := range m.Calls {
			if seen[c.WireID] {
				t.Errorf("the call id %s comes twice", c.WireID)
			}
			seen[c.WireID] = true
		}
	}
}

// TestDemoTeamFails reports from what there is of a result.
func TestDemoTeamFails(t *testing.T) {
	for result, want := range map[string]string{
		`{"results":[{"task_index":1,"status":"interrupted","error":"The user ended this subagent."}]}`:      "**Find loose ends** (interrupted, 0 calls):\n\n> The user ended this subagent.",
		`{"results":[{"status":"interrupted","summary":"Half."}],"status":"cancelled","error":"it stopped"}`: "**Subagents:** 1 result: interrupted",
		`{"error":"no more than 1"}`:                           "**Subagents:** it failed: no more than 1",
		`{"results":[]}`:                                       "0 results: none",
		`{"results":[{"task_index":9,"summary":"x"}]}`:         "**Subagent 1** (unknown, 0 calls):",
		`{"results":[{"task_index":-1,"summary":"x"}, "odd"]}`: "2 results: unknown, unknown",
	} {
		h := newHost(t, project(t), allTools()...)
		h.answers["delegate_task 1"] = result
		contains(t, h.ask("hello"), want)
	}
}

func TestDemoWithoutTools(t *testing.T) {
	h := newHost(t, t.TempDir())
	h.request.System = "Give the conversation a short title."
	if got := h.ask("fix the flaky test, it fails one time in ten"); got != "fix the flaky test, it fails" {
		t.Errorf("title %q", got)
	}
	h = newHost(t, t.TempDir())
	if got := h.ask("Write a title for this:\n\nUser: What is a *monad*?\nAssistant: …"); got != "What is a *monad*" {
		t.Errorf("title %q", got)
	}
	h = newHost(t, t.TempDir())
	if got := h.ask("A title, please.\n\nhow do I sort a map\n"); got != "how do I sort a map" {
		t.Errorf("title %q", got)
	}
	h = newHost(t, t.TempDir())
	h.request.System = "Summarise the conversation."
	contains(t, h.ask("first thing"), "- first thing\n")
	h = newHost(t, t.TempDir())
	contains(t, h.ask("hello"), "offers no tools", "OPENROUTER_API_KEY")
}
