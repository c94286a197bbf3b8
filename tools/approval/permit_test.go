package approval

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

func TestPermitRunsExactlyWhatWasAllowed(t *testing.T) {
	s := newScene(t)
	a := s.exec("ls -la")
	p, _ := s.pass(t, a, ModeManual)
	want := s.exec("ls -la")
	a.Argv[2], a.Env[0] = "rm -rf x", "LD_PRELOAD=x" // changed behind the gate's back
	run, err := p.Take(s.place)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(run.Argv, want.Argv) || !slices.Equal(run.Env, want.Env) || run.Dir != want.Dir || run.Command != want.Command {
		t.Errorf("run %+v, want %+v", run, want)
	}
	run.Argv[0] = "/bin/false" // and what was handed out is a copy
	if p.p.action.Argv[0] == "/bin/false" {
		t.Error("the permit was changed")
	}
	if _, err := p.Take(s.place); !errors.Is(err, ErrUsedPermit) {
		t.Errorf("a second time: %v", err)
	}
}

func TestPermitIsVoidOrForeign(t *testing.T) {
	s := newScene(t)
	if _, err := (Permit{}).Take(s.place); !errors.Is(err, ErrNoPermit) || (Permit{}).Digest() != "" {
		t.Errorf("void: %v", err)
	}
	other, err := place.NewLocal(place.Options{Home: s.home, Env: []string{"PATH=/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := s.pass(t, s.exec("ls"), ModeManual)
	if _, err := p.Take(other); !errors.Is(err, ErrForeignPermit) {
		t.Errorf("foreign: %v", err)
	}
	w, _ := s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{filepath.Join(s.dir, "x")}}, ModeManual)
	if _, err := w.Take(s.place); !errors.Is(err, ErrNoPermit) || w.Digest() == "" {
		t.Errorf("a permit to write: %v", err)
	}
}

// A script that changes between question and run, or appears then, is refused.
func TestPermitBindsScripts(t *testing.T) {
	s := newScene(t)
	script := filepath.Join(s.dir, "deploy.sh")
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	var changed *ChangedError
	if err := os.WriteFile(script, []byte("echo good"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, _ := s.pass(t, s.exec("bash deploy.sh && rm -r x"), ModeManual)
	if err := os.WriteFile(script, []byte("echo evil"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Take(s.place); !errors.As(err, &changed) || changed.File != script {
		t.Errorf("changed: %v", err)
	}
	p, _ = s.pass(t, s.exec("./new.sh; rm -r x"), ModeManual)
	if err := os.WriteFile(filepath.Join(s.dir, "new.sh"), []byte("echo evil"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Take(s.place); !errors.As(err, &changed) {
		t.Errorf("appeared: %v", err)
	}
	p, _ = s.pass(t, s.exec("bash deploy.sh"), ModeManual)
	if _, err := p.Take(s.place); err != nil {
		t.Errorf("unchanged: %v", err)
	}
}

func TestPermitBindsTheProgram(t *testing.T) {
	s := newScene(t)
	shell := filepath.Join(filepath.Dir(s.dir), "bin", "sh")
	data, err := os.ReadFile(s.place.Info().Shell)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(shell, data, 0o755); err != nil {
		t.Fatal(err)
	}
	a := s.exec("ls")
	a.Argv[0] = shell
	p, _ := s.pass(t, a, ModeManual)
	if err := os.WriteFile(shell, append(data, 'x'), 0o755); err != nil {
		t.Fatal(err)
	}
	var changed *ChangedError
	if _, err := p.Take(s.place); !errors.As(err, &changed) {
		t.Errorf("another program: %v", err)
	}
}

func TestDigestCoversEverything(t *testing.T) {
	s := newScene(t)
	base := s.exec("ls")
	digests := map[string]string{}
	for name, change := range map[string]func(*tools.Action){
		"same":    func(*tools.Action) {},
		"command": func(a *tools.Action) { a.Command = "ls " },
		"argv":    func(a *tools.Action) { a.Argv = append(a.Argv, "") },
		"joined":  func(a *tools.Action) { a.Argv = []string{a.Argv[0], "-cls", ""} },
		"dir":     func(a *tools.Action) { a.Dir = s.home },
		"env":     func(a *tools.Action) { a.Env = append(a.Env, "A=1") },
	} {
		a := base
		a.Argv, a.Env = slices.Clone(base.Argv), slices.Clone(base.Env)
		change(&a)
		p, _ := s.pass(t, a, ModeOff)
		if other, ok := digests[p.Digest()]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		digests[p.Digest()] = name
	}
	again, _ := s.pass(t, s.exec("ls"), ModeOff)
	if digests[again.Digest()] != "same" {
		t.Error("the same action has another digest")
	}
}

// No lasting permission is offered for files that are obeyed, or hold keys.
func TestObeyedFilesAreNeverGranted(t *testing.T) {
	for _, cat := range []shellrisk.Category{shellrisk.CatAgentConfig, shellrisk.CatProjectConfig, shellrisk.CatSensitiveFile, shellrisk.CatSystemConfig} {
		if !slices.Contains(neverGranted, cat) {
			t.Errorf("%s may be granted for good", cat)
		}
	}
}
