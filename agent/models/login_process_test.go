package models

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers/login"
	"hermes-tui/store"
	"hermes-tui/store/atomicfile"
)

// loginTask makes [TestLoginHelper] another process: its value is "TASK HOME ISSUER".
const loginTask = "HERMES_TUI_TEST_LOGIN"

// TestLoginHelper is what the other processes of these tests do.
func TestLoginHelper(t *testing.T) {
	task := strings.Fields(os.Getenv(loginTask))
	if len(task) != 3 {
		t.Skip("NOT A TEST: it is for other tests")
	}
	home, err := store.Find(store.Where{Dir: task[1]})
	if err != nil {
		t.Fatal(err)
	}
	l, err := OpenLogins(loginOptions(home, task[2], nil))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	say := func(what string) { fmt.Fprintln(os.Stderr, "> "+what) }
	say("ready")
	if task[0] == "login" {
		_, err := l.Login(t.Context(), "", LoginWay{Device: func(p login.Prompt) {
			say(p.Code)
			_, _ = io.Copy(io.Discard, os.Stdin) // until the test has done its part
		}})
		say(fmt.Sprint("end: ", err))
		return
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	s, err := l.Source(login.ProviderOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := s.Token(t.Context())
	say(fmt.Sprint("end: ", token[max(len(token)-8, 0):], err))
}

// other is another process.
type other struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.Closer
	lines *bufio.Scanner
}

func (b *loginBox) process(task string) *other {
	b.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestLoginHelper$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), loginTask+"="+task+" "+b.home.Dir()+" "+b.issuer.URL, "GORACE=atexit_sleep_ms=0")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	out, err := cmd.StderrPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &other{t: b.t, cmd: cmd, in: in, lines: bufio.NewScanner(out)}
}

// next is the next thing the process says.
func (o *other) next() string {
	o.t.Helper()
	for o.lines.Scan() {
		if what, ok := strings.CutPrefix(o.lines.Text(), "> "); ok {
			return what
		}
	}
	o.t.Fatal("the process ended without a word")
	return ""
}

// kill ends the process as kill -9 does.
func (o *other) kill() {
	o.t.Helper()
	if err := o.cmd.Process.Kill(); err != nil {
		o.t.Fatal(err)
	}
	_ = o.cmd.Wait() // it was killed
}

// TestTwoProcessesRenew lets several programs find the token at its end at once: one
// of them spends the refresh token, all use what came back.
func TestTwoProcessesRenew(t *testing.T) {
	b := newLoginBox(t)
	b.stored(time.Minute)
	var all []*other
	for range 3 {
		o := b.process("use")
		o.next()
		all = append(all, o)
	}
	for _, o := range all {
		if err := o.in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ends := map[string]bool{}
	for _, o := range all {
		ends[o.next()] = true
		if err := o.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if len(ends) != 1 || b.issuer.Asked("/oauth/token") != 1 {
		t.Errorf("renewed %d times; they ended with %v", b.issuer.Asked("/oauth/token"), ends)
	}
	for end := range ends {
		if !strings.HasSuffix(end, "<nil>") {
			t.Error(end)
		}
	}
}

// TestKilledBeforeStoring kills a program that has the tokens of a login and waits to
// store them: the file is as it was, and logging in once more works.
func TestKilledBeforeStoring(t *testing.T) {
	b := newLoginBox(t)
	b.write(`{"version":1,"credential_pool":{"openrouter":[{"id":"000001","source":"manual","access_token":"k"}]}}`)
	o := b.process("login")
	o.next()
	code := o.next() // the file was proved to be writable
	before := b.file()
	held, err := atomicfile.Acquire(t.Context(), filepath.Join(b.home.Dir(), "auth.lock"))
	if err != nil {
		t.Fatal(err)
	}
	b.issuer.Use(code, "approved")
	if err := o.in.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return b.issuer.Asked("/oauth/token") == 1 })
	o.kill()
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if b.file() != before {
		t.Errorf("auth.json became %s", b.file())
	}
	l := b.open()
	if _, err := l.Login(t.Context(), "", b.onDevice()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(b.file(), "openrouter") {
		t.Error("other keys are gone")
	}
}

// TestKilledWhileRenewing kills a program after the service has spent the refresh
// token: what is lost is that login, and the next program says how to make another.
func TestKilledWhileRenewing(t *testing.T) {
	b := newLoginBox(t)
	b.stored(-time.Second)
	before := b.file()
	spent, free := make(chan struct{}), make(chan struct{})
	defer close(free)
	b.issuer.Instead("/oauth/token", func(_ http.ResponseWriter, r *http.Request) {
		b.issuer.Usual(httptest.NewRecorder(), r) // the answer never leaves
		close(spent)
		<-free
	})
	o := b.process("use")
	o.next()
	if err := o.in.Close(); err != nil {
		t.Fatal(err)
	}
	<-spent
	o.kill()
	b.issuer.Instead("/oauth/token", nil)
	if !strings.Contains(b.file(), `"kept"`) || strings.Count(b.file(), "rt-") < strings.Count(before, "rt-") {
		t.Errorf("auth.json became %s", b.file())
	}
	s, err := b.open().Source(login.ProviderOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "log in again with hermes-tui login openai-codex") {
		t.Errorf("got %v", err)
	}
	if _, err := b.open().Login(t.Context(), "", b.onDevice()); err != nil {
		t.Error(err)
	}
}

// eventually waits for a condition.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	late := time.After(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("it does not happen")
		}
	}
}
