//go:build unix

package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

func TestMain(m *testing.M) {
	if handled, code := place.SandboxMain(os.Args); handled {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

// bench is a shell with a real place and a real gate that asks nothing.
type bench struct {
	*Shell
	t     testing.TB
	place *place.Local
	gate  *approval.Gate
	mode  approval.Mode
	host  tools.Host
	tool  tools.Tool
	dir   string
	home  string
}

func newBench(t testing.TB, change func(*Options)) *bench {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: filepath.Join(base, "app"), home: filepath.Join(base, "home")}
	for _, d := range []string{b.dir, b.home, filepath.Join(base, "tmp")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"HOME=" + b.home, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	b.place, err = place.NewLocal(place.Options{Env: env, Temp: filepath.Join(base, "tmp")})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Place: b.place, Dir: b.dir, Env: env, NoInit: true}
	if change != nil {
		change(&o)
	}
	b.Shell = New(o)
	b.tool = b.Shell.Tool()
	b.mode = approval.ModeOff
	b.gate = approval.New(approval.Options{Place: o.Place, Home: b.home, Workspace: b.dir})
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// answer is the result as the model gets it.
type answer struct {
	Output  string  `json:"output"`
	Code    int     `json:"exit_code"`
	Error   *string `json:"error"`
	Meaning string  `json:"exit_code_meaning"`
	tools.Result
}

// call makes a whole call: action, gate, run.
func (b *bench) call(ctx context.Context, args map[string]any, out io.Writer) answer {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	action, err := b.tool.Action(raw)
	if err != nil {
		b.t.Fatalf("%s: %v", raw, err)
	}
	permit, err := b.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Action: action, Mode: b.mode, Host: b.host})
	if err != nil {
		b.t.Fatalf("%s: %v", raw, err)
	}
	if out == nil {
		out = io.Discard
	}
	res, err := b.tool.Run(ctx, tools.Call{ID: "1", Name: "terminal", Args: raw, Permit: permit}, b.host, out)
	if err != nil {
		b.t.Fatalf("%s: %v", raw, err)
	}
	a := answer{Result: res}
	if err := json.Unmarshal([]byte(res.Content), &a); err != nil {
		b.t.Fatalf("%s: %v", res.Content, err)
	}
	return a
}

func (b *bench) run(command string) answer {
	b.t.Helper()
	return b.call(context.Background(), map[string]any{"command": command}, nil)
}

// want runs a command and compares output and code.
func (b *bench) want(command, output string, code int) {
	b.t.Helper()
	if a := b.run(command); a.Output != output || a.Code != code {
		b.t.Errorf("%q: %q, exit %d; want %q, exit %d", command, a.Output, a.Code, output, code)
	}
}

func TestCommands(t *testing.T) {
	b := newBench(t, nil)
	b.want("echo out; echo err >&2", "out\nerr", 0)
	b.want("exit 3", "", 3)
	b.want("false", "", 1)
	b.want("cat", "", 0) // no input
	b.want(`echo "it's" 'a "b"' $((1+2)) "$(echo sub)"`, `it's a "b" 3 sub`, 0)
	b.want("cat <<'EOF'\n  indented $x 'q'\nEOF", "  indented $x 'q'", 0)
	b.want("echo a # a comment", "a", 0)
	b.want(`echo "$#:$*:$0"`, "0::"+filepath.Base(b.place.Info().Shell), 0)
	b.want("printf 'no newline'", "no newline", 0)
	b.want("printf '\\n\\n  x\\n\\n'", "  x", 0)
	b.want("tty", "not a tty", 1)
	b.want("f() { echo f; }; f", "f", 0)
	b.want("printf '\\033[31mred\\033[0m\\033]0;title\\007 \\302\\2332J end'", "red  end", 0)
	b.want("printf 'a\\377b'", "a\ufffdb", 0)
	if a := b.run("no_such_program_x"); a.Code != 127 || a.Meaning != "command not found" || !strings.Contains(a.Output, "line 1: no_such_program_x") {
		t.Errorf("%+v", a)
	}
	if a := b.run("echo 'x"); a.Code == 0 || a.Output == "" {
		t.Errorf("a syntax error: %+v", a)
	}
}

func TestStateLasts(t *testing.T) {
	b := newBench(t, nil)
	b.want("mkdir -p 'sub dir' && cd 'sub dir'; export A='x\ny' B=\"it's\"; C=plain; set -euf; IFS=,; set -x", "", 0)
	b.want(`pwd; echo "$A-$B-${C-unset}-$-"; false; echo on`, filepath.Join(b.dir, "sub dir")+"\nx\ny-it's-unset-hBc\non", 0)
	if got := b.Dir(); got != filepath.Join(b.dir, "sub dir") {
		t.Errorf("dir = %q", got)
	}
	b.want("cd .. ; export A=2; exit 5", "", 5) // also when it ends by exit
	b.want(`echo "$A $PWD $OLDPWD"`, "2 "+b.dir+" "+filepath.Join(b.dir, "sub dir"), 0)
	b.want("unset A; (cd /; export B=sub)", "", 0)
	b.want(`echo "${A-gone} $B $PWD"`, "gone it's "+b.dir, 0)
	b.want("set -a; D=1; cd() { echo mine; }; printf() { :; }; export -f cd", "", 0)
	b.want(`echo "$D"; type -t cd`, "1\nbuiltin", 0)
	b.want("set -u; set -e; cd sub*; false; echo never", "", 1)
	b.want("pwd", filepath.Join(b.dir, "sub dir"), 0)
	b.want("exec true", "", 0) // replaces the shell: nothing changes
	b.want("cd /; trap 'echo mine' EXIT", "mine", 0)
	b.want("pwd", filepath.Join(b.dir, "sub dir"), 0)
}

func TestWorkdir(t *testing.T) {
	b := newBench(t, nil)
	for _, d := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(b.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a := b.call(context.Background(), map[string]any{"command": "pwd; cd ..; export X=1", "workdir": "one"}, nil)
	if a.Output != filepath.Join(b.dir, "one") || a.View.Dir != filepath.Join(b.dir, "one") {
		t.Errorf("%+v", a)
	}
	b.want("pwd; echo $X", b.dir+"\n1", 0)
	if a := b.call(context.Background(), map[string]any{"command": "pwd", "workdir": "~"}, nil); a.Output != b.home {
		t.Errorf("home: %+v", a)
	}
	for _, dir := range []string{"missing", "/no/such", "one/../nothing", "a\x00b"} {
		raw, _ := json.Marshal(map[string]any{"command": "pwd", "workdir": dir})
		if _, err := b.tool.Action(raw); err == nil {
			t.Errorf("workdir %q was accepted", dir)
		}
	}
}

func TestDeletedDirectory(t *testing.T) {
	b := newBench(t, nil)
	b.want("mkdir -p a/b/c && cd a/b/c", "", 0)
	if err := os.RemoveAll(filepath.Join(b.dir, "a", "b")); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("[%s is gone; this ran in %s]\n%s", filepath.Join(b.dir, "a/b/c"), filepath.Join(b.dir, "a"), filepath.Join(b.dir, "a"))
	b.want("pwd", want, 0)
	b.want("pwd", filepath.Join(b.dir, "a"), 0)
}

func TestRefusedArguments(t *testing.T) {
	b := newBench(t, nil)
	for _, args := range []string{
		`{}`, `{"command":""}`, `{"command":" \n"}`, `{"command":"a\u0000b"}`, `{"command":"ls","timeout":601}`,
		`{"command":"ls","timeout":-1}`, `{"command":5}`, `nonsense`,
		`{"command":"nohup ./x","background":true}`, `{"command":"./x &"}`, `{"command":"npm run dev"}`,
	} {
		if a, err := b.tool.Action(json.RawMessage(args)); err == nil {
			t.Errorf("%s: %+v", args, a)
		}
		_ = b.tool.Preview(json.RawMessage(args)) // must bear anything
	}
	if v := b.tool.Preview(json.RawMessage(`{"command":"go test"}`)); v.Kind != tools.KindCommand || v.Subject != "go test" || v.Dir != b.dir {
		t.Errorf("preview %+v", v)
	}
	if !json.Valid(b.tool.Parameters) {
		t.Errorf("schema %s", b.tool.Parameters)
	}
}

func TestTimeout(t *testing.T) {
	b := newBench(t, nil)
	began := time.Now()
	a := b.call(context.Background(), map[string]any{"command": "echo begun; cd /; sleep 600", "timeout": 1}, nil)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
	if a.Code != ExitTimeout || a.Output != "begun\n[Command timed out after 1s]" || a.Status != tools.StatusFailed || a.View.Summary != "timed out after 1 s" {
		t.Errorf("%+v", a)
	}
	b.want("pwd", b.dir, 0) // what was cut off changes nothing
}

// An interrupt ends whatever it is within a second.
func TestInterrupt(t *testing.T) {
	commands := map[string]string{
		"sleep":       "echo ready; sleep 600",
		"trap":        "trap '' TERM; echo ready; while :; do sleep 0.1; done",
		"flood":       "yes ready",
		"own session": "setsid sh -c 'echo ready; exec sleep 600'",
		"pipe":        "(echo ready; sleep 600) | cat",
		"subshell":    "x=$(echo ready >&2; sleep 600)",
	}
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("setsid"); err != nil && name == "own session" {
				t.Skip("SKIPPED: there is no setsid on this machine")
			}
			b := newBench(t, nil)
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			var began time.Time
			var once sync.Once
			out := writerFunc(func(p []byte) {
				if bytes.Contains(p, []byte("ready")) {
					once.Do(func() {
						began = time.Now()
						cancel(errors.New("the user stopped it"))
					})
				}
			})
			// By way of the parts, since guidance advises against some of these.
			o := b.exec(ctx, command, out)
			if took := time.Since(began); took > time.Second {
				t.Errorf("took %v", took)
			}
			if o.Code != ExitInterrupted || o.Cause == nil || o.Cause.Error() != "the user stopped it" {
				t.Errorf("code %d, cause %v", o.Code, o.Cause)
			}
			res := report(arguments{Command: command}, tools.View{}, o, time.Second)
			if res.Status != tools.StatusCancelled || !strings.Contains(res.Content, "[Command interrupted]") || res.View.Summary != "interrupted" {
				t.Errorf("%.300s", res.Content)
			}
		})
	}
}

// exec runs a command by prepare, gate and exec.
func (b *bench) exec(ctx context.Context, command string, out io.Writer) Outcome {
	b.t.Helper()
	o, err := b.Shell.exec(ctx, b.permit(command), nil, noLimit(), out)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

func (b *bench) permit(command string) approval.Permit {
	b.t.Helper()
	run, _, err := b.prepare(order{command: command})
	if err != nil {
		b.t.Fatal(err)
	}
	p, err := b.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Mode: approval.ModeOff, Action: tools.Action{
		Kind: tools.ActExec, Command: run.Command, Argv: run.Argv, Dir: run.Dir, Env: run.Env,
	}})
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) {
	f(b)
	return len(b), nil
}

func TestPermits(t *testing.T) {
	b, other := newBench(t, nil), newBench(t, nil)
	marker := filepath.Join(b.dir, "ran")
	ctx := context.Background()
	p := b.permit("touch ran")
	if _, err := other.Shell.exec(ctx, p, nil, noLimit(), nil); !errors.Is(err, approval.ErrForeignPermit) {
		t.Errorf("another place: %v", err)
	}
	second := New(Options{Place: b.place, Dir: b.dir, NoInit: true})
	defer second.Close()
	if _, _, err := second.prepare(order{command: "ls"}); err != nil { // has a number 1 of its own
		t.Fatal(err)
	}
	if _, err := second.exec(ctx, b.permit("touch ran"), nil, noLimit(), nil); !errors.Is(err, approval.ErrForeignPermit) {
		t.Errorf("another shell: %v", err)
	}
	if _, err := b.Shell.exec(ctx, approval.Permit{}, nil, noLimit(), nil); !errors.Is(err, approval.ErrNoPermit) {
		t.Errorf("void: %v", err)
	}
	for name, permit := range map[string]tools.Permit{"none": nil, "void": approval.Permit{}, "forged": forged{}} {
		res, err := b.tool.Run(ctx, tools.Call{Args: json.RawMessage(`{"command":"touch ran"}`), Permit: permit}, nil, io.Discard)
		if err != nil || res.Status != tools.StatusFailed {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	if _, err := os.Stat(marker); err == nil {
		t.Fatal("something ran")
	}
	if _, err := b.Shell.exec(ctx, p, nil, noLimit(), nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Error("the permitted command did not run")
	}
	if _, err := b.Shell.exec(ctx, p, nil, noLimit(), nil); !errors.Is(err, approval.ErrUsedPermit) {
		t.Errorf("twice: %v", err)
	}
}

type forged struct{}

func (forged) Digest() string { return strings.Repeat("0", 64) }

// What another command changes between permit and run does not matter.
func TestRunsWhatWasPermitted(t *testing.T) {
	b := newBench(t, nil)
	p := b.permit("pwd; echo $A")
	b.want("mkdir sub; cd sub; export A=changed", "", 0)
	if o := b.exec2(p); o.Output != b.dir {
		t.Errorf("ran in %q", o.Output)
	}
}

func (b *bench) exec2(p approval.Permit) Outcome {
	b.t.Helper()
	o, err := b.Shell.exec(context.Background(), p, nil, noLimit(), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

func TestClosed(t *testing.T) {
	b := newBench(t, nil)
	b.want("echo x", "x", 0)
	p := b.permit("echo y")
	scratch := b.scratch
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(scratch); !os.IsNotExist(err) {
		t.Errorf("the private folder is left: %v", err)
	}
	if _, err := b.tool.Action(json.RawMessage(`{"command":"ls"}`)); err == nil {
		t.Error("a command was made ready")
	}
	if _, err := b.Shell.exec(context.Background(), p, nil, noLimit(), nil); err == nil {
		t.Error("a command ran")
	}
}

func TestCancelledBeforeItStarts(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("stopped"))
	if o := b.exec(ctx, "touch ran", nil); o.Code != ExitInterrupted || o.Cause == nil {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "ran")); err == nil {
		t.Error("it ran")
	}
}
