//go:build unix

package place

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is ten times the longest that a kill may take.
const patience = 10 * killWithin

func placeExitCodes(t *testing.T, p Place) {
	cases := []struct {
		script string
		code   int
		out    string
	}{
		{"echo out; echo err >&2; echo end", 0, "out\nerr\nend\n"},
		{"exit 7", 7, ""}, {"exit 255", 255, ""}, {"kill -KILL $$", 137, ""}, {"kill -TERM $$", 143, ""}, {"kill -INT $$", 130, ""},
		{"cat; echo done", 0, "done\n"}, {`printf %s "$HOME"`, 0, ""}, {"pwd", 0, "/\n"}, {`printf '\036x 1;\036'`, 0, "\x1ex 1;\x1e"},
		{"printf 'no end'", 0, "no end"}, {"/no/such/program", 127, "*"},
	}
	for _, c := range cases {
		var out bytes.Buffer
		proc, err := p.Start(context.Background(), Proc{Argv: []string{"/bin/sh", "-c", c.script}, Dir: "/", Env: testEnv, Stdout: &out})
		if err != nil {
			t.Fatal(err)
		}
		exit := wait(t, proc, 60*time.Second)
		if exit.Code != c.code || exit.Killed || c.out != "*" && out.String() != c.out {
			t.Errorf("%s: exit %+v, output %q", c.script, exit, out.String())
		}
		if again, err := proc.Wait(); err != nil || !reflect.DeepEqual(again, exit) || proc.PID() <= 1 {
			t.Errorf("second wait: %+v, %v, id %d", again, err, proc.PID())
		}
	}
}

// placeHandsOverExactly starts a program with whatever arguments and variables
// can hold, and finds them in the process's own tables.
func placeHandsOverExactly(t *testing.T, p Place) {
	args := append([]string{"sh", ""}, hostileNames()...)
	env := []string{
		"PATH=/usr/bin:/bin", "EMPTY=", "PLAIN=a b", "LINES=one\ntwo\n", "QUOTE='\"\\`$(exit 1)", "BYTES=\x01\x7f\x80\x81\x88\xff", "EQ=a=b", "TWICE=1", "TWICE=2",
		"UID=7", "RANDOM=x", "IFS=:", "PWD=/nowhere", "SHLVL=9", "OPTIND=3", "LC_ALL=C", "dotted.name=1", "BASH_FUNC_f%%=() { :; }", "PS4=x", "x=1", "e=2", "hermes_code=5",
	}
	script := `cat /proc/$$/environ; printf '\0\0'; for a; do printf '%s\0' "$a"; done`
	var out bytes.Buffer
	proc, err := p.Start(context.Background(), Proc{
		Argv: append([]string{"/bin/sh", "-c", script}, args...), Dir: "/", Env: env, Stdout: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, proc, 60*time.Second)
	gotEnv, gotArgs, _ := strings.Cut(out.String(), "\x00\x00")
	if want := strings.Join(args[1:], "\x00") + "\x00"; strings.TrimPrefix(gotArgs, "\x00") != want {
		t.Errorf("arguments %q\nwant      %q", gotArgs, want)
	}
	got := strings.Split(strings.TrimSuffix(gotEnv, "\x00"), "\x00")
	got = slices.DeleteFunc(got, func(kv string) bool { return strings.HasPrefix(kv, markName+"=") || strings.HasPrefix(kv, "_=") })
	want := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return kv == "TWICE=1" })
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("environment %q\nwant        %q", got, want)
	}
}

func placeStreams(t *testing.T, p Place) {
	var out, errs bytes.Buffer
	proc, err := p.Start(context.Background(), Proc{
		Argv: []string{"/bin/sh", "-c", "tr a-z A-Z; echo oops >&2"}, Dir: "/", Env: testEnv,
		Stdin: strings.NewReader("hello"), Stdout: &out, Stderr: &errs,
	})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, proc, 60*time.Second)
	if out.String() != "HELLO" || errs.String() != "oops\n" {
		t.Errorf("out %q, err %q", out.String(), errs.String())
	}
	data := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	if got, code := in(t, p, "cat", bytes.NewReader(data)); got != string(data) || code != 0 {
		t.Errorf("%d of %d bytes came back, exit %d", len(got), len(data), code)
	}
	if _, code := in(t, p, "exit 3", io.LimitReader(zeros{}, 1<<24)); code != 3 {
		t.Errorf("input that no one reads: exit %d", code)
	}
}

func placeLargeOutput(t *testing.T, p Place) {
	const size = 20 << 20
	for _, split := range []bool{false, true} {
		var mu sync.Mutex
		n := 0
		count := writerFunc(func(b []byte) { mu.Lock(); n += len(b); mu.Unlock() })
		spec := Proc{Argv: []string{"/bin/sh", "-c", "head -c 10485760 /dev/zero; head -c 10485760 /dev/zero >&2"}, Dir: "/", Env: testEnv, Stdout: count}
		if split {
			spec.Stderr = count
		}
		proc, err := p.Start(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		wait(t, proc, 120*time.Second)
		if n != size {
			t.Errorf("split %v: %d bytes of %d", split, n, size)
		}
	}
}

func placeStartErrors(t *testing.T, p Place) {
	cancelled, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the user stopped it")
	cancel(cause)
	ok := Proc{Argv: []string{"/bin/sh", "-c", "exit 0"}, Dir: "/"}
	cases := map[string]struct {
		ctx    context.Context
		change func(*Proc)
		want   error
	}{
		"relative program": {nil, func(p *Proc) { p.Argv = []string{"sh"} }, nil},
		"no program":       {nil, func(p *Proc) { p.Argv = nil }, nil},
		"missing program":  {nil, func(p *Proc) { p.Argv = []string{"/no/such/program"} }, fs.ErrNotExist},
		"not executable":   {nil, func(p *Proc) { p.Argv = []string{"/etc/passwd"} }, fs.ErrPermission},
		"missing dir":      {nil, func(p *Proc) { p.Dir = "/no/such" }, fs.ErrNotExist},
		"zero byte":        {nil, func(p *Proc) { p.Argv = []string{"/bin/sh", "a\x00b"} }, nil},
		"cancelled":        {cancelled, func(*Proc) {}, cause},
		"terminal and log": {nil, func(p *Proc) { p.TTY, p.Log = &Size{24, 80}, "/tmp/x" }, nil},
	}
	for name, c := range cases {
		spec := ok
		c.change(&spec)
		if c.ctx == nil {
			c.ctx = context.Background()
		}
		proc, err := p.Start(c.ctx, spec)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", name, proc, err)
		}
	}
}

func placeKill(t *testing.T, p Place) {
	scripts := map[string]string{
		"plain":       "echo $$ ready; sleep 600",
		"trap":        "trap '' TERM; echo $$ ready; while :; do sleep 0.1; done",
		"background":  "sleep 600 & echo $! $$ ready; wait",
		"stopped":     "sleep 600 & kill -STOP $!; echo $! $$ ready; wait",
		"own session": "setsid sh -c 'echo $$ ready; exec sleep 600' & wait",
		"orphan":      "(setsid sh -c 'trap \"\" TERM; sleep 600 & echo $! $$ ready; wait; sleep 600' &) ; sleep 600",
		"flood":       "echo $$ ready; exec yes",
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			head := &firstLine{got: make(chan struct{})}
			proc, err := p.Start(ctx, Proc{Argv: []string{"/bin/sh", "-c", script}, Dir: "/", Env: testEnv, Stdout: head})
			if err != nil {
				t.Fatal(err)
			}
			line := head.await(t)
			cancel()
			began := time.Now()
			exit := wait(t, proc, patience)
			t.Logf("killed in %v", time.Since(began))
			if !exit.Killed || exit.Code < 128 {
				t.Errorf("exit %+v", exit)
			}
			for _, f := range append(strings.Fields(strings.TrimSuffix(line, "ready")), strconv.Itoa(proc.PID())) {
				pid, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				if lives(t, p, pid) {
					t.Errorf("%d still runs", pid)
				}
			}
		})
	}
}

// firstLine keeps the first line of an output.
type firstLine struct {
	mu   sync.Mutex
	buf  []byte
	full bool
	got  chan struct{}
}

func (f *firstLine) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full {
		return len(b), nil
	}
	f.buf = append(f.buf, b...)
	if i := bytes.IndexByte(f.buf, '\n'); i >= 0 {
		f.buf, f.full = f.buf[:i], true
		close(f.got)
	}
	return len(b), nil
}

func (f *firstLine) await(t testing.TB) string {
	t.Helper()
	late := time.NewTimer(60 * time.Second)
	defer late.Stop()
	select {
	case <-f.got:
	case <-late.C:
		t.Fatal("no output")
	}
	return string(f.buf)
}

func placeLeavesBackground(t *testing.T, p Place) {
	var out bytes.Buffer
	proc, err := p.Start(context.Background(), Proc{
		Argv: []string{"/bin/sh", "-c", "sleep 600 & echo $!"}, Dir: "/", Env: testEnv, Stdout: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, proc, 60*time.Second); exit.Code != 0 || exit.Killed {
		t.Errorf("exit %+v", exit)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if !lives(t, p, pid) {
		t.Error("what was put into the background is gone")
	}
	in(t, p, "kill -KILL "+strconv.Itoa(pid), nil)
}

func placeTerminal(t *testing.T, p Place) {
	out := newOutput()
	r, w := io.Pipe()
	proc, err := p.Start(context.Background(), Proc{
		Argv: []string{"/bin/sh", "-c", "test -t 0 && test -t 1 && test -t 2 && stty size; echo go; read a; echo got:$a; cat; exit 5"},
		Dir:  "/", Env: testEnv, Stdin: r, Stdout: out, TTY: &Size{Rows: 31, Cols: 117},
	})
	if err != nil {
		t.Fatal(err)
	}
	out.await(t, "31 117")
	out.await(t, "go\r\n")
	_, _ = io.WriteString(w, "word\n")
	out.await(t, "got:word\r\n")
	_, _ = io.WriteString(w, "half")
	_ = w.Close() // the end of input, in the middle of a line
	if exit := wait(t, proc, 60*time.Second); exit.Code != 5 {
		t.Errorf("exit %+v, output %q", exit, out.String())
	}
	if strings.Contains(out.String(), "\x1e") {
		t.Errorf("output %q", out.String())
	}
}

func placeTerminalInterrupt(t *testing.T, p Place) {
	out := newOutput()
	r, w := io.Pipe()
	defer w.Close()
	proc, err := p.Start(context.Background(), Proc{
		Argv: []string{"/bin/sh", "-c", "echo go; exec sleep 600"}, Dir: "/", Env: testEnv, Stdin: r, Stdout: out, TTY: &Size{24, 80},
	})
	if err != nil {
		t.Fatal(err)
	}
	out.await(t, "go")
	_, _ = io.WriteString(w, "\x03")
	if exit := wait(t, proc, 60*time.Second); exit.Code != 130 || exit.Killed {
		t.Errorf("exit %+v", exit)
	}
}

func placeTerminalKill(t *testing.T, p Place) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := newOutput()
	proc, err := p.Start(ctx, Proc{Argv: []string{"/bin/sh", "-c", "trap '' HUP TERM; echo go; sleep 600; sleep 600"}, Dir: "/", Env: testEnv, Stdout: out, TTY: &Size{24, 80}})
	if err != nil {
		t.Fatal(err)
	}
	out.await(t, "go")
	cancel()
	if exit := wait(t, proc, patience); !exit.Killed {
		t.Errorf("exit %+v", exit)
	}
	if lives(t, p, proc.PID()) {
		t.Error("it still runs")
	}
}

func placeLog(t *testing.T, p Place) {
	dir := scratch(t, p)
	log := dir + "/the log"
	proc, err := p.Start(context.Background(), Proc{
		Argv: []string{"/bin/sh", "-c", "echo out; echo err >&2; cat; exit 6"}, Dir: dir, Env: testEnv, Log: log, Stdin: strings.NewReader("typed"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, proc, 60*time.Second); exit.Code != 6 || exit.Killed {
		t.Errorf("exit %+v", exit)
	}
	if got := get(t, p, log); got != "out\nerr\ntyped" {
		t.Errorf("log %q", got)
	}
	if st, err := p.FS().Stat(log); err != nil || st.Mode() != 0o600 {
		t.Errorf("log %v, %v", st.Mode(), err)
	}
	if _, err := p.Start(context.Background(), Proc{Argv: []string{"/bin/sh", "-c", ":"}, Dir: dir, Env: testEnv, Log: log}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a log that exists: %v", err)
	}
	if _, err := p.Adopt(context.Background(), proc.Ref()); !errors.Is(err, ErrGone) {
		t.Errorf("adopting what has ended: %v", err)
	}
	if _, err := p.Adopt(context.Background(), "nonsense"); err == nil {
		t.Error("nonsense was adopted")
	}
}

func placeLogKill(t *testing.T, p Place) {
	dir := scratch(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	proc, err := p.Start(ctx, Proc{
		Argv: []string{"/bin/sh", "-c", "setsid sleep 600 & echo $!; sleep 600"}, Dir: dir, Env: testEnv, Log: dir + "/log",
	})
	if err != nil {
		t.Fatal(err)
	}
	adopted, err := p.Adopt(context.Background(), proc.Ref())
	if err != nil || adopted.PID() != proc.PID() || adopted.Ref() != proc.Ref() {
		t.Fatalf("adopt: %v, %v", adopted, err)
	}
	in(t, p, "until test -s "+dir+"/log; do sleep 0.05; done", nil)
	cancel()
	if exit := wait(t, proc, patience); !exit.Killed || exit.Code < 128 {
		t.Errorf("exit %+v", exit)
	}
	if exit := wait(t, adopted, patience); exit.Killed || exit.Code != -1 {
		t.Errorf("adopted: exit %+v", exit)
	}
	said, _, _ := strings.Cut(get(t, p, dir+"/log"), "\n") // a shell may say that it was ended
	pid, _ := strconv.Atoi(said)
	if pid <= 1 || lives(t, p, pid) || lives(t, p, proc.PID()) {
		t.Errorf("%d or %d still runs", pid, proc.PID())
	}
}
