package approval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// person answers questions and remembers them.
type person struct {
	tools.Host
	mu     sync.Mutex
	answer tools.Answer
	err    error
	asked  []tools.Approval
	during func() // happens while the question is open
	// strict answers all questions alike. Otherwise what is asked about only because
	// no proof is known for it is allowed and does not count: most tests are about
	// the other reasons.
	strict bool
}

func (p *person) Ask(_ context.Context, q tools.Question) (tools.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := q.Approval.Reasons; !p.strict && len(r) == 1 && r[0].Category == string(shellrisk.CatUnknown) {
		return tools.Answer{Choice: tools.ChoiceOnce}, nil
	}
	p.asked = append(p.asked, *q.Approval)
	if p.during != nil {
		p.during()
	}
	return p.answer, p.err
}

// stored keeps grants in memory, as a database would.
type stored struct {
	list []Grant
	err  error
}

func (s *stored) List(context.Context) ([]Grant, error) { return s.list, s.err }

func (s *stored) Add(_ context.Context, g Grant) error {
	if s.err == nil {
		s.list = append(s.list, g)
	}
	return s.err
}

// scene is a gate over a real workspace.
type scene struct {
	gate   *Gate
	place  *place.Local
	dir    string // the workspace
	home   string
	grants *stored
	person *person
	warned error
}

// rulePlace is where the patterns of rules for this gate start.
func (g *Gate) rulePlace() shellrisk.RulePlace {
	return shellrisk.RulePlace{Home: g.o.Home, HermesHome: g.o.HermesHome, Workspace: g.o.Workspace, FoldsCase: g.o.Place.Info().FoldsCase}
}

func newScene(t testing.TB) *scene {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return sceneIn(t, base)
}

// sceneIn makes a scene in a folder.
func sceneIn(t testing.TB, base string) *scene {
	t.Helper()
	s := &scene{
		dir: filepath.Join(base, "app"), home: filepath.Join(base, "home"),
		grants: &stored{}, person: &person{answer: tools.Answer{Choice: tools.ChoiceDeny}},
	}
	for _, d := range []string{s.dir, s.home, filepath.Join(base, "tmp"), filepath.Join(base, "bin")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	s.place, err = place.NewLocal(place.Options{
		Home: s.home, Temp: filepath.Join(base, "tmp"), Env: []string{"PATH=/usr/bin:/bin"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.gate = New(Options{
		Place: s.place, Home: s.home, HermesHome: filepath.Join(s.home, ".hermes"), Workspace: s.dir, Grants: s.grants,
		Clock: func() time.Time { return time.Unix(1_800_000_000, 0) }, Warn: func(err error) { s.warned = err },
	})
	return s
}

// exec is an action as the terminal tool makes it.
func (s *scene) exec(command string) tools.Action {
	return tools.Action{
		Kind: tools.ActExec, Command: command, Dir: s.dir,
		Argv: []string{s.place.Info().Shell, "-c", command},
		Env:  []string{"HOME=" + s.home, "PATH=" + filepath.Join(filepath.Dir(s.dir), "bin") + ":/usr/bin:/bin"},
	}
}

func (s *scene) pass(t *testing.T, a tools.Action, mode Mode) (Permit, *Denied) {
	t.Helper()
	tool := map[tools.ActionKind]string{tools.ActExec: "terminal", tools.ActWrite: "write_file", tools.ActCode: "execute_code"}[a.Kind]
	p, err := s.gate.Decide(context.Background(), Request{Tool: tool, Action: a, Mode: mode, Host: s.person})
	var d *Denied
	if err != nil && !errors.As(err, &d) {
		t.Fatalf("%q: %v", a.Command, err)
	}
	if (d == nil) != (p.Digest() != "") {
		t.Fatalf("%q: permit %q with denial %v", a.Command, p.Digest(), d)
	}
	return p, d
}

func TestGateModes(t *testing.T) {
	cases := []struct {
		command string
		mode    Mode
		allowed bool
		asked   int
		blocked bool
	}{
		{"ls", ModeManual, true, 0, false},
		{"rm -rf build", ModeManual, false, 1, false},
		{"rm -rf build", ModeOff, true, 0, false},
		{"rm -rf /", ModeOff, false, 0, true},
		{"rm -rf /", ModeManual, false, 0, true},
		{"rm -rf /", ModePlan, false, 0, true},
		{"ls", ModePlan, false, 0, false},
		{"touch x", ModePlan, false, 0, false},
		{"echo 'x", ModeManual, false, 1, false},
	}
	for _, c := range cases {
		s := newScene(t)
		_, d := s.pass(t, s.exec(c.command), c.mode)
		if (d == nil) != c.allowed || len(s.person.asked) != c.asked || d != nil && d.Blocked != c.blocked {
			t.Errorf("%q in %s: denial %+v after %d questions", c.command, c.mode, d, len(s.person.asked))
		}
		if d != nil && (!strings.Contains(d.Message, "Do not try it again") || d.Reason == "") {
			t.Errorf("%q: message %q", c.command, d.Message)
		}
	}
}

func TestGateQuestion(t *testing.T) {
	s := newScene(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	command := "rm -rf bu\u200bild" + strings.Repeat(" ", 300) + "; rm x"
	p, _ := s.pass(t, s.exec(command), ModeManual)
	q := s.person.asked[0]
	if q.Text != "rm -rf bu⟨U+200B⟩ild⟨300 spaces⟩; rm x" || q.SHA256 != p.Digest() || q.Verb != "run" || q.Dir != s.dir {
		t.Errorf("question %+v", q)
	}
	if q.Rule != "" {
		t.Errorf("a rule is offered for a command that hides something: %q", q.Rule)
	}
	if len(q.SHA256) != 64 || q.Because() == "" || q.Reasons[0].Category == "" {
		t.Errorf("question %+v", q)
	}
}

func TestGateAnswers(t *testing.T) {
	s := newScene(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny, Text: "keep the build"}
	if _, d := s.pass(t, s.exec("rm -r build"), ModeManual); d == nil || !strings.Contains(d.Message, "keep the build") {
		t.Errorf("denied with a reason: %+v", d)
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceNone}
	if _, d := s.pass(t, s.exec("rm -r build"), ModeManual); d == nil || !strings.Contains(d.Message, "no one") || d.Blocked {
		t.Errorf("nobody there: %+v", d)
	}
	s.person.answer = tools.Answer{Choice: "nonsense"}
	if _, d := s.pass(t, s.exec("rm -r build"), ModeManual); d == nil {
		t.Error("an unknown answer allowed it")
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	s.pass(t, s.exec("rm -r build"), ModeManual)
	s.pass(t, s.exec("rm -r build"), ModeManual)
	if len(s.person.asked) != 5 {
		t.Errorf("once: %d questions", len(s.person.asked))
	}
	s.person.err = errors.New("interrupted")
	if _, err := s.gate.Decide(context.Background(), Request{Tool: "terminal", Action: s.exec("rm -r build"), Mode: ModeManual, Host: s.person}); err == nil {
		t.Error("a failed question allowed it")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.person.err, s.person.during = nil, func() { cancel(errors.New("stopped by the user")) }
	if _, err := s.gate.Decide(ctx, Request{Tool: "terminal", Action: s.exec("rm -r build"), Mode: ModeManual, Host: s.person}); err == nil || !strings.Contains(err.Error(), "stopped by") {
		t.Errorf("cancelled meanwhile: %v", err)
	}
}

// A permission for one command covers nothing that was added to it.
func TestGateSessionGrants(t *testing.T) {
	s := newScene(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceSession}
	s.pass(t, s.exec("npm publish"), ModeManual)
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	if _, d := s.pass(t, s.exec("npm publish"), ModeManual); d != nil {
		t.Errorf("the same command: %v", d)
	}
	for _, other := range []string{
		"npm publish; touch c", "npm publish & rm -r c", "npm publish\nrm -r c", "npm publish | sh", "npm publish || rm -r c",
		"npm publish $(rm -r c)", "npm publish `rm -r c`", "npm publish > .env", "npm publish --tag x", "npm  publish", "npm unpublish",
		"npm publish <(rm -r c)", "A=1 npm publish",
	} {
		if _, d := s.pass(t, s.exec(other), ModeManual); d == nil {
			t.Errorf("%q passed", other)
		}
	}
	elsewhere := s.exec("npm publish")
	elsewhere.Dir = s.home
	if _, d := s.pass(t, elsewhere, ModeManual); d == nil {
		t.Error("it passed in another folder")
	}
	if _, d := s.pass(t, s.exec("npm publish"), ModePlan); d == nil {
		t.Error("it passed in plan mode")
	}
	if len(s.grants.list) != 0 {
		t.Errorf("stored for good: %+v", s.grants.list)
	}
}

func TestGateWideGrants(t *testing.T) {
	s := newScene(t)
	bin := filepath.Join(filepath.Dir(s.dir), "bin", "systemctl")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways, Text: "systemctl restart *"}
	s.pass(t, s.exec("systemctl restart 'caddy'"), ModeManual)
	want := Grant{Kind: tools.ActExec, Pattern: "systemctl restart *", Example: "systemctl restart 'caddy'", At: time.Unix(1_800_000_000, 0), Pins: []Pin{}}
	if len(s.grants.list) != 1 || !reflect.DeepEqual(s.grants.list[0], want) || s.person.asked[0].Scopes[1].Rule != want.Pattern {
		t.Fatalf("stored %+v, offered %q", s.grants.list, s.person.asked[0].Rule)
	}
	s.gate.session = nil // only what was stored counts now
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	for command, allowed := range map[string]bool{
		"systemctl restart nginx":             true,
		"systemctl restart a b":               true,
		"systemctl restart":                   true,
		"systemctl stop nginx":                false,
		"systemctl restart nginx; rm -r x":    false,
		"systemctl restart nginx > .env":      false,
		"systemctl restart $(rm -r x)":        false,
		"systemctl restart $X":                false,
		"systemctl restart n*":                false,
		"systemctl restart -H root@host ssh":  false,
		"systemctl restart reboot.target":     false,
		"sudo systemctl restart nginx":        false,
		"env systemctl restart nginx":         false,
		"systemctl restart nginx &":           false,
		"LD_PRELOAD=x systemctl restart x":    false,
		"systemctl restart x 2>/etc/hosts":    false,
		"(systemctl restart x)":               false,
		"systemctl restart x && echo":         false,
		"systemctl restart {a,b}":             false,
		"systemctl restart ~":                 false,
		"systemctl restart x # and a comment": true,
	} {
		if _, d := s.pass(t, s.exec(command), ModeManual); (d == nil) != allowed {
			t.Errorf("%q: denial %v", command, d)
		}
	}
	// A program of the same name in the workspace comes first in PATH.
	if err := os.WriteFile(filepath.Join(s.dir, "systemctl"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	shadowed := s.exec("systemctl restart nginx")
	shadowed.Env = []string{"HOME=" + s.home, "PATH=" + s.dir + ":/usr/bin"}
	if _, d := s.pass(t, shadowed, ModeManual); d == nil {
		t.Error("a program of the workspace passed for the one that was allowed")
	}
}

func TestGateOffersNothingForWhatGuards(t *testing.T) {
	s := newScene(t)
	for _, command := range []string{
		"echo x > .git/hooks/pre-commit", "echo x >> " + s.home + "/.bashrc", "$X", "ls 'x", "LD_PRELOAD=x ls",
		"echo x > " + s.home + "/.hermes/SOUL.md", "rm -r " + strings.Repeat("x", 2000),
	} {
		s.pass(t, s.exec(command), ModeManual)
		if q := s.person.asked[len(s.person.asked)-1]; q.Rule != "" {
			t.Errorf("%.60q: offered %q", command, q.Rule)
		}
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	s.pass(t, s.exec("$X"), ModeManual)
	if len(s.grants.list) != 0 || len(s.gate.session) != 0 {
		t.Errorf("stored %+v %v", s.grants.list, s.gate.session)
	}
}

func TestGateStoreFails(t *testing.T) {
	s := newScene(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	a := s.exec("npm publish")
	s.grants.err = errors.New("disk full")
	if _, d := s.pass(t, a, ModeManual); d != nil || s.warned == nil || len(s.person.asked) != 1 {
		t.Errorf("permissions could not be read: %v, warned %v", d, s.warned)
	}
	s.gate.session, s.warned = nil, nil
	s.person.during = func() { s.grants.err = errors.New("disk full") }
	s.grants.err = nil
	if _, d := s.pass(t, a, ModeManual); d != nil || s.warned == nil {
		t.Errorf("denial %v, warned %v", d, s.warned)
	}
}

func TestGateWrites(t *testing.T) {
	s := newScene(t)
	outside := filepath.Join(filepath.Dir(s.dir), "app-secrets")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"out": outside, "git": ".git/config", "in": "sub/new"} {
		if err := os.Symlink(target, filepath.Join(s.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		allowed, blocked bool
	}{
		filepath.Join(s.dir, "a/b.txt"):            {true, false},
		filepath.Join(s.dir, "in"):                 {true, false},
		filepath.Join(s.dir, "out/new"):            {false, false},
		filepath.Join(s.dir, "git"):                {false, false},
		filepath.Join(outside, "x"):                {false, false},
		filepath.Join(s.home, ".ssh/config"):       {false, true},
		filepath.Join(s.home, ".hermes/auth.json"): {false, true},
	}
	for path, c := range cases {
		_, d := s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{path}}, ModeManual)
		if (d == nil) != c.allowed || d != nil && d.Blocked != c.blocked {
			t.Errorf("%s: %+v", path, d)
		}
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceSession}
	s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{filepath.Join(outside, "x")}}, ModeManual)
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	if _, d := s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{filepath.Join(outside, "x")}}, ModeManual); d != nil {
		t.Errorf("allowed for the session: %v", d)
	}
	if _, d := s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{filepath.Join(outside, "y")}}, ModeManual); d == nil {
		t.Error("another file passed")
	}
}

func TestGateForeignRepositories(t *testing.T) {
	s := newScene(t)
	other := filepath.Join(filepath.Dir(s.dir), "other")
	for _, d := range []string{
		filepath.Join(s.dir, ".git/modules/sub"), filepath.Join(s.dir, "sub"), filepath.Join(s.dir, "evil/.git"),
		filepath.Join(s.dir, "bare/objects"), filepath.Join(s.dir, "bare/refs"), filepath.Join(other, ".git/worktrees/w"), filepath.Join(s.dir, "plain"),
	} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{"sub/.git": "gitdir: ../.git/modules/sub\n", "bare/HEAD": "ref: x"} {
		if err := os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for command, allowed := range map[string]bool{
		"git status": true, "cd plain && git log": true, "cd sub && git status": true,
		"cd evil && git status": false, "git -C evil diff": false, "cd bare && git log": false, "git -C ../other status": false,
	} {
		if _, d := s.pass(t, s.exec(command), ModeManual); (d == nil) != allowed {
			t.Errorf("%q: denial %v", command, d)
		}
	}
}

func TestGateRelativePath(t *testing.T) {
	s := newScene(t)
	for path, allowed := range map[string]bool{"/usr/bin:/bin": true, ".:/usr/bin": false, "/usr/bin:": false, "bin:/bin": false} {
		a := s.exec("ls")
		a.Env = []string{"PATH=" + path}
		if _, d := s.pass(t, a, ModeManual); (d == nil) != allowed {
			t.Errorf("PATH=%s: %v", path, d)
		}
	}
}

func TestGateRefusesNonsense(t *testing.T) {
	s := newScene(t)
	for name, a := range map[string]tools.Action{
		"no program":    {Kind: tools.ActExec, Command: "ls"},
		"relative":      {Kind: tools.ActExec, Command: "ls", Argv: []string{"sh"}},
		"no command":    {Kind: tools.ActExec, Argv: []string{"/bin/sh"}},
		"missing":       {Kind: tools.ActExec, Command: "ls", Argv: []string{"/no/such/shell"}},
		"no kind":       {},
		"relative file": {Kind: tools.ActWrite, Paths: []string{"x"}},
	} {
		if p, err := s.gate.Decide(context.Background(), Request{Tool: "terminal", Action: a, Mode: ModeOff, Host: s.person}); err == nil || p.Digest() != "" {
			t.Errorf("%s: permit %q, %v", name, p.Digest(), err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.gate.Decide(ctx, Request{Tool: "terminal", Action: s.exec("ls"), Mode: ModeOff, Host: s.person}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
