package script

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/providers"
)

// project is a small workspace.
func project(t *testing.T) string {
	return files(t, map[string]string{
		"README.md":  "# Widget\n\nA *tool* with `ticks` | pipes.\n\n```sh\n# no heading\n```\n## Use\n",
		"go.mod":     "module widget\n",
		"store/a.go": "package store\n\n// TODO: take the lock\nfunc Append() {}\n",
		"store/b.go": "package store\n",
		"logo.png":   "\x89PNG",
	})
}

func names(calls []providers.Call) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.Name)
	}
	return strings.Join(out, " ")
}

// contains checks that an answer says all of these things, in any order.
func contains(t *testing.T, answer string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(answer, p) {
			t.Errorf("the answer lacks %q:\n%s", p, answer)
		}
	}
}

func lacks(t *testing.T, answer string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(answer, p) {
			t.Errorf("the answer holds %q:\n%s", p, answer)
		}
	}
}

const fullPlan = "todo search_files read_file terminal todo delegate_task todo clarify terminal todo"

func TestDemoRepository(t *testing.T) {
	h := newHost(t, project(t), allTools()...)
	answer := h.ask("Fix the flaky store test")
	if got := names(h.calls); got != fullPlan {
		t.Errorf("plan %s", got)
	}
	contains(t, answer,
		"# What the demo found", "offline demo model", "You asked: “Fix the flaky store test”",
		"**Files:** 5 files", "2 `.go`", "**Read:** `README.md`, 8 lines; its first heading is “Widget”",
		"`git log --oneline -5` lists 2 commits, the newest is `8d3f1ab Fix the lock`",
		"**Your choice:** “The folder store/ (2 files)”", "- `store/a.go`\n- `store/b.go`",
		"**Permission:** allowed", "**Subagents:** 3 results: completed, completed, completed",
		"**Survey the files** (completed, 3 calls, 1.2 s):\n\n> The search shows 5 files.", "largest folder is `store/` with 2 files",
		"I read `go.mod`: it begins with `module widget`. I read `store/a.go`: it begins with `package store`.",
		"**Find loose ends** (completed, 2 calls, 1.2 s):", "`store/a.go:3`", "> Around the hit in `store/a.go` I read 4 lines.",
		"**Look into the past** (completed, 3 calls, 1.2 s):", "> ```text\n> 8d3f1ab Fix the lock\n", "The newest of them: `77aa012",
		"`subagents for widget and ticks`", "`/agents`", "OPENROUTER_API_KEY", "/model", "hermes-tui --help")
	lacks(t, answer, "failed", "no heading is", "What did not go through")
	if c := h.calls[8].Arguments; !strings.Contains(c, "mkdir") || !strings.Contains(c, `&& rm -r \"${TMPDIR:-/tmp}/hermes-demo-`) {
		t.Errorf("gated command %s", c)
	}
	var last todoArgs
	for _, c := range h.calls {
		if c.Name == "todo" {
			last = decodeTodo(t, c.Arguments)
		}
	}
	if n := len(last.Todos); n != 6 {
		t.Errorf("%d tasks", n)
	}
	for _, item := range last.Todos {
		if item.Status != "completed" {
			t.Errorf("task %+v at the end", item)
		}
	}
}

func decodeTodo(t *testing.T, args string) (out todoArgs) {
	t.Helper()
	for _, item := range parseResult(args).list("todos") {
		r := result{fields: item.(map[string]any)}
		out.Todos = append(out.Todos, todoItem{r.str("id"), r.str("content"), r.str("status")})
	}
	return out
}

func TestDemoReasonsFirst(t *testing.T) {
	h := newHost(t, project(t), allTools()...)
	h.request.Messages = []providers.Message{user("hello")}
	s, err := h.client.Stream(t.Context(), h.request)
	got := transcript(s, err)
	if !strings.HasPrefix(got, `open think "A"|think " new"`) || !strings.Contains(got, " call 0 demo_1_1 todo ") ||
		!strings.HasSuffix(got, " EOF") {
		t.Error(got)
	}
	h.request.Effort = "none"
	if got := transcript(h.client.Stream(t.Context(), h.request)); strings.Contains(got, "think") {
		t.Errorf("reasoning without effort: %s", got)
	}
}

func TestDemoEmptyDirectory(t *testing.T) {
	h := newHost(t, t.TempDir(), allTools()...)
	h.request.System = "You are an agent. This is not a git repository."
	h.answers["terminal 1"] = `{"output":"total 0\ndrwx 2 a a 40 .\ndrwx 9 a a 40 ..","exit_code":0,"error":null}`
	answer := h.ask("hello")
	if got, want := names(h.calls), strings.Replace(fullPlan, " read_file", "", 1); got != want {
		t.Errorf("plan %s", got)
	}
	contains(t, answer, "**Files:** no files", "**Read:** nothing, for the search showed no text file",
		"`ls -la` ended with exit code 0 and 3 lines of output", "The search shows no files.", "found nothing in these files")
	if !strings.Contains(h.calls[2].Arguments, `"ls -la"`) {
		t.Errorf("command %s", h.calls[2].Arguments)
	}
}

func TestDemoCommandFindsOut(t *testing.T) {
	for system, want := range map[string]string{
		"You are an agent.":                        "git log --oneline -5 2>/dev/null || ls -la",
		"Directory: /x\nGit branch: main":          "git log --oneline -5",
		"The workspace is a git repository.":       "git log --oneline -5",
		"The workspace is not in a git repository": "ls -la",
	} {
		h := newHost(t, project(t), "terminal")
		h.request.System = system
		h.ask("hello")
		if got := parseResult(h.calls[0].Arguments).str("command"); got != want {
			t.Errorf("%q: command %s", system, got)
		}
	}
	h := newHost(t, files(t, map[string]string{".github/x.yml": "a"}), "terminal", "search_files")
	h.request.System = ""
	h.ask("hello")
	if got := parseResult(h.calls[1].Arguments).str("command"); got != "git log --oneline -5" {
		t.Errorf("with a .github folder: %s", got)
	}
}

func TestDemoDenied(t *testing.T) {
	for _, denial := range []string{
		`{"error":"The user did not allow this command. Do not try it again in another way."}`,
		`{"error":"Denied by the user: too dangerous."}`,
		`{"error":"Plan mode reads only, so this did not run."}`,
		`{"error":"Nobody was there to approve it."}`,
		`{"output":"","exit_code":-1,"error":"BLOCKED","status":"blocked"}`,
		`{"approved":false,"outcome":"timeout","message":"It was not answered."}`,
		`{"status":"pending_approval","description":"recursive delete"}`,
	} {
		h := newHost(t, project(t), allTools()...)
		h.answers["terminal 2"] = denial
		answer := h.ask("hello")
		contains(t, answer, "**Permission:** denied, so the scratch directory was neither made nor removed",
			"| Run a command that needs permission | `terminal` | denied |")
		lacks(t, answer, "**Permission:** allowed")
		var list todoArgs
		if err := json.Unmarshal([]byte(h.calls[len(h.calls)-1].Arguments), &list); err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Todos { // only what was done is ticked
			want := "completed"
			if strings.HasPrefix(item.Content, "Try a command") {
				want = "cancelled"
			}
			if item.Status != want {
				t.Errorf("%s is %s", item.Content, item.Status)
			}
		}
	}
}

func TestDemoNoAnswer(t *testing.T) {
	for _, result := range []string{
		`{"question":"q","choices_offered":["a"],"user_response":""}`,
		`{"question":"q","choices_offered":["a"],"user_response":null,"note":"nobody answered"}`,
		`{"question":"q","user_response":[]}`,
	} {
		h := newHost(t, project(t), allTools()...)
		h.answers["clarify 1"] = result
		answer := h.ask("hello")
		contains(t, answer, "**Your choice:** none, the question was not answered")
		lacks(t, answer, "A closer look")
	}
	h := newHost(t, project(t), allTools()...)
	h.answers["clarify 1"] = `{"error":"no one can be asked here"}`
	contains(t, h.ask("hello"), "**Your choice:** none, the question did not reach you: no one can be asked here")
}

func TestDemoOwnAnswer(t *testing.T) {
	h := newHost(t, project(t), allTools()...)
	h.answers["clarify 1"] = `{"user_response":"the *tests*, please"}`
	contains(t, h.ask("hello"), `**Your choice:** “the \*tests\*, please”`, "You wrote an answer of your own")
	for i, want := range []string{"The headings of `README.md`:\n\n- `Widget`\n- `Use`\n", "- `store/a.go`", "- `77aa012 Add the store`"} {
		h := newHost(t, project(t), allTools()...)
		label := []string{"The file README.md", "The folder store/ (2 files)", "The newest commits"}[i]
		h.answers["clarify 1"] = object(map[string]any{"user_response": label})
		contains(t, h.ask("hello"), "## A closer look\n\n", want)
	}
}

func TestDemoMissingTools(t *testing.T) {
	for _, missing := range allTools() {
		var rest []string
		for _, name := range allTools() {
			if name != missing {
				rest = append(rest, name)
			}
		}
		h := newHost(t, project(t), rest...)
		answer := h.ask("hello")
		var want []string
		for _, name := range strings.Fields(fullPlan) {
			if name != missing && (name != "read_file" || missing != "search_files") {
				want = append(want, name)
			}
		}
		if missing == "delegate_task" {
			want = slices.Delete(want, 5, 6) // nothing new in the list of tasks
		}
		if got := names(h.calls); got != strings.Join(want, " ") {
			t.Errorf("without %s: plan %s", missing, got)
		}
		contains(t, answer, "# What the demo found")
		lacks(t, answer, "failed", "not allowed")
	}
	h := newHost(t, project(t), "patch", "memory")
	answer := h.ask("hello")
	if len(h.calls) != 0 {
		t.Errorf("calls %s", names(h.calls))
	}
	contains(t, answer, "None of the tools that I know was offered", "OPENROUTER_API_KEY")
}

func TestDemoFailingTools(t *testing.T) {
	h := newHost(t, project(t), allTools()...)
	for key, text := range map[string]string{
		"todo 1": `{"error":"list is broken"}`, "todo 2": `[TOOL_ERROR] again`, "todo 3": `Error: and again`,
		"search_files 1": `{"error":"search is broken"}`,
		"terminal 1":     `{"output":"fatal: bad default revision","exit_code":128,"error":null}`,
		"terminal 2":     `{"output":"mkdir: no space left","exit_code":1,"error":null}`,
		"clarify 1":      `not JSON at all`, "delegate_task 1": `{"error":"subagents are switched off"}`,
	} {
		h.answers[key] = text
	}
	answer := h.ask("hello")
	contains(t, answer, "| Write the plan | `todo` | failed: list is broken |", "| Update the plan | `todo` | failed: \\[TOOL\\_ERROR] again |", "there was no list to choose from",
		"| Ask a question | `clarify` | its result cannot be read |",
		"the search did not work: search is broken", "ended with exit code 128 and 1 line of output", "fatal: bad default revision",
		"**Permission:** allowed, but the command ended with exit code 1: `mkdir: no space left`",
		"the question was not answered", "**Subagents:** they could not be sent: subagents are switched off")
	h = newHost(t, project(t), allTools()...)
	h.answers["read_file 1"] = `{"error":"permission denied","content":""}`
	h.answers["terminal 1"] = `{"error":"the shell did not start"}`
	h.answers["delegate_task 1"] = `{"results":[{"status":"failed","error":"ran out of budget"},{"status":"killed","summary":null}]}`
	contains(t, h.ask("hello"), "**Read:** nothing from `README.md`: permission denied", "| `read_file` | failed: permission denied |",
		"`git log --oneline -5` failed: the shell did not start", "2 results: failed, killed", "**Survey the files** (failed):\n\n> ran out of budget")
}

// TestDemoUnreadableResults: results that were shortened or have another form
// are not taken for empty ones.
func TestDemoUnreadableResults(t *testing.T) {
	h := newHost(t, project(t), allTools()...)
	h.answers["search_files 1"] = `[search_files] 5 files`
	lacks(t, h.ask("hello"), "no files", "it is empty")
	h = newHost(t, project(t), allTools()...)
	h.answers["read_file 1"] = `{"status":"unchanged","path":"README.md","content_returned":false}`
	contains(t, h.ask("hello"), "**Read:** nothing from `README.md`: it has not changed since it was read before")
	h.answers["read_file 1"] = `[read_file] read store/a.go`
	contains(t, h.ask("Append"), "From `store/a.go` I have nothing: the result cannot be understood.")
	h.answers["search_files 1"] = `{}`
	lacks(t, h.ask("Append"), "found nothing")
}

// TestDemoHostileResults: whatever tools return, the answer stays one document
// of bounded size, without control characters.
func TestDemoHostileResults(t *testing.T) {
	evil := "\x1b]52;c;eA==\x07 ``` | </x> {{last_user}} \u202e [a](b) " + strings.Repeat("long ", 2000)
	h := newHost(t, project(t), allTools()...)
	h.answers["search_files 1"] = object(map[string]any{"files": []any{"README.md\n# x", evil, 7, nil, map[string]any{"path": evil}}, "total_count": -5})
	h.answers["read_file 1"] = object(map[string]any{"content": "1|````\n2|" + evil + "\n3|```", "total_lines": 1e300})
	h.answers["terminal 1"] = object(map[string]any{"output": evil + "\n" + evil, "exit_code": "zero"})
	h.answers["clarify 1"] = object(map[string]any{"user_response": evil})
	h.answers["terminal 2"] = object(map[string]any{"error": evil})
	h.answers["delegate_task 1"] = object(map[string]any{"results": []any{nil, "x", map[string]any{"status": evil, "summary": "```\n" + evil}}})
	answer := h.ask(evil)
	if len(answer) > 16<<10 {
		t.Errorf("the answer has %d bytes", len(answer))
	}
	for _, r := range answer {
		if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' {
			t.Fatalf("the answer holds %U", r)
		}
	}
	contains(t, answer, "## Connect a real model")
	fence := ""
	for line := range strings.Lines(answer) {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && strings.TrimSpace(line) == ticks && len(ticks) >= len(fence):
			fence = ""
		}
	}
	if fence != "" {
		t.Errorf("a code block stays open:\n%s", answer)
	}
}

func TestDemoSpeed(t *testing.T) {
	run := func(speed float64) (took time.Duration, chars int) {
		synctest.Test(t, func(t *testing.T) {
			r := newHost(t, "", allTools()...).request
			r.Messages = []providers.Message{user("hello")}
			begin := time.Now()
			s, err := Demo(DemoOptions{Speed: speed}).Stream(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if d := time.Since(begin); d != 0 {
				t.Errorf("the response begins after %v", d)
			}
			m, err := collect(s)
			if err != nil {
				t.Fatal(err)
			}
			took, chars = time.Since(begin), len(m.Reasoning)+len(m.Text())+len(m.Calls[0].Arguments)
		})
		return took, chars
	}
	once, chars := run(1)
	rate := float64(chars) / 4 / once.Seconds()
	if rate < 40 || rate > 140 {
		t.Errorf("%.0f tokens a second", rate)
	}
	if again, _ := run(1); again != once {
		t.Errorf("the same answer took %v, then %v", once, again)
	}
	if double, _ := run(2); double < once*45/100 || double > once*55/100 {
		t.Errorf("%v at twice the speed, %v at once the speed", double, once)
	}
	for _, speed := range []float64{0, -3} {
		if d, _ := run(speed); d != 0 {
			t.Errorf("%v at speed %v", d, speed)
		}
	}
}

func TestDemoCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 700*time.Millisecond, errors.New("enough"))
		defer cancel()
		r := newHost(t, "", allTools()...).request
		r.Messages = []providers.Message{user("hello")}
		begin := time.Now()
		got := transcript(Demo(DemoOptions{Speed: 1}).Stream(ctx, r))
		if !strings.HasSuffix(got, "error enough") || time.Since(begin) != 700*time.Millisecond {
			t.Errorf("after %v: %s", time.Since(begin), got)
		}
	})
}

func TestDemoConcurrent(t *testing.T) {
	client := Demo(DemoOptions{})
	dir := project(t)
	want := newHost(t, dir, allTools()...).ask("hello")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			h := newHost(t, dir, allTools()...)
			h.client = client
			if got := h.ask("hello"); got != want {
				t.Errorf("another answer: %s", got)
			}
		})
	}
	wg.Wait()
}
