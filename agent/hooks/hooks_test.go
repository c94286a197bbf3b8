//go:build unix

package hooks_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/hooks"
	"hermes-tui/tools/place"
)

// kit is a runner with real processes.
type kit struct {
	shelf   *hooks.Shelf
	runner  *hooks.Runner
	dir     string
	decided map[string]string

	mu   sync.Mutex
	said []string
}

func (k *kit) says() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.said...)
}

// newKit makes a runner of hooks that are approved as they are.
func newKit(t testing.TB, list ...hooks.Hook) *kit {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SECRET_TOKEN=hunter2hunter2", "LANG=C.UTF-8"}
	here, err := place.NewLocal(place.Options{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{dir: t.TempDir(), decided: map[string]string{}}
	k.shelf = hooks.NewShelf(hooks.ShelfOptions{
		Start: bind.HookCommand(here, func(string) []string { return env }, func() []string { return nil }, k.dir, nil), Home: "/nowhere", Path: func(string) string { return os.Getenv("PATH") },
		Decided: func(name string) string { return k.decided[name] },
		Decide:  func(_ context.Context, name, what string) error { k.decided[name] = what; return nil },
		Mask:    func(s string) string { return strings.ReplaceAll(s, "topsecret", "***") }, Now: time.Now,
	})
	k.runner = hooks.NewRunner(hooks.RunnerOptions{
		Shelf: k.shelf, Dir: k.dir, List: func() []hooks.Hook { return list },
		Session: func() string { return "s1" }, Mode: func() string { return "manual" },
		Say: func(text string) {
			k.mu.Lock()
			k.said = append(k.said, text)
			k.mu.Unlock()
		},
	})
	for _, h := range list {
		k.approve(t, h)
	}
	t.Cleanup(func() { k.runner.Close(context.Background()) })
	return k
}

func (k *kit) approve(t testing.TB, h hooks.Hook) {
	t.Helper()
	if seen := k.shelf.Look(h, k.dir); seen.State != hooks.Broken {
		if err := k.shelf.Decide(context.Background(), seen, k.dir, true); err != nil {
			t.Fatal(err)
		}
	}
}

func (k *kit) write(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(k.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// call is a call of a tool.
func call(e hooks.Event) hooks.Input {
	return hooks.Input{Event: e, Tool: "terminal", Call: "c1", Turn: "t1", Args: json.RawMessage(`{"command":"ls"}`), More: map[string]any{"result": "out", "status": "ok"}}
}

func run(t testing.TB, k *kit, in hooks.Input) hooks.Answer {
	t.Helper()
	a, err := k.runner.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAnswers reads what hooks say, in their own form and in that of Claude Code.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event   hooks.Event
		command string
		claude  bool
		want    hooks.Answer
	}{
		"nothing":         {hooks.PreToolCall, `cat >/dev/null`, false, hooks.Answer{}},
		"exit 2":          {hooks.PreToolCall, `echo "not here" >&2; exit 2`, false, hooks.Answer{Refused: "not here"}},
		"exit 2, reason":  {hooks.PreToolCall, `echo '{"decision":"block","reason":"because"}'; echo other >&2; exit 2`, false, hooks.Answer{Refused: "because"}},
		"exit 2, silent":  {hooks.PreToolCall, `exit 2`, false, hooks.Answer{Refused: "a hook refused it and did not say why"}},
		"block":           {hooks.PreToolCall, `echo '{"decision":"block","reason":"no"}'`, false, hooks.Answer{Refused: "no"}},
		"action block":    {hooks.PreToolCall, `echo '{"action":"block","message":"no"}'`, false, hooks.Answer{Refused: "no"}},
		"modify":          {hooks.PreToolCall, `echo '{"action":"modify","args":{"command":"pwd"}}'`, false, hooks.Answer{Args: json.RawMessage(`{"command":"pwd"}`)}},
		"modify, input":   {hooks.PreToolCall, `echo '{"decision":"modify","tool_input":{"command":"pwd"}}'`, false, hooks.Answer{Args: json.RawMessage(`{"command":"pwd"}`)}},
		"approve asks":    {hooks.PreToolCall, `echo '{"action":"approve","message":"sure?"}'`, false, hooks.Answer{Ask: "sure?"}},
		"allow":           {hooks.PreToolCall, `echo '{"decision":"allow"}'`, false, hooks.Answer{}},
		"context":         {hooks.PreLLMCall, `echo '{"context":"it is topsecret"}'`, false, hooks.Answer{Context: []hooks.Text{{Text: "it is ***"}}}},
		"replaces":        {hooks.TransformToolResult, `echo '{"result":"other"}'`, false, hooks.Answer{Text: new("other")}},
		"goes on":         {hooks.Stop, `echo '{"action":"continue","message":"test it"}'`, false, hooks.Answer{GoOn: "test it"}},
		"end refused":     {hooks.Stop, `echo "not done" >&2; exit 2`, false, hooks.Answer{GoOn: "not done"}},
		"claude deny":     {hooks.PreToolCall, `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no rm"}}'`, true, hooks.Answer{Refused: "no rm"}},
		"claude ask":      {hooks.PreToolCall, `echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`, true, hooks.Answer{Ask: "a hook wants you to be asked"}},
		"claude allow":    {hooks.PreToolCall, `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`, true, hooks.Answer{}},
		"claude approve":  {hooks.PreToolCall, `echo '{"decision":"approve"}'`, true, hooks.Answer{}},
		"claude input":    {hooks.PreToolCall, `echo '{"hookSpecificOutput":{"updatedInput":{"command":"pwd"}}}'`, true, hooks.Answer{Args: json.RawMessage(`{"command":"pwd"}`)}},
		"claude text":     {hooks.UserPromptSubmit, `echo "it rains"`, true, hooks.Answer{Context: []hooks.Text{{Text: "it rains"}}}},
		"claude stop":     {hooks.Stop, `echo '{"decision":"block","reason":"test it"}'`, true, hooks.Answer{GoOn: "test it"}},
		"claude chatter":  {hooks.PreToolCall, `echo hello`, true, hooks.Answer{}},
		"claude feedback": {hooks.PostToolCall, `echo "lint failed" >&2; exit 2`, true, hooks.Answer{Context: []hooks.Text{{Text: "lint failed"}}}},
		"claude end":      {hooks.PreToolCall, `echo '{"continue":false,"stopReason":"enough"}'`, true, hooks.Answer{Refused: "enough"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, hooks.Hook{Event: c.event, Command: c.command, Claude: c.claude})
			got := run(t, k, call(c.event))
			for i := range got.Context {
				got.Context[i].From = ""
			}
			if g, w := show(got), show(c.want); g != w {
				t.Errorf("it says %s, want %s; %v", g, w, k.says())
			}
			if s := k.says(); len(s) > 0 {
				t.Errorf("the user hears %q", s)
			}
		})
	}
}

func show(a hooks.Answer) string {
	b, _ := json.Marshal(a)
	return string(b)
}

// TestAbnormal holds what becomes of hooks that do not end as they should: with
// fail_closed they refuse, without they are spoken of, once.
func TestAbnormal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ command, want string }{
		"crash":           {`exit 1`, "ended with code 1"},
		"crash, says why": {`echo '{}'; echo "no database" >&2; exit 3`, "ended with code 3: no database"},
		"signal":          {`kill -9 $$`, "ended with code 137"},
		"timeout":         {`sleep 60`, "took longer than"},
		"junk":            {`echo hello`, "no JSON object (hello)"},
		"broken JSON":     {`echo '{"decision":'`, "cannot be read as an answer"},
		"no decision":     {`echo '{"decision":"perhaps"}'`, "means nothing"},
		"wrong type":      {`echo '{"decision":5}'`, "cannot be read as an answer"},
		"modify nothing":  {`echo '{"action":"modify"}'`, "gives none"},
		"modify to text":  {`echo '{"action":"modify","args":"rm"}'`, "no JSON object"},
		"flood":           {`head -c 3000000 /dev/zero; sleep 60`, "more than 1 MB"},
		"no program":      {`/no/such/program`, "could not be started"},
		"no shell":        {`if then`, "cannot be read as one of a shell"},
	} {
		for _, closed := range []bool{true, false} {
			t.Run(name+strconv.FormatBool(closed), func(t *testing.T) {
				t.Parallel()
				h := hooks.Hook{Event: hooks.PreToolCall, Command: c.command, FailClosed: closed, Timeout: 10 * time.Second}
				if name == "timeout" {
					h.Timeout = 300 * time.Millisecond
				}
				k := newKit(t, h)
				began := time.Now()
				first, second := run(t, k, call(hooks.PreToolCall)), run(t, k, call(hooks.PreToolCall))
				if time.Since(began) > 20*time.Second {
					t.Errorf("it took %v", time.Since(began))
				}
				if refused := strings.Contains(first.Refused, c.want) && strings.Contains(second.Refused, c.want); refused != closed || !closed && first.Refused != "" {
					t.Errorf("it says %q, then %q", first.Refused, second.Refused)
				}
				if s := k.says(); len(s) != 1 || !strings.Contains(s[0], c.want) || strings.ContainsAny(s[0], "\n\x1b\x00") {
					t.Errorf("the user hears %q", s)
				}
			})
		}
	}
}

// TestConsent holds that a hook runs only as it was approved: not before, not after a change
// of its script, not when it was switched off; and that one that is to agree refuses as long.
func TestConsent(t *testing.T) {
	t.Parallel()
	h := hooks.Hook{Event: hooks.PreToolCall, Command: "sh ./check.sh", FailClosed: true}
	k := newKit(t)
	k.runner = hooks.NewRunner(hooks.RunnerOptions{
		Shelf: k.shelf, Dir: k.dir, List: func() []hooks.Hook { return []hooks.Hook{h} }, Session: func() string { return "" }, Mode: func() string { return "" },
		Say: func(text string) { k.said = append(k.said, text) },
	})
	script := k.write(t, "check.sh", "touch ran\n")
	ran := func() bool { return os.Remove(filepath.Join(k.dir, "ran")) == nil }
	expect := func(what string, state hooks.State, runs bool, refused string, says int) {
		t.Helper()
		seen := k.shelf.Look(h, k.dir)
		a := run(t, k, call(hooks.PreToolCall))
		if seen.State != state || ran() != runs || !strings.Contains(a.Refused, refused) || (refused == "") != (a.Refused == "") || len(k.said) != says {
			t.Errorf("%s: it is %s (%s), says %q, and the user hears %q", what, seen.State, seen.Why, a.Refused, k.said)
		}
	}
	expect("new", hooks.New, false, "not approved it yet", 1)
	expect("new, again", hooks.New, false, "not approved it yet", 1)
	k.approve(t, h)
	if pins := k.shelf.Look(h, k.dir).Pins; len(pins) != 1 || pins[0].Path != script {
		t.Errorf("it consists of %+v", pins)
	}
	expect("approved", hooks.Approved, true, "", 1)
	k.write(t, "check.sh", "touch ran evil\n")
	expect("changed", hooks.Changed, false, "has changed", 2)
	k.write(t, "check.sh", "touch ran\n")
	expect("as it was", hooks.Approved, true, "", 2)
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	expect("gone", hooks.Changed, false, "has changed", 2)
	k.write(t, "check.sh", "touch ran\n")
	seen := k.shelf.Look(h, k.dir)
	if err := k.shelf.Decide(t.Context(), seen, k.dir, false); err != nil {
		t.Fatal(err)
	}
	expect("off", hooks.Off, false, "", 3)
	k.write(t, "check.sh", "touch ran # other\n")
	if err := k.shelf.Decide(t.Context(), seen, k.dir, true); err == nil || !strings.Contains(err.Error(), "has changed since you looked") {
		t.Errorf("another text than was seen is approved: %v", err)
	}
	wider := h
	wider.Matcher = ".*"
	k.approve(t, h)
	if s := k.shelf.Look(wider, k.dir).State; s != hooks.Changed {
		t.Errorf("with another matcher it is %s", s)
	}
}

// TestConsentByMatcher decides on entries one by one that run the same command for other tools.
func TestConsentByMatcher(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	entry := func(matcher string) hooks.Hook {
		return hooks.Hook{Event: hooks.PreToolCall, Command: "touch ran", Matcher: matcher}
	}
	bash, edit := entry("terminal"), entry("patch")
	if bash.ID() == edit.ID() {
		t.Error("both have one id")
	}
	states := func(what string, first, second hooks.State) {
		t.Helper()
		if a, b := k.shelf.Look(bash, k.dir), k.shelf.Look(edit, k.dir); a.State != first || b.State != second {
			t.Errorf("%s: %s (%s) and %s (%s)", what, a.State, a.Why, b.State, b.Why)
		}
	}
	k.approve(t, bash)
	states("one approved", hooks.Approved, hooks.New)
	k.approve(t, edit)
	states("both approved", hooks.Approved, hooks.Approved)
	if err := k.shelf.Decide(t.Context(), k.shelf.Look(edit, k.dir), k.dir, false); err != nil {
		t.Fatal(err)
	}
	states("one switched off", hooks.Approved, hooks.Off)
	// A decision of an earlier version, which kept it without the matcher.
	clear(k.decided)
	k.decided["pre_tool_call touch ran"] = k.shelf.Look(bash, k.dir).Hash
	states("approved by an earlier version", hooks.Approved, hooks.Changed)
}

// TestPins finds the files that commands name.
func TestPins(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.write(t, "a.sh", "x")
	k.write(t, "b c.py", "x")
	k.write(t, "log", "x")
	if err := os.Chmod(filepath.Join(k.dir, "log"), 0o644); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"./a.sh": "a.sh", "python3 a.sh --flag": "a.sh", `sh "$CLAUDE_PROJECT_DIR/a.sh"`: "a.sh", `python3 'b c.py' | sh a.sh`: "a.sh,b c.py",
		"jq -r .x": "", "cat < a.sh": "a.sh", "tee -a log": "", "cat >> log": "", "sort < log": "log", "env X=1 sh -c ./a.sh": "a.sh", "tool --config=a.sh": "a.sh", "./gone.sh": "gone.sh", "echo $(sh a.sh)": "a.sh",
	} {
		var names []string
		for _, p := range k.shelf.Look(hooks.Hook{Command: command}, k.dir).Pins {
			names = append(names, filepath.Base(p.Path))
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%s consists of %q, want %q", command, got, want)
		}
	}
}

// TestTold holds what hooks read, and that no secret of the environment reaches them.
func TestTold(t *testing.T) {
	t.Parallel()
	k := newKit(t,
		hooks.Hook{Event: hooks.PreToolCall, Command: "cat > own; env > env"},
		hooks.Hook{Event: hooks.PreToolCall, Command: "cat > claude", Claude: true, Matcher: "Bash|Edit"},
		hooks.Hook{Event: hooks.PreToolCall, Command: "touch never", Matcher: "term"},
	)
	run(t, k, call(hooks.PreToolCall))
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(k.dir, name))
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	for file, want := range map[string][]string{
		"own":    {`"hook_event_name":"pre_tool_call"`, `"tool_name":"terminal"`, `"tool_input":{"command":"ls"}`, `"session_id":"s1"`, `"cwd":"` + k.dir, `"turn_id":"t1"`, `"profile"`},
		"claude": {`"hook_event_name":"PreToolUse"`, `"tool_name":"Bash"`, `"tool_use_id":"c1"`, `"permission_mode":"default"`},
		"env":    {"HERMES_SESSION_ID=s1", "HERMES_HOOK_EVENT=pre_tool_call", "CLAUDE_PROJECT_DIR=" + k.dir, "PATH="},
	} {
		for _, w := range want {
			if !strings.Contains(read(file), w) {
				t.Errorf("%s lacks %s:\n%s", file, w, read(file))
			}
		}
	}
	if strings.Contains(read("env"), "hunter2") {
		t.Error("a secret of the environment reached it")
	}
	if _, err := os.Stat(filepath.Join(k.dir, "never")); err == nil {
		t.Error("a matcher is for whole names")
	}
}

// TestNames gives arguments the names that Claude Code has for them, and back.
func TestNames(t *testing.T) {
	t.Parallel()
	k := newKit(t, hooks.Hook{Event: hooks.PreToolCall, Claude: true, Matcher: "Write",
		Command: `case $(cat) in *'"file_path":"/'*/a'"'*) echo '{"hookSpecificOutput":{"updatedInput":{"file_path":"b","content":"x"}}}';; esac`})
	in := hooks.Input{Event: hooks.PreToolCall, Tool: "write_file", Args: json.RawMessage(`{"path":"a","content":"x"}`)}
	if a := run(t, k, in); string(a.Args) != `{"content":"x","path":"b"}` {
		t.Errorf("it says %s, and %v", show(a), k.says())
	}
}

// TestSeveral has each hook get what the one before it left, and none run behind a refusal.
func TestSeveral(t *testing.T) {
	t.Parallel()
	k := newKit(t,
		hooks.Hook{Event: hooks.PreToolCall, Command: `echo '{"action":"modify","args":{"command":"pwd"}}'`},
		hooks.Hook{Event: hooks.PreToolCall, Command: `case $(cat) in *pwd*) echo '{"decision":"block","reason":"saw it"}';; esac`},
		hooks.Hook{Event: hooks.PreToolCall, Command: `touch late`},
	)
	if a := run(t, k, call(hooks.PreToolCall)); a.Refused != "saw it" {
		t.Errorf("they say %s", show(a))
	}
	if _, err := os.Stat(filepath.Join(k.dir, "late")); err == nil {
		t.Error("a hook ran behind a refusal")
	}
}

// TestNoOrphans ends what a hook has started: with its context, at its limit, and what it
// leaves behind.
func TestNoOrphans(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"interrupt": `sleep 1000 & echo $! > pid; wait`, "left behind": `sleep 1000 & echo $! > pid`, "late": `(sleep 1000 & echo $! > pid; wait)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hooks.Hook{Event: hooks.PreToolCall, Command: command, Timeout: time.Minute}
			if name == "late" {
				h.Timeout = 500 * time.Millisecond
			}
			k := newKit(t, h)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := k.runner.Run(ctx, call(hooks.PreToolCall))
				done <- err
			}()
			var pid int
			for began := time.Now(); pid == 0 && time.Since(began) < 10*time.Second; time.Sleep(5 * time.Millisecond) {
				b, _ := os.ReadFile(filepath.Join(k.dir, "pid"))
				pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
			}
			if pid == 0 {
				t.Fatal("it did not start")
			}
			if name == "interrupt" {
				cancel()
			}
			select {
			case err := <-done:
				if (err != nil) != (name == "interrupt") {
					t.Errorf("it ends with %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it goes on")
			}
			for began := time.Now(); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
				if time.Since(began) > 5*time.Second {
					t.Fatalf("process %d lives", pid)
				}
			}
		})
	}
}

// TestTell runs hooks in the order in which they were told, without waiting for them, and
// ends them with the runner.
func TestTell(t *testing.T) {
	t.Parallel()
	k := newKit(t, hooks.Hook{Event: hooks.SessionEnd, Command: `cat >> log`}, hooks.Hook{Event: hooks.Notification, Command: `sleep 1000`})
	for i := range 5 {
		k.runner.Tell(hooks.Input{Event: hooks.SessionEnd, More: map[string]any{"n": i}})
	}
	k.runner.Tell(hooks.Input{Event: hooks.Notification})
	k.runner.Tell(hooks.Input{Event: hooks.SessionStart})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	k.runner.Close(ctx)
	k.runner.Tell(hooks.Input{Event: hooks.SessionEnd})
	b, err := os.ReadFile(filepath.Join(k.dir, "log"))
	at := -1
	for i := range 5 {
		next := strings.Index(string(b), `"n":`+strconv.Itoa(i))
		if next <= at {
			t.Errorf("out of order, or missing: %s, %v", b, err)
		}
		at = next
	}
}

// TestClaudeFile reads hooks as Claude Code has them.
func TestClaudeFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, ".claude", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("settings.json", `{"permissions":{},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"./a.sh","timeout":5},{"type":"prompt","command":""}]}],
		"PostToolUseFailure":[{"hooks":[{"type":"command","command":"d"}]}],"PostToolUse":[{"hooks":[{"type":"command","command":"d"}]}],
		"SessionEnd":[{"hooks":[{"type":"command","command":"b","async":true}]}],"SubagentStart":[{"matcher":"leaf","hooks":[{"type":"command","command":"c"}]}],"Elsewhere":[{"hooks":[]}]}}`)
	write("settings.local.json", `{"hooks": [`)
	list, problems := hooks.OfFolder(dir)
	if len(list) != 6 || list[0].Event != hooks.PreToolCall || list[0].Timeout != 5*time.Second || list[0].Matcher != "Bash" || list[1].Problem == "" ||
		list[2].Event != hooks.PostToolCall || list[2].Failed || list[3].Event != hooks.PostToolCall || !list[3].Failed || list[2].ID() == list[3].ID() ||
		list[4].Event != hooks.SessionFinalize || !list[4].Background || !list[4].Claude || list[4].Root != dir || list[5].Event != hooks.SubagentStart {
		t.Errorf("read %+v", list)
	}
	if got := strings.Join(problems, "\n"); len(problems) != 2 || !strings.Contains(got, `"Elsewhere"`) || !strings.Contains(got, "settings.local.json: cannot be read") {
		t.Errorf("problems: %q", problems)
	}
	write("settings.local.json", `{"disableAllHooks": true}`)
	if list, _ := hooks.OfFolder(dir); len(list) != 0 {
		t.Errorf("switched off there are %+v", list)
	}
}

// TestClaudeOutcomes runs hooks of Claude Code after the calls that they are for.
func TestClaudeOutcomes(t *testing.T) {
	t.Parallel()
	after := func(name string, claude, failed bool) hooks.Hook {
		return hooks.Hook{Event: hooks.PostToolCall, Command: `echo '{"additionalContext":"` + name + `"}'`, Claude: claude, Failed: failed}
	}
	k := newKit(t, after("own", false, false), after("use", true, false), after("failure", true, true))
	for status, want := range map[string]string{"ok": "own use", "error": "own failure", "cancelled": "own failure", "blocked": "own"} {
		in := call(hooks.PostToolCall)
		in.More["status"] = status
		var ran []string
		for _, x := range run(t, k, in).Context {
			ran = append(ran, x.Text)
		}
		if got := strings.Join(ran, " "); got != want {
			t.Errorf("after one that was %s there ran %s, want %s", status, got, want)
		}
	}
}

// TestSample tries a hook of each event, and one of Claude Code of each that it has as well.
func TestSample(t *testing.T) {
	t.Parallel()
	for _, e := range hooks.Events() {
		if named, ok := hooks.Named(e.String()); !ok || named != e || e.About() == "" {
			t.Errorf("%v: %v", e, named)
		}
		h := hooks.Hook{Event: e, Command: "cat >&2"}
		k := newKit(t, h)
		told, r, err := k.shelf.Test(t.Context(), h, k.dir)
		if err != nil || r.Outcome != "ok" || !strings.Contains(r.Said, `"hook_event_name":"`+e.String()) || !strings.Contains(told, "cwd") {
			t.Errorf("%v: %+v, %v", e, r, err)
		}
	}
	failed := hooks.Event(len(hooks.Events()))
	for e, fields := range map[hooks.Event]string{
		hooks.PreToolCall: "PreToolUse tool_name tool_input tool_use_id", failed: "PostToolUseFailure tool_name tool_input tool_use_id error is_interrupt", hooks.PostToolCall: "PostToolUse tool_name tool_input tool_use_id tool_response", hooks.UserPromptSubmit: "UserPromptSubmit prompt",
		hooks.Stop: "Stop stop_hook_active last_assistant_message", hooks.SessionStart: "SessionStart source", hooks.SessionFinalize: "SessionEnd reason", hooks.PreCompress: "PreCompact trigger custom_instructions",
		hooks.Notification: "Notification message notification_type", hooks.SubagentStart: "SubagentStart agent_type", hooks.SubagentStop: "SubagentStop agent_type agent_status",
	} {
		h := hooks.Hook{Event: e, Command: "cat >&2", Claude: true}
		if e == failed {
			h.Event, h.Failed = hooks.PostToolCall, true
		}
		k := newKit(t, h)
		_, r, err := k.shelf.Test(t.Context(), h, k.dir)
		for i, name := range strings.Fields(fields + " session_id cwd permission_mode transcript_path") {
			if want := `"` + name + `"`; i == 0 && !strings.Contains(r.Said, `"hook_event_name":`+want) || !strings.Contains(r.Said, want) {
				t.Errorf("%v: lacks %s: %+v, %v", e, name, r, err)
			}
		}
	}
	k := newKit(t)
	if _, _, err := k.shelf.Test(t.Context(), hooks.Hook{Command: "touch x"}, k.dir); err == nil || !strings.Contains(err.Error(), "not approved") {
		t.Errorf("one that is not approved is tried: %v", err)
	}
}

// TestNoHooksCostNothing holds that asking for hooks where there are none allocates nothing.
func TestNoHooksCostNothing(t *testing.T) {
	k := newKit(t)
	if n := testing.AllocsPerRun(100, func() { _ = k.runner.Listens(hooks.PreToolCall) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestGuardsOfFiles has a guard of paths refuse a patch for one file of it, and a hook in the
// background tell the model later.
func TestGuardsOfFiles(t *testing.T) {
	t.Parallel()
	guard := hooks.Hook{Event: hooks.PreToolCall, Claude: true, Matcher: "Edit", Command: `read line; case "$line" in *'"file_path":"'"$CLAUDE_PROJECT_DIR"/generated/*) echo generated >&2; exit 2;; esac`}
	late := hooks.Hook{Event: hooks.PostToolCall, Claude: true, Command: "echo look again >&2; exit 2", Background: true, Rewake: true}
	k := newKit(t, guard, late)
	for patch, refused := range map[string]bool{`*** Update File: a\n-x\n+y\n*** Update File: generated/b\n-x\n+y`: true, `*** Update File: a\n-x\n+y`: false} {
		in := call(hooks.PreToolCall)
		in.Tool, in.Args = "patch", json.RawMessage(`{"mode":"patch","patch":"*** Begin Patch\n`+patch+`\n*** End Patch"}`)
		if a := run(t, k, in); (a.Refused != "") != refused {
			t.Errorf("%s: %+v", patch, a)
		}
	}
	in := call(hooks.PreToolCall)
	in.Tool, in.Args = "patch", json.RawMessage(`{"path":"generated/b","old_string":"a","new_string":"b"}`)
	if a := run(t, k, in); a.Refused == "" {
		t.Error("a relative path is let through")
	}
	run(t, k, call(hooks.PostToolCall))
	for len(k.says()) == 0 {
		runtime.Gosched()
	}
	if a := run(t, k, call(hooks.PostToolCall)); len(a.Context) == 0 || a.Context[0].Text != "look again" {
		t.Errorf("the model is told %+v", a.Context)
	}
}

// TestClosedForNothing says once that a hook cannot refuse where it is to.
func TestClosedForNothing(t *testing.T) {
	t.Parallel()
	k := newKit(t, hooks.Hook{Event: hooks.PostToolCall, Command: "true", FailClosed: true}, hooks.Hook{Event: hooks.PreToolCall, Command: "true", FailClosed: true})
	k.runner.Reload()
	k.runner.Reload()
	if said := k.says(); len(said) != 1 || !strings.Contains(said[0], "fail_closed has no effect for the post_tool_call hook") {
		t.Errorf("it says %q", said)
	}
}
