//go:build linux

package workday

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// The rules of a scenario.
func on(user string, results int, steps ...script.Step) script.Rule {
	return script.Rule{Match: script.Match{User: user, Results: &results}, Steps: steps}
}

func say(text string) script.Text { return script.Text{Text: text} }

func call(name string, args map[string]any) script.Call {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return script.Call{Name: name, Args: string(raw)}
}

func run(command string) script.Call { return call("terminal", map[string]any{"command": command}) }

// shift is the machine that a day is spent on.
type shift struct {
	*testing.T
	home, dir, origin string
	port              string // of a server of the user on this machine
}

// begin makes a home, a repository elsewhere and a clone of it.
func begin(t *testing.T) *shift {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &shift{T: t, home: filepath.Join(base, "home", ".hermes"), dir: filepath.Join(base, "home", "project"), origin: filepath.Join(base, "origin.git")}
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		t.Fatal(err)
	}
	settings := "[user]\n\tname = A User\n\temail = user@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(base, "home", ".gitconfig"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s.git(base, "init", "-q", "--bare", s.origin)
	s.git(base, "clone", "-q", s.origin, s.dir)
	for name, text := range map[string]string{
		"README.md":    "# A project\n",
		"test_calc.py": "import unittest\nimport no_such_module\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1, 1)\n",
		"calc.test.js": "const test = require('node:test');\ntest('adds', () => { require('./no-such-file'); });\n",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.git(s.dir, "add", "-A")
	s.git(s.dir, "commit", "-qm", "begin")
	s.git(s.dir, "push", "-q", "origin", "HEAD:main")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "served-here") }), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	_, s.port, _ = net.SplitHostPort(l.Addr().String())
	return s
}

// git runs git as the user does, outside of the program.
func (s *shift) git(dir string, args ...string) string {
	s.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(s.home), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *shift) options() Options {
	return Options{Cols: 120, Rows: 40, Home: s.home, Dir: s.dir, Timeout: time.Minute, Scenario: s.scenario()}
}

// start starts the program, in the same home each time.
func (s *shift) start() *Driver {
	s.Helper()
	return Start(s.T, s.options())
}

// scenario is the model of the day.
func (s *shift) scenario() *script.Scenario {
	look := `echo "alone-$( [ "$(wc -l < /proc/net/dev)" = 3 ] && echo yes )-way-${HTTPS_PROXY:+proxy}"`
	return &script.Scenario{Name: "workday", Rules: []script.Rule{
		on("Your task:\ncount the files", 0, run("ls")), on("Your task:\ncount the files", 1, say("Three files.")),
		on("Your task:\nread the readme", 0, call("read_file", map[string]any{"path": "README.md"})), on("Your task:\nread the readme", 1, say("It has a heading.")),
		on("^look$", 0, run(look)), on("^look$", 1, say("Looked.")),
		on("^commit$", 0, run("echo more >> README.md && git add -A && git commit -qm more && git log --oneline -1")), on("^commit$", 1, say("Committed.")),
		on("^push$", 0, run("git push -q origin HEAD:main")), on("^push$", 1, say("Pushed.")),
		on("^fetch$", 0, run("curl -sS -m 20 http://localhost:"+s.port)), on("^fetch$", 1, say("Fetched: {{last_tool}}")),
		on("^python$", 0, run("python3 -m unittest -q test_calc")), on("^python$", 1, say("Python failed.")),
		on("^node$", 0, run("node --test calc.test.js")), on("^node$", 1, say("Node failed.")),
		on("^plan it$", 0, call("write_file", map[string]any{"path": "planned.txt", "content": "x\n"})), on("^plan it$", 1, say("Here is the plan.")),
		on("^do it$", 0, call("write_file", map[string]any{"path": "planned.txt", "content": "x\n"})), on("^do it$", 1, say("Done as planned.")),
		on("^share$", 0, call("delegate_task", map[string]any{"tasks": []map[string]any{{"goal": "count the files"}, {"goal": "read the readme"}}})), on("^share$", 1, say("Both are back.")),
		on("^long$", 0, run("echo begun > begun.txt; sleep 600")),
		on("^go on$", 0, say("Back at work.")),
	}}
}

// asks reports whether a question for consent is on the screen.
var asks = regexp.MustCompile(`wants to (run|reach|use|write)|▸ 1 Deny`)

// does sends a prompt that asks nothing and waits for its answer.
func (s *shift) does(d *Driver, prompt, answer string) {
	s.Helper()
	d.Type(prompt).Press("enter").WaitFor(Any(Contains(answer), LineMatches(asks.String())))
	if screen := d.Screen().Text(); asks.MatchString(screen) {
		s.Fatalf("%q asks:\n%s", prompt, screen)
	}
	d.WaitIdle()
}

// consents sends a prompt whose command is asked about, and allows it once.
func (s *shift) consents(d *Driver, prompt, question, answer string) {
	s.Helper()
	d.Type(prompt).Press("enter").WaitFor(Contains(question, "▸ 1 Deny")).Press("y").WaitSync().Press("enter").WaitFor(Contains(answer)).WaitIdle()
}

// results are the results of tools in the last request.
func (s *shift) results(d *Driver) string {
	s.Helper()
	requests := d.Server().Requests()
	return string(requests[len(requests)-1].Body)
}

// confined reports whether commands have a network of their own here.
func (s *shift) confined(d *Driver) bool { return strings.Contains(s.results(d), "alone-yes") }

func lacks(t *testing.T, program string) bool {
	t.Helper()
	_, err := exec.LookPath(program)
	if err != nil {
		t.Logf("SKIPPED: there is no %s for a part of the day", program)
	}
	return err != nil
}

// TestWorkday spends a day in one home. Nothing but publishing and what listens on this
// machine is asked about, and nothing is lost.
func TestWorkday(t *testing.T) {
	s := begin(t)
	d := s.start()
	s.does(d, "look", "Looked.")
	held := s.confined(d)
	if held && !strings.Contains(s.results(d), "way-proxy") {
		t.Errorf("the first command of the first start has no way out: %s", s.results(d))
	}
	if held {
		s.does(d, "commit", "Committed.")
		if got := s.git(s.dir, "log", "-1", "--format=%s"); got != "more" {
			t.Errorf("the last commit is %q", got)
		}
	} else {
		t.Log("SKIPPED: nothing is confined here, so most commands are asked about")
	}
	d.Quit().Wait()

	d = s.start() // the second, in the same home
	s.does(d, "look", "Looked.")
	if held && !strings.Contains(s.results(d), "way-proxy") {
		t.Errorf("the first command of the second start has no way out: %s", s.results(d))
	}
	if held {
		s.consents(d, "push", "git push", "Pushed.")
		if got, want := s.git(s.origin, "rev-parse", "main"), s.git(s.dir, "rev-parse", "HEAD"); got != want {
			t.Errorf("%s was pushed, not %s", got, want)
		}
		if !lacks(t, "curl") {
			s.consents(d, "fetch", "localhost:"+s.port, "served-here")
		}
		for program, answer := range map[string]string{"python3": "Python failed.", "node": "Node failed."} {
			if !lacks(t, program) {
				s.does(d, strings.TrimSuffix(program, "3"), answer)
			}
		}
	}
	s.plans(d)
	s.does(d, "share", "Both are back.")
	if got := s.results(d); !strings.Contains(got, "Three files.") || !strings.Contains(got, "It has a heading.") {
		t.Errorf("the subagents said: %s", got)
	}
	if held {
		s.killed(d)
	} else {
		d.Quit().Wait()
	}
}

// plans goes into plan mode and out of it. No key leads to a mode without protection.
func (s *shift) plans(d *Driver) {
	s.Helper()
	d.Press("shift+tab").WaitFor(Contains("plan")).WaitIdle()
	d.Type("plan it").Press("enter").WaitFor(Contains("Here is the plan.")).WaitIdle()
	planned := filepath.Join(s.dir, "planned.txt")
	if _, err := os.Stat(planned); err == nil {
		s.Error("a file was written in plan mode")
	}
	d.Press("shift+tab").WaitIdle().Expect(NotContains("approvals off"))
	d.Type("do it").Press("enter").WaitFor(Contains("Done as planned.")).WaitIdle()
	if _, err := os.Stat(planned); err != nil {
		s.Errorf("out of plan mode nothing was written: %v", err)
	}
}

// killed ends the program in the middle of a command and goes on in another start.
func (s *shift) killed(d *Driver) {
	s.Helper()
	d.Type("long").Press("enter").WaitFor(Contains("sleep 600"))
	for {
		if _, err := os.Stat(filepath.Join(s.dir, "begun.txt")); err == nil {
			break
		}
		d.WaitSync()
	}
	d.Kill9()
	o := s.options()
	o.Args = []string{"--continue"}
	d = Start(s.T, o).WaitIdle()
	d.Expect(Contains("may have run"))
	d.Type("go on").Press("enter").WaitFor(Contains("Back at work.")).WaitIdle()
	if got := s.results(d); strings.Count(got, "may have run") == 0 || !strings.Contains(got, "Pushed.") {
		s.Errorf("the session goes on with: %s", got)
	}
	d.Quit().Wait()
}
