//go:build unix

package place

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startTTY runs a script in a terminal of a place.
func startTTY(t testing.TB, ctx context.Context, at Place, script string, in io.Reader, out io.Writer) Process {
	t.Helper()
	p, err := at.Start(ctx, Proc{
		Argv: []string{at.Info().Shell, "-c", script}, Dir: "/", Env: testEnv,
		Stdin: in, Stdout: out, TTY: &Size{Rows: 30, Cols: 120},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTerminal(t *testing.T) {
	cases := map[string]struct{ script, in, want string }{
		"is one":              {"test -t 0 && test -t 1 && test -t 2 && echo yes", "", "yes"},
		"has a size":          {"stty size", "", "30 120"},
		"controls":            {"exec 3<>/dev/tty && echo through it >&3", "", "through it"},
		"shows what is typed": {"read x; echo \"got $x.\"", "hello\n", "hello\r\ngot hello."},
		"ends":                {"cat; echo after", "line\n", "line\r\nline\r\nafter"},
		"ends in a line":      {"cat; echo after", "part", "partpartafter"},
		"another end key":     {"stty eof ^B; cat; echo after", "", "after"},
		"shows errors":        {"echo oops >&2", "", "oops"},
	}
	if _, err := os.Stat("/usr/bin/stty"); err != nil {
		delete(cases, "has a size")
		delete(cases, "another end key")
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var in io.Reader
			if c.in != "" || strings.Contains(name, "end key") {
				in = strings.NewReader(c.in)
			}
			if strings.Contains(name, "end key") { // only when the key was changed
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				c.script = strings.Replace(c.script, "; cat", "; echo set; cat", 1)
				out := newOutput()
				p := startTTY(t, context.Background(), newLocal(t), c.script, struct{ io.Reader }{r}, out)
				out.await(t, "set")
				w.Close()
				wait(t, p, 10*time.Second)
				out.await(t, c.want)
				return
			}
			out := newOutput()
			p := startTTY(t, context.Background(), newLocal(t), c.script, in, out)
			if exit := wait(t, p, 10*time.Second); exit.Code != 0 {
				t.Errorf("exit %+v", exit)
			}
			if got := strings.TrimSpace(out.String()); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A program that does nothing for it has the terminal as its controlling one.
func TestTerminalControls(t *testing.T) {
	var out bytes.Buffer
	p, err := newLocal(t).Start(context.Background(), Proc{
		Argv: []string{"/usr/bin/head", "-c", "1", "/dev/tty"}, Dir: "/", Stdin: strings.NewReader("x\n"), Stdout: &out, TTY: &Size{30, 120},
	})
	if err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, p, 10*time.Second); exit.Code != 0 {
		t.Errorf("exit %+v, %q", exit, out.String())
	}
}

// A key typed reaches the process as a signal, as it would the user's.
func TestTerminalInterrupt(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := newOutput()
	p := startTTY(t, context.Background(), newLocal(t), "echo ready; exec sleep 600", struct{ io.Reader }{r}, out)
	out.await(t, "ready")
	if _, err := w.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, p, 10*time.Second); exit.Code != 130 || exit.Killed {
		t.Errorf("exit %+v", exit)
	}
	w.Close()
}

func TestKillInATerminal(t *testing.T) {
	scripts := map[string]string{
		"plain":      "echo $$ ready; sleep 600",
		"trap":       "trap '' TERM HUP; echo $$ ready; while :; do sleep 0.1; done",
		"background": "sleep 600 & echo $! $$ ready; wait",
		"job":        "set -m; sleep 600 & echo $! $$ ready; wait",
		"nohup":      "trap '' HUP; sleep 600 & echo $! $$ ready; wait",
		"flood":      "echo $$ ready; exec yes",
	}
	if runtime.GOOS == "linux" {
		scripts["own session"] = "setsid sh -c 'trap \"\" TERM; echo $$ ready; exec sleep 600' & wait"
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			out := newOutput()
			p := startTTY(t, ctx, newLocal(t), script, nil, out)
			pids := numbers(t, out.await(t, "ready"), p)
			cancel()
			began := time.Now()
			exit := wait(t, p, 10*time.Second)
			if took := time.Since(began); took > killWithin || !exit.Killed {
				t.Errorf("exit %+v after %v", exit, took)
			}
			for _, pid := range pids {
				if running(pid) {
					t.Errorf("%d still runs", pid)
				}
			}
		})
	}
}

// numbers reads the process ids that a script printed before the word ready.
func numbers(t testing.TB, said string, p Process) []int {
	t.Helper()
	line, _, _ := strings.Cut(said, "ready")
	pids := []int{p.PID()}
	for _, f := range strings.Fields(line) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// What a process leaves behind may keep its terminal open as long as it wants.
func TestWhatIsLeftBehindDoesNotHoldATerminal(t *testing.T) {
	out := newOutput()
	began := time.Now()
	p := startTTY(t, context.Background(), newLocal(t), "trap '' HUP; sleep 600 & echo $! ready", nil, out)
	exit := wait(t, p, 10*time.Second)
	if took := time.Since(began); took > 5*time.Second || exit.Code != 0 || exit.Killed {
		t.Errorf("exit %+v after %v", exit, took)
	}
	pid := numbers(t, out.String(), p)[1]
	if !running(pid) {
		t.Error("what was put into the background is gone")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestTerminalsLeaveNothingOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: descriptors are counted in /proc")
	}
	l := newLocal(t)
	once := func(in io.Reader, script string) {
		p := startTTY(t, context.Background(), l, script, in, nil)
		wait(t, p, 10*time.Second)
	}
	once(nil, "exit 0")
	before, own := descriptors(t), terminals(t)
	for range 30 {
		once(nil, "exit 0")
		once(strings.NewReader("x\n"), "cat")
		if _, err := l.Start(context.Background(), Proc{Argv: []string{"/no/such"}, Dir: "/", TTY: &Size{1, 1}}); err == nil {
			t.Fatal("started")
		}
	}
	p := startTTY(t, context.Background(), l, "read x", strings.NewReader("\n"), nil)
	if now := terminals(t); now > own {
		t.Errorf("the end of the process is open here as well: %d, %d before", now, own)
	}
	wait(t, p, 10*time.Second)
	if after := descriptors(t); after > before+2 {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// terminals counts descriptors that stand for the other end of a terminal.
func terminals(t testing.TB) int {
	t.Helper()
	n := 0
	for _, e := range strings.Fields(names(t, "/proc/self/fd")) {
		if to, _ := os.Readlink("/proc/self/fd/" + e); strings.HasPrefix(to, "/dev/pts/") {
			n++
		}
	}
	return n
}

func descriptors(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestAllOutputOfATerminalArrives(t *testing.T) {
	const lines = 50000
	n := 0
	p := startTTY(t, context.Background(), newLocal(t), "i=0; while [ $i -lt 50 ]; do i=$((i+1)); printf '%1000s\\n' '' | tr ' ' '\\n'; done",
		nil, writerFunc(func(b []byte) { n += strings.Count(string(b), "\n") }))
	wait(t, p, 30*time.Second)
	if n != lines+50 {
		t.Errorf("%d lines of %d", n, lines+50)
	}
}

func TestStartRefusesMixtures(t *testing.T) {
	size := &Size{30, 120}
	cases := map[string]Proc{
		"terminal and errors": {TTY: size, Stderr: io.Discard},
		"terminal and log":    {TTY: size, Log: "/tmp/x"},
		"no rows":             {TTY: &Size{0, 80}},
		"too many columns":    {TTY: &Size{30, 70000}},
		"log and output":      {Log: "/tmp/x", Stdout: io.Discard},
		"log and errors":      {Log: "/tmp/x", Stderr: io.Discard},
		"relative log":        {Log: "x"},
	}
	l := newLocal(t)
	for name, p := range cases {
		p.Argv, p.Dir = []string{l.Info().Shell, "-c", "exit 0"}, "/"
		if _, err := l.Start(context.Background(), p); err == nil {
			t.Errorf("%s: started", name)
		} else if errors.Is(err, os.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkStartInATerminal(b *testing.B) {
	l := newLocal(b)
	b.ReportAllocs()
	for b.Loop() {
		p, err := l.Start(context.Background(), Proc{
			Argv: []string{l.Info().Shell, "-c", "exit 0"}, Dir: "/", Env: testEnv, TTY: &Size{30, 120},
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

// Fifty megabytes of output, as a talkative build may write.
func BenchmarkOutput(b *testing.B) {
	l := newLocal(b)
	const size = 50 << 20
	b.ReportAllocs()
	b.SetBytes(size)
	for b.Loop() {
		n := 0
		p, err := l.Start(context.Background(), Proc{
			Argv: []string{l.Info().Shell, "-c", "head -c " + strconv.Itoa(size) + " /dev/zero"}, Dir: "/", Env: testEnv,
			Stdout: writerFunc(func(p []byte) { n += len(p) }),
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(); err != nil || n != size {
			b.Fatal(n, err)
		}
	}
}
