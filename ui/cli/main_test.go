package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/web"
)

// mains runs the tests and removes the program that they built.
type mains struct{ *testing.M }

func (m mains) Run() int { return uitest.Main(m.M) }

func TestMain(m *testing.M) {
	if handled, code := web.ReaderMain(os.Args); handled {
		os.Exit(code)
	}
	goleak.VerifyTestMain(mains{m})
}

// patience bounds every wait of these tests.
const patience = 20 * time.Second

// box is a user's machine: a home, a folder to work in and an environment.
type box struct {
	t    *testing.T
	home string // HERMES_HOME
	dir  string
	env  map[string]string
	// flags come before the arguments of every call of a command that starts a session.
	flags []string
	// in is the standard input, nil for a terminal.
	in io.Reader
}

// newBox makes one without a model server to find.
func newBox(t *testing.T) *box {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &box{t: t, home: filepath.Join(base, "user", ".hermes"), dir: filepath.Join(base, "work")}
	for _, dir := range []string{filepath.Dir(b.home), b.dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": filepath.Dir(b.home), "HERMES_HOME": b.home, "SHELL": "/bin/sh", "LANG": "C.UTF-8", "TERM": "dumb",
	}
	return b
}

// settings writes config.yaml.
func (b *box) settings(text string) {
	b.t.Helper()
	if err := os.MkdirAll(b.home, 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.home, "config.yaml"), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// with makes a box whose flags name a server that plays rules.
func with(t *testing.T, rules ...script.Rule) (*box, *scripttest.Server) {
	t.Helper()
	b, server := newBox(t), serve(t, rules...)
	b.flags = []string{"--provider", "custom", "--base-url", server.URL(), "--model", "script"}
	return b, server
}

func serve(t *testing.T, rules ...script.Rule) *scripttest.Server {
	t.Helper()
	server, err := scripttest.Serve(&script.Scenario{Name: "test", Rules: rules}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// write puts a file into the home and returns its path.
func (b *box) write(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// outcome is how a call of the program ended.
type outcome struct {
	code     int
	out, err string
}

func (o outcome) String() string {
	return fmt.Sprintf("exit %d\nstdout: %s\nstderr: %s", o.code, o.out, o.err)
}

// call is a call of the program that may still run.
type call struct {
	t        *testing.T
	stop     context.CancelFunc
	out, err *pipe
	done     chan int
}

// environ is the environment as a process has it.
func (b *box) environ() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(b.env)) {
		list = append(list, name+"="+b.env[name])
	}
	return list
}

// start calls the program.
func (b *box) start(args ...string) *call {
	b.t.Helper()
	env := maps.Clone(b.env)
	c := &call{t: b.t, out: newPipe(), err: newPipe(), done: make(chan int, 1)}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	in := b.in
	if in == nil {
		in = strings.NewReader("")
	}
	s := &sys{
		in: in, out: c.out, err: c.err, environ: b.environ(), ids: event.SystemSource(),
		env:        func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		dir:        func() (string, error) { return b.dir, nil },
		terminal:   func() (in, out bool) { return b.in == nil, false },
		redirected: func() bool { return b.in != nil },
		closed:     func() bool { return false },
		exit:       func(int) { panic("it does not end by itself") },
	}
	if len(args) > 0 && (args[0] == "exec" || args[0] == "context" || args[0] == "-r") {
		args = append(slices.Clone(b.flags), args...)
	}
	go func() { c.done <- run(ctx, args, s) }()
	b.t.Cleanup(stop)
	return c
}

// wait waits for the end of a call.
func (c *call) wait() outcome {
	c.t.Helper()
	select {
	case code := <-c.done:
		return outcome{code, c.out.text(), c.err.text()}
	case <-time.After(patience):
		c.t.Fatalf("it does not end\nstdout: %s\nstderr: %s", c.out.text(), c.err.text())
		return outcome{}
	}
}

// run calls the program and waits for it.
func (b *box) run(args ...string) outcome {
	b.t.Helper()
	return b.start(args...).wait()
}

// exec runs a prompt that is expected to be answered.
func (b *box) exec(args ...string) outcome {
	b.t.Helper()
	o := b.run(append([]string{"exec"}, args...)...)
	if o.code != exitOK {
		b.t.Fatalf("exec %q: %v", args, o)
	}
	return o
}

// db opens the session database of the box.
func (b *box) db() *sessions.DB {
	b.t.Helper()
	ids := event.SystemSource()
	db, err := sessions.Open(b.t.Context(), filepath.Join(b.home, "state.db"), sessions.Options{Clock: ids.Clock, Rand: ids.Random})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { db.Close() })
	return db
}

// said are the messages of the newest conversation: "role: text".
func (b *box) said() []string {
	b.t.Helper()
	db := b.db()
	defer db.Close()
	info, err := db.Latest(b.t.Context(), "")
	if err != nil {
		b.t.Fatal(err)
	}
	rows, err := db.Messages(b.t.Context(), info.Session)
	if err != nil {
		b.t.Fatal(err)
	}
	var list []string
	for _, r := range rows {
		list = append(list, r.Role+": "+r.Content)
	}
	return list
}

// sent are the messages of the nth request, without the system prompt:
// "role: text".
func sent(t *testing.T, server *scripttest.Server, n int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all, err := server.WaitRequests(ctx, n)
	if err != nil {
		t.Fatalf("request %d: %v", n, err)
	}
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(all[n-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range body.Messages {
		if m.Role != "system" {
			list = append(list, m.Role+": "+m.Content)
		}
	}
	return list
}

// pipe collects what is written and lets a test wait for it.
type pipe struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	changed chan struct{}
}

func newPipe() *pipe { return &pipe{changed: make(chan struct{})} }

func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.changed)
	p.changed = make(chan struct{})
	return p.buf.Write(b)
}

func (p *pipe) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// waitFor waits until something was written.
func (p *pipe) waitFor(t *testing.T, want string) {
	t.Helper()
	late := time.After(patience)
	for {
		p.mu.Lock()
		found, changed := strings.Contains(p.buf.String(), want), p.changed
		p.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("%q was not written:\n%s", want, p.text())
		}
	}
}

// holds checks that a text has all of some parts.
func holds(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s lacks %q:\n%s", what, p, text)
		}
	}
}

// on answers a text of the user, before any tool result.
func on(user string, steps ...script.Step) script.Rule {
	none := 0
	return script.Rule{Match: script.Match{User: user, Results: &none}, Steps: steps}
}

// after answers a text of the user once so many tool results are there.
func after(user string, results int, steps ...script.Step) script.Rule {
	return script.Rule{Match: script.Match{User: user, Results: &results}, Steps: steps}
}

func say(text string) script.Text { return script.Text{Text: text} }

func use(name string, args map[string]any) script.Call {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return script.Call{Name: name, Args: string(raw)}
}

func command(line string) script.Call { return use("terminal", map[string]any{"command": line}) }
