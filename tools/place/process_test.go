//go:build unix

package place

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if handled, code := SandboxMain(os.Args); handled {
		os.Exit(code)
	}
	if play := os.Getenv(rolePlayed); play != "" {
		os.Exit(roles[play]())
	}
	_ = flag.Set("test.parallel", "6") // most of the time they wait for each other; the command line still wins
	goleak.VerifyTestMain(m)
}

// rolePlayed names the variable that turns the test program into another one.
const rolePlayed = "PLACE_TEST_ROLE"

// output collects what a process writes and tells when a text has appeared.
type output struct {
	mu   sync.Mutex
	cond *sync.Cond
	buf  bytes.Buffer
}

func newOutput() *output {
	o := &output{}
	o.cond = sync.NewCond(&o.mu)
	return o
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cond.Broadcast()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// await blocks until the output contains text.
func (o *output) await(t testing.TB, text string) string {
	t.Helper()
	late := time.AfterFunc(10*time.Second, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.buf.WriteString("\x00late")
		o.cond.Broadcast()
	})
	defer late.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for !strings.Contains(o.buf.String(), text) {
		if strings.Contains(o.buf.String(), "\x00late") {
			t.Fatalf("no %q in %q", text, o.buf.String())
		}
		o.cond.Wait()
	}
	return o.buf.String()
}

var testEnv = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}

// start runs a shell script.
func start(t testing.TB, ctx context.Context, script string, out io.Writer) Process {
	t.Helper()
	l := newLocal(t)
	p, err := l.Start(ctx, Proc{
		Argv: []string{l.Info().Shell, "-c", script}, Dir: "/", Env: testEnv, Stdout: out,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wait fails the test when the process does not end soon.
func wait(t testing.TB, p Process, within time.Duration) Exit {
	t.Helper()
	late := time.AfterFunc(within, func() { panic("the process did not end in " + within.String()) })
	defer late.Stop()
	exit, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return exit
}

func TestProcessEnds(t *testing.T) {
	cases := []struct {
		script string
		code   int
		out    string
	}{
		{"echo out; echo err >&2; echo end", 0, "out\nerr\nend\n"},
		{"exit 7", 7, ""},
		{"kill -KILL $$", 137, ""},
		{"cat; echo done", 0, "done\n"}, // no input
		{"printf %s \"$HOME\"", 0, ""},  // nothing is inherited
		{"pwd", 0, "/\n"},
	}
	for _, c := range cases {
		out := newOutput()
		p := start(t, context.Background(), c.script, out)
		exit := wait(t, p, 10*time.Second)
		if exit.Code != c.code || exit.Killed || out.String() != c.out {
			t.Errorf("%s: exit %+v, output %q", c.script, exit, out.String())
		}
		if again, err := p.Wait(); err != nil || !reflect.DeepEqual(again, exit) {
			t.Errorf("second wait: %+v, %v", again, err)
		}
	}
}

func TestProcessStreams(t *testing.T) {
	l := newLocal(t)
	var out, errs bytes.Buffer
	p, err := l.Start(context.Background(), Proc{
		Argv: []string{l.Info().Shell, "-c", "tr a-z A-Z; echo oops >&2"}, Dir: "/", Env: testEnv,
		Stdin: strings.NewReader("hello"), Stdout: &out, Stderr: &errs,
	})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, p, 10*time.Second)
	if out.String() != "HELLO" || errs.String() != "oops\n" {
		t.Errorf("out %q, err %q", out.String(), errs.String())
	}
}

func TestProcessNeedNotReadItsInput(t *testing.T) {
	l := newLocal(t)
	p, err := l.Start(context.Background(), Proc{
		Argv: []string{l.Info().Shell, "-c", "exit 3"}, Dir: "/", Env: testEnv,
		Stdin: io.LimitReader(zeros{}, 1<<22),
	})
	if err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, p, 10*time.Second); exit.Code != 3 {
		t.Errorf("exit %+v", exit)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestABrokenWriterDoesNotDisturbTheProcess(t *testing.T) {
	p := start(t, context.Background(), "head -c 1000000 /dev/zero && exit 4", brokenWriter{})
	if exit := wait(t, p, 10*time.Second); exit.Code != 4 {
		t.Errorf("exit %+v", exit)
	}
}

func TestStartErrors(t *testing.T) {
	l := newLocal(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	cases := map[string]struct {
		ctx  context.Context
		proc Proc
	}{
		"relative program": {context.Background(), Proc{Argv: []string{"sh"}}},
		"no program":       {context.Background(), Proc{}},
		"missing program":  {context.Background(), Proc{Argv: []string{"/no/such/program"}}},
		"missing dir":      {context.Background(), Proc{Argv: []string{l.Info().Shell}, Dir: "/no/such"}},
		"cancelled":        {ctx, Proc{Argv: []string{l.Info().Shell, "-c", "exit 0"}, Dir: "/"}},
	}
	for name, c := range cases {
		if p, err := l.Start(c.ctx, c.proc); err == nil {
			t.Errorf("%s: started %d", name, p.PID())
		}
	}
}

// The longest allowed time from the end of a context to the end of Wait.
const killWithin = time.Second

func TestKill(t *testing.T) {
	// Each script ends with printing the word ready and then running on, the
	// numbers before it are processes that must be gone afterwards.
	scripts := map[string]string{
		"plain":       "echo $$ ready; sleep 600",
		"trap":        "trap '' TERM; echo $$ ready; while :; do sleep 0.1; done",
		"child traps": "sh -c 'trap \"\" TERM; echo $$ ready; while :; do sleep 0.1; done'; :",
		"background":  "sleep 600 & echo $! $$ ready; wait",
		"stopped":     "sleep 600 & kill -STOP $!; echo $! $$ ready; wait",
	}
	if _, err := exec.LookPath("setsid"); err == nil && runtime.GOOS == "linux" {
		scripts["own session"] = "setsid sh -c 'echo $$ ready; exec sleep 600' & wait"
		scripts["daemon"] = "setsid -f sh -c 'trap \"\" TERM; echo $$ ready; exec sleep 600'; sleep 600"
		scripts["exec again and again"] = "setsid -f sh -c 'echo $$ ready; exec sh -c \"$0\" \"$0\"' 'exec sh -c \"$0\" \"$0\"'; sleep 600"
		scripts["double fork"] = "(setsid sh -c 'sleep 600 & echo $! ready' &) ; sleep 600"
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			out := newOutput()
			p := start(t, ctx, script, out)
			line, _, _ := strings.Cut(out.await(t, "ready"), "ready")
			cancel()
			began := time.Now()
			exit := wait(t, p, 10*time.Second)
			if took := time.Since(began); took > killWithin {
				t.Errorf("took %v", took)
			}
			if !exit.Killed || exit.Code < 128 {
				t.Errorf("exit %+v", exit)
			}
			for _, f := range append(strings.Fields(line), strconv.Itoa(p.PID())) {
				pid, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				if running(pid) {
					t.Errorf("%d still runs", pid)
				}
			}
		})
	}
}

// running reports whether a process exists and is no zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestKillAFlood(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := make(chan struct{})
	var once sync.Once
	p := start(t, ctx, "yes", writerFunc(func([]byte) { once.Do(func() { close(seen) }) }))
	<-seen
	cancel()
	began := time.Now()
	if exit := wait(t, p, 10*time.Second); !exit.Killed || time.Since(began) > killWithin {
		t.Errorf("exit %+v after %v", exit, time.Since(began))
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) {
	f(b)
	return len(b), nil
}

func TestWhatIsLeftBehindDoesNotHoldWait(t *testing.T) {
	out := newOutput()
	began := time.Now()
	p := start(t, context.Background(), "sleep 600 & echo $! left", out)
	exit := wait(t, p, 10*time.Second)
	if took := time.Since(began); took > 5*time.Second || exit.Code != 0 || exit.Killed {
		t.Errorf("exit %+v after %v", exit, took)
	}
	pid, err := strconv.Atoi(strings.Fields(out.String())[0])
	if err != nil {
		t.Fatal(err)
	}
	if !running(pid) {
		t.Error("what was put into the background is gone")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestAllOutputArrives(t *testing.T) {
	const size = 10 << 20
	n := 0
	p := start(t, context.Background(), "head -c "+strconv.Itoa(size)+" /dev/zero", writerFunc(func(b []byte) { n += len(b) }))
	wait(t, p, 30*time.Second)
	if n != size {
		t.Errorf("%d bytes of %d", n, size)
	}
}

func TestNoZombies(t *testing.T) {
	for range 20 {
		p := start(t, context.Background(), "exit 0", nil)
		wait(t, p, 10*time.Second)
		if err := syscall.Kill(p.PID(), 0); err == nil {
			t.Errorf("%d is still in the table", p.PID())
		}
	}
}

func TestMarkIsReplaced(t *testing.T) {
	got := markedEnv([]string{"A=1", markName + "=old", "B=2"}, "new")
	if want := "A=1 B=2 " + markName + "=new"; strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
}

func BenchmarkStart(b *testing.B) {
	l := newLocal(b)
	b.ReportAllocs()
	for b.Loop() {
		p, err := l.Start(context.Background(), Proc{
			Argv: []string{l.Info().Shell, "-c", "exit 0"}, Dir: "/", Env: testEnv,
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}
