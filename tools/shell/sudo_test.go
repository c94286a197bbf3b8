//go:build unix

package shell

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

// standIn behaves like sudo where it matters here: it runs the program in
// SUDO_ASKPASS when it needs a password and is told to by -A, three times at most.
const standIn = `#!/bin/sh
ask= never=
while [ $# -gt 0 ]; do
	case $1 in
	-A) ask=1; shift ;;
	-n) never=1; shift ;;
	*) break ;;
	esac
done
[ -e "$HOME/nopasswd" ] && exec "$@"
[ -n "$never" ] && { echo "sudo: a password is required" >&2; exit 1; }
[ -n "$ask" ] || { echo "sudo: a terminal is required to read the password" >&2; exit 1; }
for try in 1 2 3; do
	password=$("$SUDO_ASKPASS" "[sudo] password: ") || { echo "sudo: no password was provided" >&2; exit 1; }
	if [ "$password" = "it's \\s3cret" ]; then exec "$@"; fi
	echo "Sorry, try again." >&2
done
echo "sudo: 3 incorrect password attempts" >&2
exit 1
`

const secret = `it's \s3cret`

// answers answers questions for passwords in order; the last one for good.
type answers struct {
	mu    sync.Mutex
	list  []tools.Answer
	asked []tools.Secret
	wait  chan struct{} // if set, an answer takes until it closes
}

func said(texts ...string) *answers {
	a := &answers{}
	for _, s := range texts {
		a.list = append(a.list, tools.Answer{Choice: tools.ChoiceText, Text: s})
	}
	return a
}

func (a *answers) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	a.mu.Lock()
	a.asked = append(a.asked, *q.Secret)
	got := tools.Answer{Choice: tools.ChoiceNone}
	if len(a.list) > 0 {
		got, a.list = a.list[0], a.list[1:]
	}
	wait := a.wait
	a.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return tools.Answer{}, context.Cause(ctx)
		}
	}
	return got, nil
}

func (a *answers) Invoke(context.Context, tools.Call) tools.Result { return tools.Result{} }

func (a *answers) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.asked)
}

func sudoBench(t *testing.T) *bench {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "sudo"), []byte(standIn), 0o755); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, func(o *Options) {
		o.Env = append(o.Env, "PATH="+bin+":/usr/bin:/bin")
	})
	b.sudoUser = strconv.Itoa(os.Getuid())
	return b
}

// with runs a command with someone there to ask.
func (b *bench) with(host tools.Host, args map[string]any) answer {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	action, err := b.tool.Action(raw)
	if err != nil {
		b.t.Fatal(err)
	}
	if action.Command != args["command"] {
		b.t.Errorf("shown as %q", action.Command)
	}
	permit, err := b.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Action: action, Mode: approval.ModeOff})
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	res, err := b.tool.Run(ctx, tools.Call{Args: raw, Permit: permit}, host, io.Discard)
	if err != nil {
		b.t.Fatal(err)
	}
	a := answer{Result: res}
	if err := json.Unmarshal([]byte(res.Content), &a); err != nil {
		b.t.Fatal(err)
	}
	if strings.Contains(res.Content, "s3cret") {
		b.t.Errorf("the password is in the result: %s", res.Content)
	}
	return a
}

func sudo(command string) map[string]any { return map[string]any{"command": command} }

func TestSudoAsksOnce(t *testing.T) {
	b := sudoBench(t)
	host := said(secret)
	a := b.with(host, sudo("echo input | sudo cat; sudo echo again | cat"))
	if a.Output != "input\nagain" || a.Code != 0 {
		t.Errorf("%q, exit %d", a.Output, a.Code)
	}
	if a := b.with(host, sudo("sudo echo third; env | grep -c ASKPASS")); a.Output != "third\n1" {
		t.Errorf("%q", a.Output)
	}
	if len(host.asked) != 1 || host.asked[0].Label != "sudo password of "+b.place.Info().User || host.asked[0].Reason != "echo input | sudo cat; sudo echo again | cat" {
		t.Errorf("%+v", host.asked)
	}
	b.want("env | grep ASKPASS", "", 1) // it does not last
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b.sudo.value != nil {
		t.Error("the password is still there")
	}
}

func TestSudoIsNotAskedWithoutNeed(t *testing.T) {
	b := sudoBench(t)
	if err := os.WriteFile(filepath.Join(b.home, "nopasswd"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	host := said()
	if a := b.with(host, sudo("sudo echo free")); a.Output != "free" || host.count() != 0 {
		t.Errorf("%q, %+v", a.Output, host.asked)
	}
	if err := os.Remove(filepath.Join(b.home, "nopasswd")); err != nil {
		t.Fatal(err)
	}
	if a := b.with(host, sudo("sudo -n true")); a.Code != 1 || host.count() != 0 {
		t.Errorf("%q, %+v", a.Output, host.asked)
	}
	if a := b.with(host, sudo("echo 'sudo x'")); a.Output != "sudo x" || host.count() != 0 {
		t.Errorf("%q, %+v", a.Output, host.asked)
	}
}

func TestWrongPasswords(t *testing.T) {
	b := sudoBench(t)
	host := said("wrong", secret)
	if a := b.with(host, sudo("sudo echo in")); a.Output != "Sorry, try again.\nin" || host.count() != 2 {
		t.Errorf("%q, asked %d times", a.Output, host.count())
	}
	host = said("a", "b", "c", "d")
	b.sudo.keep([]byte("old"))
	if a := b.with(host, sudo("sudo echo in")); a.Code != 1 || host.count() != 2 {
		t.Errorf("%q, asked %d times", a.Output, host.count())
	}
	if b.sudo.value != nil {
		t.Error("a wrong password is kept")
	}
	host = said("a", "b", "c", "d")
	if a := b.with(host, sudo("sudo echo in")); a.Code != 1 || host.count() != 3 {
		t.Errorf("%q, asked %d times", a.Output, host.count())
	}
	if b.sudo.value != nil {
		t.Error("a wrong password is kept")
	}
}

func TestNoOneEntersAPassword(t *testing.T) {
	b := sudoBench(t)
	for name, host := range map[string]tools.Host{
		"nobody": nil, "no answer": said(), "empty": said(""), "two lines": said("a\nb"),
	} {
		if a := b.with(host, sudo("sudo true || sudo echo in")); a.Code != 1 || strings.Count(a.Output, "no password was provided") != 2 || !strings.HasSuffix(a.Output, noPassword) {
			t.Errorf("%s: %q, exit %d", name, a.Output, a.Code)
		}
		if h, ok := host.(*answers); ok && h.count() != 1 {
			t.Errorf("%s: asked %d times", name, h.count())
		}
	}
}

// Only sudo gets the password, and nothing is left of it.
func TestOnlySudoGetsThePassword(t *testing.T) {
	b := sudoBench(t)
	host := said(secret)
	for _, command := range []string{
		`sudo true; "$SUDO_ASKPASS" x; echo $?`,
		`sudo true; sh -c '"$SUDO_ASKPASS" x'; echo $?`,
		`sudo true; d=${SUDO_ASKPASS%/*}; mkfifo $d/answer.1; exec 5<>$d/answer.1; echo 1 >$d/ask; read x <&5; echo "$x"; echo 1`,
	} {
		a := b.with(host, sudo(command))
		if !strings.HasSuffix(a.Output, "1") || strings.Contains(a.Output, "+") {
			t.Errorf("%s: %q", command, a.Output)
		}
	}
	st, err := os.Stat(b.askpassFile())
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st, err)
	}
	err = filepath.WalkDir(b.place.Info().Temp, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if strings.Contains(string(data), "s3cret") {
			t.Errorf("the password is in %s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, kv := range b.env {
		if strings.Contains(kv, "s3cret") || strings.HasPrefix(kv, "SUDO_") {
			t.Errorf("environment: %s", kv)
		}
	}
}

// The time of a command stands still while the user is asked, and an interrupt
// ends the question.
func TestAskingTakesNoTime(t *testing.T) {
	b := sudoBench(t)
	host := said(secret)
	host.wait = make(chan struct{})
	timer := time.AfterFunc(1500*time.Millisecond, func() { close(host.wait) })
	defer timer.Stop()
	if a := b.with(host, map[string]any{"command": "sudo echo in", "timeout": 1}); a.Output != "in" {
		t.Errorf("%q, exit %d", a.Output, a.Code)
	}
	b.sudo.forget()
	host = said(secret)
	host.wait = make(chan struct{})
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	raw, _ := json.Marshal(sudo("sudo echo in"))
	action, err := b.tool.Action(raw)
	if err != nil {
		t.Fatal(err)
	}
	permit, err := b.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Action: action, Mode: approval.ModeOff})
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	go func() {
		for host.count() == 0 {
			<-tick.C
		}
		cancel(errors.New("stopped"))
	}()
	began := time.Now()
	res, err := b.tool.Run(ctx, tools.Call{Args: raw, Permit: permit}, host, io.Discard)
	if err != nil || res.Status != tools.StatusCancelled || time.Since(began) > 5*time.Second {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestUsesSudo(t *testing.T) {
	for command, want := range map[string]bool{
		"sudo x": true, "a && sudo x": true, "echo $(sudo x)": true, "'sudo' x": true, "time sudo x": true, "A=1 sudo x | y": true,
		"echo sudo": false, "echo 'a; sudo x'": false, "/usr/bin/sudo x": false, "sudoedit x": false, "cat <<E\nsudo x\nE": false, "sudo 'x": false,
	} {
		if got := usesSudo(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

// A password that the model hands over itself stays the gate's business.
func TestModelsOwnPassword(t *testing.T) {
	b := sudoBench(t)
	action, err := b.tool.Action(json.RawMessage(`{"command":"echo x | sudo -S true"}`))
	if err != nil {
		t.Fatal(err)
	}
	var denied *approval.Denied
	if _, err := b.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Action: action, Mode: approval.ModeOff}); !errors.As(err, &denied) {
		t.Errorf("%v", err)
	}
}

// The functions of the user come first, also one that is called sudo.
func TestOwnSudoFunction(t *testing.T) {
	b := sudoBench(t)
	b.o.NoInit = false
	if !isBash(b.place.Info().Shell) {
		t.Skip("SKIPPED: no bash here")
	}
	if err := os.WriteFile(filepath.Join(b.home, ".bashrc"), []byte("sudo() { echo \"my own $*\"; }\nalias sudo='sudo '\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a := b.with(said(), sudo("sudo x")); a.Output != "my own x" {
		t.Errorf("%q", a.Output)
	}
}

// TestRealSudo runs as a user who needs a password for sudo, given in
// HERMES_TEST_SUDO_PASSWORD.
func TestRealSudo(t *testing.T) {
	password := os.Getenv("HERMES_TEST_SUDO_PASSWORD")
	if _, err := exec.LookPath("sudo"); err != nil || password == "" || os.Getuid() == 0 {
		t.Skip("SKIPPED: the real sudo is not tested: it wants sudo, an ordinary user and the password in HERMES_TEST_SUDO_PASSWORD")
	}
	b := newBench(t, nil)
	host := said("wrong", password)
	if a := b.with(host, sudo("sudo -k; sudo id -u; echo data | sudo cat")); !strings.HasSuffix(a.Output, "0\ndata") || host.count() != 2 {
		t.Errorf("%q, asked %d times", a.Output, host.count())
	}
	if a := b.with(host, map[string]any{"command": "sudo -k; sudo id -u; \"$SUDO_ASKPASS\" || echo refused"}); a.Output != "0\nrefused" || host.count() != 2 {
		t.Errorf("%q, asked %d times", a.Output, host.count())
	}
	if a := b.with(said(), sudo("sudo -K; sudo -k; sudo -v && echo valid")); a.Output != "valid" {
		t.Errorf("%q", a.Output)
	}
	b.sudo.forget()
	if a := b.with(said(), sudo("sudo -k; sudo id -u")); a.Code != 1 || !strings.HasSuffix(a.Output, noPassword) {
		t.Errorf("%q, exit %d", a.Output, a.Code)
	}
	host = said("a", "b", "c", "d")
	if a := b.with(host, sudo("sudo -k; sudo id -u")); a.Code != 1 || host.count() != 3 || b.sudo.value != nil {
		t.Errorf("%q, asked %d times", a.Output, host.count())
	}
}
