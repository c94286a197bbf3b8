//go:build unix

package ui_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// again runs the program without a screen, in a home that is kept.
func again(t *testing.T, o Options, prompt string) string {
	t.Helper()
	l := Prepare(t, o)
	cmd := exec.Command(l.Bin, append(l.Args, "exec", prompt)...)
	cmd.Env, cmd.Dir = l.Env, l.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var last string
	for _, r := range l.Server.Requests() {
		last = string(r.Body)
	}
	return last
}

// saysNetwork says whether it runs in a network of its own.
const saysNetwork = `echo "netns-$( [ "$(wc -l < /proc/net/dev)" = 3 ] && echo yes )"`

// confinesNetwork skips a test where commands are given no network of their own.
func confinesNetwork(t *testing.T, result string) {
	t.Helper()
	if !strings.Contains(result, "netns-yes") {
		t.Skip("SKIPPED: this machine gives commands no network of their own")
	}
}

// TestFirstCommandTwiceInTheSameHome has the first command of each start say whether it was
// told of the way out: what the program remembers from the start before takes nothing away.
func TestFirstCommandTwiceInTheSameHome(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	home, dir := work(t, nil)
	o := Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Timeout: 30 * time.Second}
	scenario := func() Options {
		o.Scenario = answers(
			on("^go$", run(saysNetwork+`; echo "first-${HTTPS_PROXY:+proxy}"`)),
			after("^go$", 1, run(`echo "second-${HTTPS_PROXY:+proxy}"`)),
			after("^go$", 2, say("Finis.")),
		)
		return o
	}
	for _, start := range []string{"first", "second"} {
		result := again(t, scenario(), "go")
		confinesNetwork(t, result)
		if !strings.Contains(result, "first-proxy") || !strings.Contains(result, "second-proxy") {
			t.Errorf("%s start, without a screen: %s", start, result)
		}
	}
	for _, start := range []string{"first", "second"} {
		d := Start(t, scenario())
		d.Type("go").Press("enter").WaitFor(Contains("Finis."))
		m := sent(t, d)
		if first := m[len(m)-2].Content + m[len(m)-3].Content; !strings.Contains(first, "first-proxy") || !strings.Contains(m[len(m)-1].Content, "second-proxy") {
			t.Errorf("%s start on the screen: %+v", start, m)
		}
		d.Quit().Wait()
	}
}

// TestThisMachineTwiceInTheSameHome has the first command of each start speak to a server
// of this machine that does not speak HTTP: without anyone to ask it is refused with what
// to do, with the port in the settings it is reached, and on the screen it is asked about.
func TestThisMachineTwiceInTheSameHome(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "welcome from outside\n") // or it has gone
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	home, dir := work(t, nil)
	o := Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Timeout: 30 * time.Second}
	scenario := func(config string) Options {
		o.Config = config
		o.Scenario = answers(
			on("^go$", run(`echo "netns-$( [ "$(wc -l < /proc/net/dev)" = 3 ] && echo yes )"; exec 3<>/dev/tcp/localhost/`+port+`; cat <&3 || false`)),
			after("^go$", 1, say("Finis.")),
		)
		return o
	}
	for range 2 {
		result := again(t, scenario(""), "go")
		confinesNetwork(t, result)
		if strings.Contains(result, "welcome") || !strings.Contains(result, "by listing localhost:"+port+" under approvals.hosts") {
			t.Errorf("no one is asked: %s", result)
		}
		if result = again(t, scenario("approvals: {hosts: [\"127.0.0.1:"+port+"\"]}\n"), "go"); !strings.Contains(result, "welcome from outside") {
			t.Errorf("listed: %s", result)
		}
	}
	for range 2 {
		d := Start(t, scenario("approvals: {hosts: []}\n"))
		d.Type("go").Press("enter").WaitFor(Contains("localhost:"+port), Contains("port "+port+" of this machine"))
		d.Press("tab").Press("y").WaitFor(Contains("Finis."))
		if m := sent(t, d); !strings.Contains(m[len(m)-1].Content, "welcome from outside") {
			t.Errorf("allowed: %+v", m[len(m)-1])
		}
		d.Quit().Wait()
	}
}

// gitIn runs git in a folder, with the name of someone.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
	return string(out)
}

// TestPushTwiceInTheSameHome pushes to a repository elsewhere on the disk, in a folder that
// has hooks: trust is asked about once, the push every time, and what was allowed works.
func TestPushTwiceInTheSameHome(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("SKIPPED: there is no " + name)
		}
	}
	home, dir := work(t, nil)
	bare := filepath.Join(filepath.Dir(filepath.Dir(dir)), "bare.git")
	gitIn(t, "/", "init", "-q", "--bare", bare)
	gitIn(t, dir, "init", "-q")
	gitIn(t, dir, "remote", "add", "origin", bare)
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	put(t, dir, map[string]string{".git/hooks/pre-push": "#!/bin/sh\necho the hook has run >> ran\n"})
	for i, command := range []string{"git push -u origin main", "git push --force origin main"} {
		d := Start(t, Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Timeout: 30 * time.Second, Scenario: answers(
			on("^go$", run(command)), after("^go$", 1, say("Finis.")),
		)})
		d.Type("go").Press("enter")
		if i == 0 {
			d.WaitFor(Contains("pre-push")).Press("tab").Press("y")
		}
		d.WaitFor(Contains("sends commits to another repository")).Press("tab").Press("y").WaitFor(Contains("Finis."))
		if m := sent(t, d); !strings.Contains(m[len(m)-1].Content, "main") || strings.Contains(m[len(m)-1].Content, "fatal") {
			t.Errorf("%s: %+v", command, m[len(m)-1])
		}
		d.Quit().Wait()
		gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "second", "--amend")
	}
	if n := strings.Count(gitIn(t, bare, "log", "--format=%s", "main"), "second"); n != 1 {
		t.Error("the second push did not arrive")
	}
	if ran, err := os.ReadFile(filepath.Join(dir, "ran")); err != nil || strings.Count(string(ran), "run") != 2 {
		t.Errorf("the hook of a trusted folder: %q, %v", ran, err)
	}
}

// TestHooksOfAFolderThatIsNotTrusted commits where no one can be asked about trust: what
// git did not run is said, and the user's own settings of git hold.
func TestHooksOfAFolderThatIsNotTrusted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("SKIPPED: there is no " + name)
		}
	}
	home, dir := work(t, nil)
	user := filepath.Dir(home)
	put(t, user, map[string]string{".gitconfig": "[user]\n\tname = a\n\temail = a@b.example\n[credential]\n\thelper = \"!f() { echo username=own; echo password=p; }; f\"\n"})
	gitIn(t, dir, "init", "-q")
	gitIn(t, dir, "config", "credential.helper", "!echo username=foreign; echo password=x; true")
	put(t, dir, map[string]string{".git/hooks/pre-commit": "#!/bin/sh\necho ran >> ran\nexit 1\n"})
	for mode, command := range map[string]string{
		"guarded": "git commit -q --allow-empty -m x; true",
		"off":     "git commit -q --allow-empty -m x; printf 'protocol=https\\nhost=x.example\\n\\n' > q; git credential fill < q; true",
	} {
		for range 2 {
			result := again(t, Options{Home: home, Dir: dir, Config: "approvals: {mode: " + mode + "}\n", Scenario: answers(on("^go$", run(command)), after("^go$", 1, say("Finis.")))}, "go")
			if strings.Contains(result, `\nusername=foreign`) || mode == "off" && !strings.Contains(result, `\nusername=own`) || !strings.Contains(result, "the hook pre-commit, helper =") {
				t.Errorf("%s: %s", mode, result)
			}
		}
	}
	if there(filepath.Join(dir, "ran")) {
		t.Error("the hook has run")
	}
}
