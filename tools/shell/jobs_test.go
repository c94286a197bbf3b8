//go:build unix

package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// jobs starts real processes and keeps what they write.
type jobs struct {
	place place.Place
	last  Job
	run   approval.Run
	fails error
	kept  string
	left  place.Left

	mu   sync.Mutex
	out  bytes.Buffer
	exit chan place.Exit
}

func (j *jobs) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.out.Write(b)
}

func (j *jobs) Start(_ context.Context, job Job) (JobStarted, error) {
	if j.fails != nil {
		return JobStarted{}, j.fails
	}
	run, err := job.Permit.Take(j.place)
	if err != nil {
		return JobStarted{}, err
	}
	env, err := job.Ready(run)
	if err != nil {
		return JobStarted{}, err
	}
	spec := place.Proc{Argv: run.Argv, Dir: run.Dir, Env: env, Stdout: j, Stdin: strings.NewReader("typed\n")}
	if job.Terminal {
		spec.TTY = &place.Size{Rows: 30, Cols: 120}
	}
	p, err := j.place.Start(context.Background(), spec)
	if err != nil {
		return JobStarted{}, err
	}
	j.last, j.run, j.exit = job, run, make(chan place.Exit, 1)
	go func() {
		exit, _ := p.Wait()
		j.exit <- exit
	}()
	return JobStarted{ID: "proc_1", PID: p.PID(), Notes: []string{"a note"}}, nil
}

func jobBench(t *testing.T, rc string) (*bench, *jobs) {
	t.Helper()
	j := &jobs{}
	b := newBench(t, func(o *Options) {
		o.Jobs, o.NoInit = j, rc == ""
		j.place = o.Place
	})
	if err := os.WriteFile(filepath.Join(b.home, ".bashrc"), []byte(rc), 0o600); err != nil {
		t.Fatal(err)
	}
	return b, j
}

// fields calls the tool and gives its result as it is.
func (b *bench) fields(args map[string]any) map[string]any {
	b.t.Helper()
	got := map[string]any{}
	if err := json.Unmarshal([]byte(b.call(context.Background(), args, nil).Content), &got); err != nil {
		b.t.Fatal(err)
	}
	return got
}

func TestBackground(t *testing.T) {
	b, j := jobBench(t, "hello() { echo \"hello $1 it's\"; }\nalias greet='hello dear'\n")
	b.want("mkdir sub; cd sub; export A=1", "", 0)
	got := b.fields(map[string]any{"command": "greet; pwd; echo $A $PYTHONUNBUFFERED; read x; echo got $x; cd /; export A=2; exit 4", "background": true})
	if got["output"] != "Background process started" || got["session_id"] != "proc_1" || got["pid"] == 0.0 || got["exit_code"] != 0.0 || got["hint"] == nil || got["note"] != "a note" {
		t.Errorf("%v", got)
	}
	if _, ok := got["error"]; !ok || got["error"] != nil {
		t.Errorf("%v", got)
	}
	if exit := <-j.exit; exit.Code != 4 {
		t.Errorf("exit %d", exit.Code)
	}
	if out := j.out.String(); out != "hello dear it's\n"+b.dir+"/sub\n1 1\ngot typed\n" {
		t.Errorf("output %q", out)
	}
	b.want("pwd; echo $A", b.dir+"/sub\n1", 0) // a job changes nothing
	if strings.Contains(strings.Join(j.run.Argv, " "), "dear") {
		t.Error("the functions of the user stand in the arguments")
	}
}

func TestBackgroundTerminal(t *testing.T) {
	b, j := jobBench(t, "hello() { echo hello; }\n")
	b.fields(map[string]any{"command": "tty >/dev/null && hello; echo $TERM", "background": true, "pty": true})
	<-j.exit
	if out := j.out.String(); !strings.Contains(out, "hello\r\nxterm-256color\r\n") || !j.last.Terminal {
		t.Errorf("output %q", out)
	}
	got := b.fields(map[string]any{"command": "cat x | gh auth login --with-token", "background": true, "pty": true})
	<-j.exit
	if got["pty_note"] == nil || j.last.Terminal {
		t.Errorf("%v", got)
	}
}

// git opens an editor where it can be typed into, and only there.
func TestEditorOfGit(t *testing.T) {
	b, j := jobBench(t, "")
	for _, own := range []string{"", "GIT_EDITOR=nano"} {
		b.o.Env = append(b.o.Env, own)
		for _, c := range []struct {
			pty, background bool
			want            string
		}{{false, false, "true"}, {true, false, "true"}, {false, true, "true"}, {true, true, strings.TrimPrefix(own, "GIT_EDITOR=")}} {
			args := map[string]any{"command": `echo "<$GIT_EDITOR>"`, "pty": c.pty, "background": c.background}
			a := b.call(context.Background(), args, nil)
			got := a.Output
			if c.background {
				<-j.exit
				got = j.out.String()
				j.out.Reset()
			}
			if !strings.Contains(got, "<"+c.want+">") {
				t.Errorf("%+v: %q", c, got)
			}
		}
	}
}

func TestNotifyAndWatch(t *testing.T) {
	b, j := jobBench(t, "")
	got := b.fields(map[string]any{"command": "true", "background": true, "notify_on_complete": true, "watch_patterns": []string{"x"}})
	<-j.exit
	if got["notify_on_complete"] != true || got["watch_patterns_ignored"] != true || got["watch_patterns"] != nil || got["hint"] != nil || j.last.Watch != nil || !j.last.Notify {
		t.Errorf("%v, %+v", got, j.last)
	}
	got = b.fields(map[string]any{"command": "true", "background": true, "watch_patterns": []string{"x"}})
	<-j.exit
	if got["hint"] != nil || len(j.last.Watch) != 1 || len(got["watch_patterns"].([]any)) != 1 {
		t.Errorf("%v, %+v", got, j.last)
	}
	j.fails = errors.New("64 run already")
	if a := b.call(context.Background(), map[string]any{"command": "true", "background": true}, nil); a.Status != tools.StatusFailed || !strings.Contains(a.Content, "64 run already") {
		t.Errorf("%+v", a)
	}
}

func TestJobActions(t *testing.T) {
	b, _ := jobBench(t, "")
	for args, want := range map[string]string{
		`{"command":"x","notify_on_complete":true}`:        "are for jobs",
		`{"command":"x","watch_patterns":["a"]}`:           "are for jobs",
		`{"command":"x","timeout":601}`:                    "notify_on_complete to true",
		`{"command":"./x &"}`:                              "set background to true",
		`{"command":"nohup ./x &"}`:                        "",
		`{"command":"npm run dev"}`:                        "Set background to true",
		`{"command":"./x &","background":true}`:            "already",
		`{"command":"nohup ./x","background":true}`:        "already",
		`{"command":"npm run dev","background":true}`:      "",
		`{"command":"x","background":true,"timeout":9999}`: "",
		`{"command":"x","pty":true}`:                       "",
	} {
		action, err := b.tool.Action(json.RawMessage(args))
		if want == "" {
			if err != nil || action.Background != strings.Contains(args, "background") {
				t.Errorf("%s: %v, %+v", args, err, action)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	for _, want := range []string{"background", "pty", "notify_on_complete", "watch_patterns"} {
		if !strings.Contains(string(b.tool.Parameters), `"`+want+`"`) {
			t.Errorf("%s is not offered", want)
		}
		plain := newBench(t, nil)
		if strings.Contains(string(plain.tool.Parameters), want) {
			t.Errorf("%s is offered without jobs", want)
		}
		if _, err := plain.tool.Action(json.RawMessage(`{"command":"x","` + want + `":` + map[bool]string{true: "true", false: `["x"]`}[want != "watch_patterns"] + `}`)); err == nil {
			t.Errorf("%s is accepted without jobs", want)
		}
	}
	if !json.Valid(b.tool.Parameters) {
		t.Errorf("schema %s", b.tool.Parameters)
	}
}

// The permit of a job runs in no other way, and the other way round.
func TestPermitsKeepTheirWay(t *testing.T) {
	b, _ := jobBench(t, "")
	permit := func(args string) approval.Permit {
		action, err := b.tool.Action(json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Action: action, Mode: approval.ModeOff})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for made, used := range map[string]string{
		`{"command":"touch ran","background":true}`:            `{"command":"touch ran"}`,
		`{"command":"touch ran"}`:                              `{"command":"touch ran","background":true}`,
		`{"command":"touch ran","background":true,"pty":true}`: `{"command":"touch ran","background":true}`,
	} {
		res, err := b.tool.Run(context.Background(), tools.Call{Args: json.RawMessage(used), Permit: permit(made)}, nil, nil)
		if err != nil || res.Status != tools.StatusFailed {
			t.Errorf("%s as %s: %+v, %v", made, used, res, err)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "ran")); err == nil {
		t.Error("it ran")
	}
}

func TestTerminalInForeground(t *testing.T) {
	b, _ := jobBench(t, "hello() { echo hello; }\n")
	var live bytes.Buffer
	a := b.call(context.Background(), map[string]any{"command": `stty size; hello; printf '\033[32m10%%\r20%%\r\033[K100%%\033[0m\nabc\b\bX\n'; cat; cd /; tty | sed 's/[0-9]*$//'`, "pty": true}, &live)
	if a.Output != "30 120\nhello\n100%\naXc\n/dev/pts/" || a.Code != 0 || a.View.Summary != "5 lines" {
		t.Errorf("%q, exit %d, %s", a.Output, a.Code, a.View.Summary)
	}
	if !strings.Contains(live.String(), "10%\r20%") {
		t.Errorf("live %q", live.String())
	}
	b.want("pwd; tty", "/\nnot a tty", 1)
	if a := b.call(context.Background(), map[string]any{"command": "echo begun; sleep 600", "timeout": 1, "pty": true}, nil); a.Code != ExitTimeout || a.Output != "begun\n[Command timed out after 1s]" {
		t.Errorf("%+v", a)
	}
	if a := b.call(context.Background(), map[string]any{"command": "printf 'no end'; exit 3", "pty": true}, nil); a.Code != 3 || a.Output != "no end" {
		t.Errorf("%+v", a)
	}
}

func TestEdit(t *testing.T) {
	b := newBench(t, nil)
	got, err := b.tool.Edit(json.RawMessage(`{"command":"rm x","timeout":5,"more":[1]}`), "ls <x> \"y\"\n")
	var fields map[string]any
	if err != nil || json.Unmarshal(got, &fields) != nil || fields["command"] != "ls <x> \"y\"\n" || fields["timeout"] != 5.0 || fields["more"] == nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := b.tool.Edit(json.RawMessage(`[]`), "x"); err == nil {
		t.Error("no object was edited")
	}
	// What was rewritten once stays as it is.
	action, err := b.tool.Action(json.RawMessage(`{"command":"a && b & wait"}`))
	if err != nil || action.Command != "a && { b & }; wait" {
		t.Fatalf("%q, %v", action.Command, err)
	}
	if got, err = b.tool.Edit(json.RawMessage(`{"command":"a && b & wait"}`), action.Command); err != nil {
		t.Fatal(err)
	}
	if again, err := b.tool.Action(got); err != nil || again.Command != action.Command {
		t.Errorf("%q, %v", again.Command, err)
	}
}

// What the rewritten command does in a real shell: the first part has its effect
// here, and $! is the program itself.
func TestRegroupedCommandRuns(t *testing.T) {
	b := newBench(t, nil)
	b.want("mkdir -p sub; cd sub && sleep 300 & [ \"$(cat /proc/$!/comm 2>/dev/null || echo sleep)\" != bash ] || sleep 0.2; "+
		"kill $!; wait $!; echo $?; pwd", "143\n"+b.dir+"/sub", 0)
}

// Keep implements [Jobs].
func (j *jobs) Keep(_ context.Context, command, _ string, _ bool, left place.Left) (string, error) {
	j.kept, j.left = command, left
	return "proc_2", j.fails
}

// What a command leaves running becomes a job, and the model is told how many that are.
func TestLeftInTheBackground(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: what left its group is found on Linux only")
	}
	b, j := jobBench(t, "")
	got := b.run("setsid sleep 600 >/dev/null 2>&1 & sleep 0.1; echo ready")
	if j.left.Count != 1 || !strings.Contains(j.kept, "setsid") || !strings.HasPrefix(got.Output, "ready\n[1 process that it started still runs: proc_2") {
		t.Errorf("%+v: %s", j.left, got.Output)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := j.place.Adopt(ctx, j.left.Ref)
	if cancel(); err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(); err != nil || !exit.Killed {
		t.Errorf("%+v, %v", exit, err)
	}
}
