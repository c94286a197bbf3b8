//go:build unix

package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// user answers questions.
type user struct {
	tools.Host
	answer tools.Answer
	after  time.Duration
	asked  []tools.Approval
}

// Ask implements [tools.Host].
func (u *user) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	u.asked = append(u.asked, *q.Approval)
	select {
	case <-time.After(u.after):
		return u.answer, nil
	case <-ctx.Done():
		return tools.Answer{}, context.Cause(ctx)
	}
}

// newHeld is a bench in a place that confines single commands, and confines all but
// what is proved to only read.
func newHeld(t testing.TB, change func(*Options)) (*bench, *user) {
	t.Helper()
	b := newBench(t, func(o *Options) {
		local, ok := o.Place.(*place.Local)
		if !ok {
			t.Fatal("no local place")
		}
		keys := filepath.Join(local.Info().Home, ".keys")
		if err := os.Mkdir(keys, 0o700); err != nil {
			t.Fatal(err)
		}
		g, err := place.NewGuarded(context.Background(), local, place.GuardedOptions{
			Roots: []string{o.Dir}, ReadOnly: tools.ProtectedPaths(o.Dir), Hidden: []string{keys},
		})
		if errors.Is(err, place.ErrNoSandbox) {
			t.Skip("SKIPPED:", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		})
		o.Place = g
		if change != nil {
			change(o)
		}
	})
	u := &user{answer: tools.Answer{Choice: tools.ChoiceNone}}
	b.mode, b.host = approval.ModeGuarded, u
	return b, u
}

// plainly runs a command with all rights.
func (b *bench) plainly(command string) answer {
	b.t.Helper()
	was := b.mode
	b.mode = approval.ModeOff
	defer func() { b.mode = was }()
	return b.run("sh -c :; " + command) // of which it is not proved that it only reads
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func TestConfinedCommands(t *testing.T) {
	b, _ := newHeld(t, nil)
	for _, pty := range []bool{false, true} {
		args := map[string]any{"command": "touch inside && cp inside \"$(mktemp)\" && echo made; touch ../outside"}
		if pty {
			if b.o.Jobs == nil {
				continue
			}
			args["pty"] = true
		}
		a := b.call(context.Background(), args, nil)
		if a.Code == 0 || !strings.Contains(a.Output, "made") || a.View.Ran != tools.RanConfined {
			t.Errorf("pty %v: %+v", pty, a)
		}
		if !exists(filepath.Join(b.dir, "inside")) || exists(filepath.Join(b.dir, "../outside")) {
			t.Errorf("pty %v: the command was not confined to its folder", pty)
		}
	}
	if a := b.plainly("touch ../outside"); a.Code != 0 || !exists(filepath.Join(b.dir, "../outside")) || a.View.Ran != tools.RanOutside {
		t.Errorf("with all rights: %+v", a)
	}
}

// What a confined command exports reaches the next ones, whichever way they run, but
// for what steers which programs run.
func TestStateOverConfinement(t *testing.T) {
	b, _ := newHeld(t, nil)
	show := `echo "$PWD|$A|$HOME|$GIT_SSH_COMMAND|$PYTHONPATH|$XDG_CONFIG_HOME|${PATH%%:*}|${PATH##*:}"; true #`
	bin := filepath.Join(b.dir, "bin")
	b.want("mkdir -p bin sub; cd sub; export A=1 HOME=$PWD GIT_SSH_COMMAND=evil PYTHONPATH=$PWD XDG_CONFIG_HOME=$PWD PATH="+bin+":$PATH; true", "", 0)
	sub := filepath.Join(b.dir, "sub")
	if a := b.run(show); a.Output != strings.Join([]string{sub, "1", sub, "", sub, sub, bin}, "|")+"|/opt/homebrew/bin" {
		t.Errorf("confined again: %s", a.Output)
	}
	plain := `echo "$PWD|$A|$(printenv HOME)|$(printenv GIT_SSH_COMMAND)|$(printenv PYTHONPATH)|$(printenv XDG_CONFIG_HOME)|${PATH%%:*}|${PATH##*:}"`
	if a := b.plainly(plain); a.Output != strings.Join([]string{sub, "1", b.home, "", "", "", "/usr/local/bin", bin}, "|") {
		t.Errorf("with all rights: %s", a.Output)
	}
	b.plainly("export PYTHONPATH=/chosen B=2; unset A; cd ..")
	want := strings.Join([]string{b.dir, "", b.home, "", "/chosen", "", "/usr/local/bin", bin}, "|")
	if a := b.plainly(plain); a.Output != want {
		t.Errorf("with all rights, changed by one with all rights: %s, want %s", a.Output, want)
	}
	if a := b.run(`echo "$A-$B-$PYTHONPATH-$HOME"; true #`); a.Output != "-2-/chosen-"+sub {
		t.Errorf("confined, changed by one with all rights: %s", a.Output)
	}
}

// What a confined command exports comes with a command with all rights only where that
// names it, and what was judged with its value does not run without it.
func TestVariablesSeenInTheText(t *testing.T) {
	b, _ := newHeld(t, nil)
	b.want("export OPENSSL_CONF=x HTTPS_PROXY=x LUA_INIT=x MAKEFILES=x DATABASE_URL=x GODIR=$PWD/tmp HOME=$PWD CDPATH=$PWD; true", "", 0)
	if a := b.plainly("env"); a.Code != 0 || regexp.MustCompile(`(?m)^\w+=x$|^GODIR|^CDPATH`).MatchString(a.Output) {
		t.Errorf("not named: %+v", a)
	}
	if a := b.plainly("echo $DATABASE_URL"); a.Output != "x" {
		t.Errorf("named: %+v", a)
	}
	for _, command := range []string{`touch ran; rm -rf "$GODIR"/x`, "touch ran; echo ${GODIR:-/}", "touch ran; echo ~/x", "touch ran; cd tmp", "touch ran; echo ${!GODIR}"} {
		if a := b.plainly(command); a.Error == nil || !strings.Contains(*a.Error, "confined") || exists(filepath.Join(b.dir, "ran")) {
			t.Errorf("%s: %+v", command, a)
		}
	}
	if a := b.plainly("GODIR=1; env HOME=/x true; true"); a.Error != nil {
		t.Errorf("set by itself: %+v", a)
	}
}

// TestReadersAreConfined holds that commands proved to only read are confined as well: a file
// may be exchanged while they wait, so they read no key whatever leads there by then.
func TestReadersAreConfined(t *testing.T) {
	b, _ := newHeld(t, nil)
	key, file := filepath.Join(b.home, ".keys", "id"), filepath.Join(b.dir, "file")
	for name, text := range map[string]string{key: "SECRET", file: "x"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []approval.Mode{approval.ModeGuarded, approval.ModeManual} {
		b.mode = mode
		if a := b.run("cat file"); a.Output != "x" || a.View.Ran != tools.RanConfined {
			t.Errorf("%s: %+v", mode, a)
		}
	}
	b.mode = approval.ModeGuarded
	pipe := filepath.Join(b.dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan answer, 1)
	go func() { waiting <- b.run("cat pipe file") }()
	var held *os.File
	for held == nil { // it was let, and runs, once it has opened the pipe
		held, _ = os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		select {
		case a := <-waiting:
			t.Fatalf("it did not wait: %+v", a)
		case <-time.After(10 * time.Millisecond):
		}
	}
	for _, err := range []error{os.Remove(file), os.Symlink(key, file), held.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if a := <-waiting; a.Code == 0 || strings.Contains(a.Output, "SECRET") {
		t.Errorf("exchanged meanwhile: %+v", a)
	}
}

// A link in the shared folder, where the state of a confined command would be, is
// neither followed by a command with all rights nor read.
func TestStateThroughLink(t *testing.T) {
	b, _ := newHeld(t, nil)
	b.want("true #", "", 0)
	secret := filepath.Join(b.home, "own")
	if err := os.WriteFile(secret, []byte("/\x00X=stolen\x00END\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a := b.run("rm -f " + b.sharedState() + "; ln -s " + secret + " " + b.sharedState() + "; exec true"); a.Code != 0 {
		t.Fatalf("%+v", a)
	}
	if a := b.plainly("export Y=1; cd /; echo ${X-unset}"); a.Output != "unset" {
		t.Errorf("%+v", a)
	}
	if data, err := os.ReadFile(secret); err != nil || !strings.Contains(string(data), "stolen") {
		t.Errorf("the state was written through a link: %q, %v", data, err)
	}
	if b.Dir() != "/" {
		t.Errorf("the state of a command with all rights is lost: %s", b.Dir())
	}
}

func TestConfinedEnvironment(t *testing.T) {
	keep := []string{
		"GITHUB_TOKEN=a", "NPM_TOKEN=b", "AWS_PROFILE=c", "DB_PASSWORD=d", "MY_SESSION=e", "SSH_AUTH_SOCK=f", "DOCKER_HOST=g", "KUBECONFIG=h",
		"GPG_AGENT_INFO=i", "DBUS_SESSION_BUS_ADDRESS=j", "some_cookie=k",
	}
	b, _ := newHeld(t, func(o *Options) {
		o.Env = append(slices.Clone(o.Env), append(keep, "PASSED_TOKEN=p", "PLAIN=q")...)
		o.PassEnv = []string{"PASSED_TOKEN"}
	})
	var names []string
	for _, kv := range keep {
		name, _, _ := strings.Cut(kv, "=")
		names = append(names, name)
	}
	show := "printenv " + strings.Join(names, " ") + " PASSED_TOKEN PLAIN; true #"
	if a := b.run(show); a.Output != "p\nq" {
		t.Errorf("confined: %q", a.Output)
	}
	if a := b.plainly(show); a.Output != "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\np\nq" {
		t.Errorf("with all rights: %q", a.Output)
	}
	b.want("export OWN_TOKEN=mine GITHUB_TOKEN=mine; true", "", 0)
	if a := b.run("printenv OWN_TOKEN GITHUB_TOKEN NPM_TOKEN; true #"); a.Output != "mine\nmine" {
		t.Errorf("set by a command: %q", a.Output)
	}
}

func TestGitWhereNotTrusted(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: no git here")
	}
	trusted := false
	b, _ := newHeld(t, func(o *Options) {
		o.Trusted = func() bool { return trusted }
		o.Env = append(slices.Clone(o.Env), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=own")
	})
	b.plainly("git init -q . && git config core.fsmonitor 'touch monitored;:' && git config user.name a && git config user.email b && " +
		"printf '#!/bin/sh\\ntouch hooked\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit")
	use := "touch f; git add f; git status >/dev/null; git commit -qm x; git log -1 --format=%an"
	if a := b.run(use); !strings.HasPrefix(a.Output, "own\n[The user has not said") || exists(filepath.Join(b.dir, "monitored")) || exists(filepath.Join(b.dir, "hooked")) {
		t.Errorf("not trusted: %+v", a)
	}
	trusted = true
	if a := b.run("rm -f monitored; echo y > f; git commit -qam y"); a.Code != 0 || !exists(filepath.Join(b.dir, "monitored")) || !exists(filepath.Join(b.dir, "hooked")) {
		t.Errorf("trusted: %+v", a)
	}
}

func TestRunAgainOutside(t *testing.T) {
	command := "touch ../outside && echo made"
	type test struct {
		answer  tools.Answer
		command string
		ran     tools.Ran
		made    bool
		asked   int
		says    []string
	}
	for name, c := range map[string]test{
		"once":     {tools.Answer{Choice: tools.ChoiceOnce}, command, tools.RanOutside, true, 1, []string{"second run", "made"}},
		"confined": {tools.Answer{Choice: tools.ChoiceConfined}, command, tools.RanConfined, false, 1, []string{"ran confined", "outside", "$TMPDIR"}},
		"denied":   {tools.Answer{Choice: tools.ChoiceDeny, Text: "use make"}, command, tools.RanConfined, false, 1, []string{"use make"}},
		"nobody":   {tools.Answer{Choice: tools.ChoiceNone}, command, tools.RanConfined, false, 1, []string{"ran confined"}},
		"changed":  {tools.Answer{Choice: tools.ChoiceOnce}, "touch inside; " + command, tools.RanConfined, false, 0, []string{"changed"}},
		"fails":    {tools.Answer{Choice: tools.ChoiceOnce}, "sh -c 'echo expected 3, got 4; exit 1'", tools.RanConfined, false, 0, nil},
		"hidden":   {tools.Answer{Choice: tools.ChoiceConfined}, "cat ~/.keys/id; false", tools.RanConfined, false, 1, []string{".keys/id"}},
	} {
		t.Run(name, func(t *testing.T) {
			b, u := newHeld(t, nil)
			u.answer = c.answer
			a := b.run(c.command)
			if a.View.Ran != c.ran || exists(filepath.Join(b.dir, "../outside")) != c.made || len(u.asked) != c.asked {
				t.Errorf("%d questions, ran %q: %+v", len(u.asked), a.View.Ran, a)
			}
			for _, text := range c.says {
				if !strings.Contains(a.Output, text) {
					t.Errorf("the model does not read %q: %s", text, a.Output)
				}
			}
			if c.made && (!strings.Contains(a.View.Body, "cannot touch") || !strings.Contains(a.View.Body, "── run again, outside ──") || strings.Contains(a.Output, "cannot touch")) {
				t.Errorf("the runs are not told apart: %q", a.View.Body)
			}
		})
	}
}

// TestGitCannotSetUpstream: what git does with branches is done, and the model reads that
// their settings are not, whatever git says.
func TestGitCannotSetUpstream(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git here")
	}
	b, u := newHeld(t, nil)
	b.plainly("git init -q -b main . && git -c user.name=u -c user.email=u@example.com commit -q --allow-empty -m one && git branch old && git clone -q . ../up")
	b.plainly("git -C ../up branch x && git remote add origin ../up && git fetch -q")
	before, err := os.ReadFile(filepath.Join(b.dir, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"git switch -c x origin/x", "git branch -d old"} {
		a := b.run(command)
		if a.Code != 0 || a.View.Ran != tools.RanConfined || !strings.Contains(a.Output, "Confined commands cannot write .git/config") {
			t.Errorf("%s: %+v", command, a)
		}
	}
	b.want("git branch --format='%(refname:short) %(upstream)'; git branch -a | grep -c old", "main \nx \n0", 1)
	if after, err := os.ReadFile(filepath.Join(b.dir, ".git/config")); err != nil || string(after) != string(before) || len(u.asked) > 0 {
		t.Errorf("%v, %d questions, the settings are\n%s", err, len(u.asked), after)
	}
	if a := b.run("git branch other; git status"); strings.Contains(a.Output, "Confined") {
		t.Errorf("said of a command that has done all: %q", a.Output)
	}
}

// The time for which the user is asked is not the command's.
func TestQuestionStopsTheLimit(t *testing.T) {
	b, u := newHeld(t, nil)
	u.answer, u.after = tools.Answer{Choice: tools.ChoiceOnce}, 3500*time.Millisecond
	a := b.call(context.Background(), map[string]any{"command": "touch ../outside && echo made", "timeout": 3}, nil)
	if !strings.Contains(a.Output, "made") || len(u.asked) != 1 {
		t.Errorf("%+v", a)
	}
}
