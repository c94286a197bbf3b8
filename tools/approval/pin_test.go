package approval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// put writes a file of the workspace, or one by its absolute name.
func (s *scene) put(t *testing.T, name, text string) {
	t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil { // some of them are programs
		t.Fatal(err)
	}
}

// What a permission of each kind was given for runs only as it was: another content, a
// file that comes before it, and one that appears where there was none ask again, and
// the question says which. What was allowed once and has not begun does not run then.
func TestPermissionsBindWhatRuns(t *testing.T) {
	for _, c := range []struct {
		command string
		files   string // in the workspace, with their text
		change  string // written afterwards
	}{
		{"make all", "Makefile", "Makefile"},
		{"make all", "Makefile", "GNUmakefile"},
		{"make -C sub all", "sub/makefile", "sub/makefile"},
		{"make --directory=sub", "sub/makefile", "sub/GNUmakefile"},
		{"make -f other.mk", "Makefile other.mk", "other.mk"},
		{"cd sub && make", "sub/Makefile", "sub/Makefile"},
		{"make", "Makefile:include+rules.mk rules.mk", "rules.mk"},
		{"make", "Makefile:-include+*.mk a.mk:include+deep/b deep/b", "deep/b"},
		{"make", "Makefile:include+gone.mk", "gone.mk"},
		{"npm run build", "package.json", "package.json"},
		{"npm test", "package.json", ".npmrc"},
		{"npm --prefix sub test", "sub/package.json", "sub/package.json"},
		{"cd sub/deep && yarn build", "sub/package.json sub/deep/x", "sub/package.json"},
		{"cd sub/deep && pnpm test", "sub/package.json sub/deep/x", "sub/deep/package.json"},
		{"npx jest", "package.json", "package.json"},
		{"python3 -m tool.sub", "tool/__init__.py tool/sub.py", "tool/sub.py"},
		{"python3 -m tool", "tool/__init__.py tool/__main__.py", "tool/__main__.py"},
		{"python3 -mtool", "tool.py", "tool/__init__.py"},
		{"python3 -m pytest", "x", "pytest.py"},
		{"python3 sub/x.py", "sub/x.py", "sub/x.py"},
		{"go run .", "go.mod main.go", "main.go"},
		{"go run ./cmd/x arg.go", "go.mod cmd/x/main.go", "cmd/x/main.go"},
		{"go generate", "go.mod main.go", "main.go"},
		{"go test ./...", "go.mod main.go", "go.mod"},
		{"just deploy", "justfile", "justfile"},
		{"cd sub && just deploy", "justfile sub/x", "sub/justfile"},
		{"task build", "Taskfile.yml", "Taskfile.yml"},
		{"task -t sub/T.yml", "sub/T.yml", "sub/T.yml"},
		{"cargo run", "Cargo.toml build.rs", "build.rs"},
		{"docker compose up", "compose.yaml", "compose.yaml"},
		{"./gradlew test", "gradlew build.gradle", "build.gradle"},
		{"./x", "x", "x"},
		{"sub/../x", "x sub/y", "x"},
		{"bash x.sh", "x.sh", "x.sh"},
		{". ./x.sh", "x.sh", "x.sh"},
		{"timeout 5 env A=1 sh -c 'sh x.sh'", "x.sh", "x.sh"},
		{"make", "Makefile:all:+;+sh+lint.sh lint.sh:python3+tools/x.py tools/x.py", "lint.sh"},
		{"make", "Makefile:all:+;+sh+lint.sh lint.sh:python3+tools/x.py tools/x.py", "tools/x.py"},
		{"make", "Makefile:all:+;+sh+lint.sh lint.sh:python3+tools/x.py tools/x.py", "tools/json.py"},
		{"npm run build", "package.json:\"build\":\"node+scripts/b.js\" scripts/b.js", "scripts/b.js"},
		{"python3 t.py", "t.py", "json.py"},
		{"python3 t.py", "t.py", "json.so"},
		{"python3 t.py", "t.py", "json/__init__.py"},
		{"python3 sub/t.py", "sub/t.py sub/lib/util.py", "sub/lib/util.py"},
		{"./t", "t:#!/usr/bin/env+python3", "json.py"},
		{"python3 -m pytest", "x", "json.py"},
		{"python3 -m pytest", "x", "json/__init__.py"},
		{"python3 -c 'import json'", "x", "json.py"},
		{"echo 'import json' | python3", "x", "json.py"},
		{"node check.js", "check.js lib.js", "lib.js"},
		{"node sub/check", "sub/check:#!/usr/bin/env+-S+node sub/lib/a.cjs", "sub/lib/a.cjs"},
		{"ruby x.rb", "x.rb lib/y.rb", "lib/y.rb"},
		{"bash x.sh", "x.sh lib.sh", "lib.sh"},
	} {
		t.Run(c.command+" "+c.change, func(t *testing.T) {
			s := newScene(t)
			s.person.strict = true
			for file := range strings.FieldsSeq(c.files) {
				name, text, _ := strings.Cut(file, ":")
				s.put(t, name, strings.ReplaceAll(text, "+", " ")+"\n")
			}
			command := c.command + "; git branch -D topic"
			s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
			once, _ := s.pass(t, s.exec(command), ModeManual)
			s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
			s.pass(t, s.exec(command), ModeManual)
			if len(s.grants.list) != 1 {
				t.Fatalf("offered %+v", s.person.asked[1].Scopes)
			}
			s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
			if _, d := s.pass(t, s.exec(command), ModeManual); d != nil || len(s.person.asked) != 2 || s.gate.Void(s.grants.list[0]) != "" {
				t.Fatalf("unchanged: %v, void since %q", d, s.gate.Void(s.grants.list[0]))
			}
			s.put(t, c.change, "other\n")
			var changed *ChangedError
			if _, err := once.Take(s.place); !errors.As(err, &changed) || !strings.HasPrefix(filepath.Join(s.dir, c.change), changed.File) {
				t.Errorf("allowed once: %v", err)
			}
			if _, d := s.pass(t, s.exec(command), ModeManual); d == nil || len(s.person.asked) != 3 {
				t.Fatal("it passed after the change")
			}
			q := s.person.asked[2]
			said := false
			for _, r := range q.Reasons {
				said = said || len(r.Words) == 1 && r.Words[0] == filepath.Join(s.dir, c.change)
			}
			if !said {
				t.Errorf("the question does not name it: %+v", q.Reasons)
			}
			s.gate.session = nil
			if _, d := s.pass(t, s.exec(command), ModeManual); d == nil {
				t.Error("the stored permission alone still holds")
			}
		})
	}
}

// A link is what it leads to: neither another content nor another target passes.
func TestPermissionsBindLinks(t *testing.T) {
	s := newScene(t)
	s.put(t, "a/run", "one")
	s.put(t, "b/run", "one")
	link := filepath.Join(s.dir, "link")
	if err := os.Symlink("a/run", link); err != nil {
		t.Fatal(err)
	}
	command := "./link && git branch -D topic"
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	once, _ := s.pass(t, s.exec(command), ModeManual)
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	s.pass(t, s.exec(command), ModeManual)
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	if _, d := s.pass(t, s.exec(command), ModeManual); d != nil {
		t.Fatal(d)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b/run", link); err != nil {
		t.Fatal(err)
	}
	if _, d := s.pass(t, s.exec(command), ModeManual); d == nil || s.gate.Void(s.grants.list[0]) != "changed since: link" {
		t.Errorf("it leads elsewhere: %v, %q", d, s.gate.Void(s.grants.list[0]))
	}
	if _, err := once.Take(s.place); err == nil {
		t.Error("once: it leads elsewhere")
	}
}

// A program that PATH finds where the agent can write is named in the question, and
// bound by its content; so is one that would be found before it.
func TestPermissionsBindProgramsInPath(t *testing.T) {
	s := newScene(t)
	mine := filepath.Join(s.dir, "bin")
	s.put(t, "bin/deployer", "one")
	action := func(command string) tools.Action {
		a := s.exec(command)
		a.Env[1] = "PATH=" + mine + ":" + filepath.Join(s.home, "tools") + ":/usr/bin:/bin"
		return a
	}
	s.person.strict = true
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	once, _ := s.pass(t, action("deployer now"), ModeManual)
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	s.pass(t, action("deployer now"), ModeManual)
	q := s.person.asked[0]
	if last := q.Reasons[len(q.Reasons)-1]; len(last.Words) != 1 || last.Words[0] != mine+"/deployer" || !strings.Contains(last.Text, "folder that the agent can write to") {
		t.Errorf("%+v", q.Reasons)
	}
	if len(q.Scopes) != 1 || q.Bound != "deployer" {
		t.Errorf("%+v, bound to %q", q.Scopes, q.Bound)
	}
	s.put(t, "bin/deployer", "two")
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	if _, d := s.pass(t, action("deployer now"), ModeManual); d == nil {
		t.Error("another content passed")
	}
	if _, err := once.Take(s.place); err == nil {
		t.Error("once: another content passed")
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	for _, before := range []string{filepath.Join(s.home, "tools/rm"), filepath.Join(s.dir, "bin/rm")} {
		p, _ := s.pass(t, action("rm -r build"), ModeManual)
		s.put(t, before, "#!/bin/sh")
		if _, err := p.Take(s.place); err == nil {
			t.Errorf("%s appeared and would have run", before)
		}
	}
}

// What cannot be bound is not offered: a file that is not known, or too large to be
// read, since its size and times can be set.
func TestPermissionsNeedKnownFiles(t *testing.T) {
	s := newScene(t)
	s.person.strict = true
	s.put(t, "big", "")
	if err := os.Truncate(filepath.Join(s.dir, "big"), maxHashed+1); err != nil {
		t.Fatal(err)
	}
	s.put(t, "many/t.py", "")
	for i := range maxLoaded {
		s.put(t, fmt.Sprintf("many/m%d.py", i), "")
	}
	for _, command := range []string{"./big", "make -C $(cat x)", "cd $(cat x) && npm test", "python3 many/t.py"} {
		s.person.asked = nil
		s.pass(t, s.exec(command), ModeManual)
		if q := s.person.asked[0]; len(q.Scopes) != 0 {
			t.Errorf("%q: offered %+v", command, q.Scopes)
		}
	}
}

// A file in another language, one that was installed and one in a folder beside the script's
// ask nothing again.
func TestPermissionsLetOtherFilesChange(t *testing.T) {
	s := newScene(t)
	s.person.strict = true
	s.put(t, "sub/t.py", "one")
	s.person.answer = tools.Answer{Choice: tools.ChoiceSession}
	s.pass(t, s.exec("python3 sub/t.py"), ModeManual)
	for _, file := range []string{"sub/a.js", "sub/notes.md", "x.py", "other/y.py", "sub/.cache/z.py", "sub/node_modules/z.py", "sub/venv/pyvenv.cfg", "sub/venv/z.py", "sub/__pycache__/t.pyc"} {
		s.put(t, file, "two")
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	if _, d := s.pass(t, s.exec("python3 sub/t.py"), ModeManual); d != nil {
		t.Errorf("asked again: %v", s.person.asked[1].Reasons)
	}
}
