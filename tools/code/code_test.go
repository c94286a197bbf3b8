package code

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// bench is an agent that runs scripts in a folder.
type bench struct {
	testing.TB
	*Code
	at   place.Place
	gate *approval.Gate
	host *host
	root string
	mode approval.Mode
}

// host carries calls out on real files, and asks no one.
type host struct {
	tools.Host
	root string
	// before is called with each call; its result, unless empty, is the answer.
	before func(ctx context.Context, c tools.Call) string

	mu    sync.Mutex
	calls []tools.Call
}

func (h *host) Invoke(ctx context.Context, c tools.Call) tools.Result {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	if h.before != nil {
		if content := h.before(ctx, c); content != "" {
			return tools.Result{Content: content}
		}
	}
	var a struct{ Path, Content, Pattern string }
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return tools.Failure(tools.View{}, err.Error())
	}
	file := filepath.Join(h.root, a.Path)
	switch c.Name {
	case "read_file":
		data, err := os.ReadFile(file)
		if err != nil {
			return tools.Failure(tools.View{}, err.Error())
		}
		return tools.Result{Content: tools.JSON(map[string]any{"content": string(data), "total_lines": strings.Count(string(data), "\n")})}
	case "write_file":
		if err := os.WriteFile(file, []byte(a.Content), 0o600); err != nil {
			return tools.Failure(tools.View{}, err.Error())
		}
		return tools.Result{Content: tools.JSON(map[string]any{"bytes_written": len(a.Content)})}
	case "search_files":
		names, err := filepath.Glob(filepath.Join(h.root, a.Pattern))
		if err != nil {
			return tools.Failure(tools.View{}, err.Error())
		}
		return tools.Result{Content: tools.JSON(map[string]any{"files": names})}
	}
	return tools.Result{Content: "plain text of " + c.Name}
}

func (h *host) Ask(context.Context, tools.Question) (tools.Answer, error) {
	return tools.Answer{Choice: tools.ChoiceOnce}, nil
}

func (h *host) made() []tools.Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls
}

// fixtures are tools with the schemas of real ones.
func fixtures() []tools.Tool {
	tool := func(name, schema string, class tools.Class) tools.Tool {
		use := &tools.Scripts{}
		switch name {
		case "clarify":
			use = nil
		case "terminal":
			use.Without = []string{"background", "pty", "notify_on_complete", "watch_patterns"}
		}
		return tools.Tool{Name: name, Toolset: "x", Scripts: use, Description: "Does " + name + " with \"quotes\" and \\.", Class: class, Parameters: json.RawMessage(schema)}
	}
	return []tools.Tool{
		tool("clarify", `{"type":"object","properties":{"question":{"type":"string"}}}`, tools.Interactive),
		tool("read_file", `{"type":"object","properties":{"limit":{"type":"integer","default":500},"path":{"type":"string","description":"which one"},"offset":{"type":"integer","default":1}},"required":["path"]}`, tools.ReadsPath),
		tool("write_file", `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`, tools.PathScoped),
		tool("search_files", `{"type":"object","properties":{"pattern":{"type":"string"},"target":{"type":"string","default":"content"},"deep":{"type":"boolean","default":true},"kinds":{"type":"array","default":[]}},"required":["pattern"]}`, tools.ReadsTree),
		tool("terminal", `{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer"},"workdir":{"type":"string"},"background":{"type":"boolean","default":false},"pty":{"type":"boolean"},"notify_on_complete":{"type":"boolean"},"watch_patterns":{"type":"array"}},"required":["command"]}`, tools.Exclusive),
	}
}

// tempVariable names the folder for the temporary files of a program that is to be
// killed.
const tempVariable = "CODE_TEST_TEMP"

// newBench makes an agent in a new folder. Without Python the test is skipped.
func newBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: there is no python3, so nothing of execute_code is tested")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	under := os.Getenv(tempVariable)
	if under == "" {
		under = "/tmp" // short enough for a socket
	}
	temp, err := os.MkdirTemp(under, "code")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	at, err := place.NewLocal(place.Options{Env: os.Environ(), Temp: temp})
	if err != nil {
		t.Fatal(err)
	}
	return benchAt(t, at, os.Environ(), root, change)
}

// benchAt makes an agent in a place that sees the files of this machine.
func benchAt(t testing.TB, at place.Place, env []string, root string, change []func(*Options)) *bench {
	t.Helper()
	b := &bench{TB: t, at: at, root: root, host: &host{root: root}, mode: approval.ModeOff}
	o := Options{Place: at, Env: env, Root: root, Tools: fixtures}
	for _, f := range change {
		f(&o)
	}
	b.Code = New(o)
	b.gate = approval.New(approval.Options{Place: at, Home: root, HermesHome: root, Workspace: root})
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// sink collects live output.
type sink struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// reply is what came of a script.
type reply struct {
	tools.Result
	result
}

// script runs a script all the way: action, gate, permit, run.
func (b *bench) script(code string) reply {
	b.Helper()
	return b.scriptIn(b.Context(), code, nil)
}

func (b *bench) scriptIn(ctx context.Context, code string, out tools.Sink) reply {
	b.Helper()
	call, err := b.permitted(code)
	if err != nil {
		b.Fatal(err)
	}
	r, err := b.Tool().Run(ctx, call, b.host, out)
	if err != nil {
		b.Fatal(err)
	}
	reply := reply{Result: r}
	if err := json.Unmarshal([]byte(r.Content), &reply.result); err != nil {
		b.Fatalf("result %q: %v", r.Content, err)
	}
	return reply
}

// permitted is a call with its permit.
func (b *bench) permitted(code string) (tools.Call, error) {
	b.Helper()
	args := json.RawMessage(tools.JSON(map[string]string{"code": code}))
	a, err := b.Tool().Action(args)
	if err != nil {
		return tools.Call{}, err
	}
	permit, err := b.gate.Decide(b.Context(), approval.Request{Tool: "execute_code", Action: a, Mode: b.mode, Host: b.host})
	return tools.Call{ID: "c1", Name: "execute_code", Args: args, Permit: permit}, err
}

func (r reply) want(t testing.TB, status, output string) {
	t.Helper()
	if r.result.Status != status || strings.TrimSpace(r.Output) != output {
		t.Errorf("got %s, want %s with %q", r.Content, status, output)
	}
}

func TestScriptCallsTools(t *testing.T) { everyWay(t, testScriptCallsTools) }

func testScriptCallsTools(t *testing.T, newBench maker) {
	b := newBench(t)
	out := &sink{}
	r := b.scriptIn(t.Context(), `
from hermes_tools import read_file, write_file, search_files, terminal, json_parse, shell_quote, retry
import hermes_tools
total = 0
for i in range(3):
    write_file(f"f{i}.txt", "ä\n" * i)
    total += read_file(path=f"f{i}.txt", limit=10)["total_lines"]
print("lines", total, len(search_files("f*.txt")["files"]))
print(read_file("missing")["error"][:4], terminal("x"))
print(json_parse('{"a": "b\nc"}')["a"].split(), shell_quote("it's"))
tries = []
def flaky():
    tries.append(1)
    if len(tries) < 3: raise ValueError
    return "done"
print(retry(flaky, delay=0), len(tries), __name__)
print(read_file.__doc__.replace("\n", "|"))
print(hasattr(hermes_tools, "clarify"), hasattr(hermes_tools, "patch"))
`, out)
	r.want(t, "success", "lines 3 3\nopen plain text of terminal\n['b', 'c'] 'it'\"'\"'s'\ndone 3 __main__\n"+
		"Does read_file with \"quotes\" and \\.|path: which one\nFalse False")
	if r.Calls != 9 || r.Refused != 0 || r.Status() != tools.StatusOK || r.View.Summary != "9 calls" {
		t.Errorf("got %s, view %+v", r.Content, r.View)
	}
	if args := string(b.host.made()[1].Args); args != `{"path": "f0.txt", "limit": 10, "offset": 1}` {
		t.Errorf("arguments %s", args)
	}
	if !strings.HasPrefix(out.String(), "lines 3 3\n") {
		t.Errorf("live output %q", out.String())
	}
	if r.View.Kind != tools.KindCode || r.View.Lang != "python" || r.View.Subject != "total = 0" || !strings.Contains(r.View.Body, "\n#> lines 3 3\n#> open") {
		t.Errorf("view %+v", r.View)
	}
}

// Status is that of the call, which the embedded results both have.
func (r reply) Status() tools.Status { return r.Result.Status }

func TestFailures(t *testing.T) { everyWay(t, testFailures) }

func testFailures(t *testing.T, newBench maker) {
	b := newBench(t)
	for _, c := range []struct{ code, words string }{
		{"print('before')\n1/0\n", "before\n--- stderr ---\nTraceback (most recent call last):\n  File \"script.py\", line 2, in <module>\n    1/0\n"},
		{"def f(:\n", "--- stderr ---\n  File \"script.py\", line 1\n"},
		{"import sys\nprint('x')\nsys.exit('no luck')", "x\n--- stderr ---\nno luck"},
		{"import os\nos._exit(3)", ""},
		{"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", ""},
		{"raise SystemExit(7)", ""},
	} {
		r := b.script(c.code)
		if r.result.Status != "error" || r.Status() != tools.StatusFailed || !strings.HasPrefix(r.Output, c.words) || r.Error == "" || r.View.Exit == nil {
			t.Errorf("%q: got %s", c.code, r.Content)
		}
		if strings.Contains(r.Output, "<string>") {
			t.Errorf("%q shows the start-up program: %s", c.code, r.Output)
		}
	}
	if r := b.script("raise SystemExit(7)"); *r.View.Exit != 7 || !strings.Contains(r.Error, "exit code 7") {
		t.Errorf("got %s", r.Content)
	}
	if r := b.script("import sys; sys.stderr.write('warning'); print('fine')"); r.Output != "fine" {
		t.Errorf("got %s", r.Content)
	}
	b.script("import sys; print(repr(sys.stdin.read()), sys.argv)").want(t, "success", "'' ['script.py']")
	b.script("import sys; sys.exit(0)").want(t, "success", "")
}

func TestRefusedBeforeItRuns(t *testing.T) { everyWay(t, testRefusedBeforeItRuns) }

func testRefusedBeforeItRuns(t *testing.T, newBench maker) {
	b := newBench(t)
	for code, words := range map[string]string{
		"": "No code provided.", " \n": "No code provided.", "a\x00b": "NUL", strings.Repeat("#", MaxScript+1): "100000",
	} {
		if _, err := b.permitted(code); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%.20q: %v", code, err)
		}
	}
	call, err := b.permitted("print(1)")
	if err != nil {
		t.Fatal(err)
	}
	without := call
	without.Permit = nil
	for what, c := range map[string]tools.Call{"no permit": without, "void permit": {Args: call.Args, Permit: approval.Permit{}}} {
		if r, err := b.Tool().Run(t.Context(), c, b.host, nil); err != nil || r.Status != tools.StatusFailed || !strings.Contains(r.Content, "not run") {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
	for i, want := range []tools.Status{tools.StatusOK, tools.StatusFailed} {
		if r, err := b.Tool().Run(t.Context(), call, b.host, nil); err != nil || r.Status != want {
			t.Errorf("use %d of the permit: %+v, %v", i+1, r, err)
		}
	}
}

// TestRunsWhatWasPermitted changes the arguments after the permit was given: the
// permit decides.
func TestRunsWhatWasPermitted(t *testing.T) {
	b := newBench(t)
	call, err := b.permitted("print('permitted')")
	if err != nil {
		t.Fatal(err)
	}
	call.Args = json.RawMessage(`{"code":"print('swapped')"}`)
	r, err := b.Tool().Run(t.Context(), call, b.host, nil)
	if err != nil || !strings.Contains(r.Content, `"output":"permitted"`) || !strings.HasPrefix(r.View.Body, "print('permitted')") {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestLongOutputIsCutInTheMiddle(t *testing.T) { everyWay(t, testLongOutputIsCutInTheMiddle) }

func testLongOutputIsCutInTheMiddle(t *testing.T, newBench maker) {
	b := newBench(t)
	r := b.script("print('A' * 30000 + 'ä' * 100000 + 'Z' * 29000)\nimport sys\nsys.stderr.write('e' * 20000)\nsys.exit(2)")
	out, errs, ok := strings.Cut(r.Output, "\n--- stderr ---\n")
	if !ok || !strings.HasPrefix(out, strings.Repeat("A", 20_000)+"\n\n[… 209002 of 259001 bytes left out …]\n\nää") ||
		!strings.HasSuffix(out, strings.Repeat("Z", 29_000)) || len(out) > maxOutput+100 {
		t.Errorf("output of %d bytes: %.60q … %.200q", len(out), out, out[19_990:])
	}
	if !strings.HasPrefix(errs, strings.Repeat("e", maxErrors)) || !strings.Contains(errs, "10000 of 20000 bytes left out") {
		t.Errorf("errors %.40q", errs)
	}
}

func TestTimeout(t *testing.T) { everyWay(t, testTimeout) }

func testTimeout(t *testing.T, newBench maker) {
	b := newBench(t, func(o *Options) { o.Timeout = 1500 * time.Millisecond })
	r := b.script("print('begun', flush=True)\nimport time\ntime.sleep(1000)")
	// A machine under load may take that long to start Python.
	if out := strings.TrimSpace(r.Output); r.result.Status != "timeout" || r.Status() != tools.StatusFailed || out != "begun" && out != "" {
		t.Errorf("got %s", r.Content)
	}
	if !strings.Contains(r.Error, "after 1.5 seconds") || r.View.Summary != "timed out after 1.5 s" {
		t.Errorf("got %s, %s", r.Error, r.View.Summary)
	}
}

// TestCallsDoNotCountAsTime has a call that takes longer than the script may.
func TestCallsDoNotCountAsTime(t *testing.T) { everyWay(t, testCallsDoNotCountAsTime) }

func testCallsDoNotCountAsTime(t *testing.T, newBench maker) {
	b := newBench(t, func(o *Options) { o.Timeout = 4 * time.Second })
	b.host.before = func(ctx context.Context, _ tools.Call) string {
		wait := time.NewTimer(4200 * time.Millisecond)
		defer wait.Stop()
		select {
		case <-wait.C:
			return `{"ok":true}`
		case <-ctx.Done():
			return `{"ok":false}`
		}
	}
	r := b.script("from hermes_tools import read_file\nprint(read_file('x')['ok'])")
	r.want(t, "success", "True")
	if r.Seconds < 4.2 {
		t.Errorf("took %v s", r.Seconds)
	}
}

func TestInterrupt(t *testing.T) { everyWay(t, testInterrupt) }

func testInterrupt(t *testing.T, newBench maker) {
	b := newBench(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancelled := make(chan struct{})
	b.host.before = func(nested context.Context, _ tools.Call) string {
		cancel(errors.New("the user pressed escape"))
		<-nested.Done()
		close(cancelled)
		return "{}"
	}
	start := time.Now()
	r := b.scriptIn(ctx, `
import subprocess, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
from hermes_tools import terminal
print("so far", flush=True)
subprocess.Popen(["sleep", "100"])
terminal("make")
`, nil)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	<-cancelled
	if r.result.Status != "interrupted" || r.Status() != tools.StatusCancelled || r.Output != "so far" || !strings.Contains(r.Error, "pressed escape") || r.Calls != 1 {
		t.Errorf("got %s", r.Content)
	}
}

func TestModes(t *testing.T) { everyWay(t, testModes) }

func testModes(t *testing.T, newBench maker) {
	b := newBench(t)
	for name, text := range map[string]string{"mine.py": "x = 'of the project'", "json.py": "raise SystemExit('shadowed')", "socket.py": "raise SystemExit('shadowed')"} {
		if err := os.WriteFile(filepath.Join(b.root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.script("import os, mine\nprint(os.getcwd(), mine.x)").want(t, "success", b.root+" of the project")

	strict := newBench(t, func(o *Options) { o.Mode = ModeStrict; o.Root = b.root; o.Dir = func() string { return b.root } })
	r := strict.script(`
import os, sys, hermes_tools
try:
    import mine
except ImportError:
    print("not there", sys.flags.isolated, os.getcwd(), oct(os.stat(".").st_mode & 0o777))
`)
	dir, err := strict.dir()
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "success", "not there 1 "+dir+" 0o700")
}
