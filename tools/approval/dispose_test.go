package approval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// confining makes a scene whose place says that it can confine processes one by one.
func confining(t testing.TB) *scene {
	s := newScene(t)
	s.gate.o.Place = &elsewhere{s.place, s.confines()}
	return s
}

// programs puts programs into a folder of PATH that the agent cannot write to.
func (s *scene) programs(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(filepath.Dir(s.dir), "bin", name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *scene) confines() place.Info {
	info := s.place.Info()
	info.Confines = true
	return info
}

// TestGuardedNamesEveryCategory holds the table to the list of categories.
func TestGuardedNamesEveryCategory(t *testing.T) {
	for _, cat := range shellrisk.BySeverity() {
		if row, ok := guarded[cat]; !ok || row.why == "" || row.does == runs {
			t.Errorf("%s: %+v", cat, row)
		}
	}
	if len(guarded) != len(shellrisk.BySeverity()) {
		t.Errorf("%d rows for %d categories", len(guarded), len(shellrisk.BySeverity()))
	}
}

func TestDispose(t *testing.T) {
	proved := shellrisk.Verdict{Decision: shellrisk.Allow, Proved: true}
	unknown := shellrisk.Verdict{Decision: shellrisk.Allow}
	asking := func(cats ...shellrisk.Category) shellrisk.Verdict {
		return shellrisk.Verdict{Decision: shellrisk.Ask, Categories: cats}
	}
	for _, c := range []struct {
		name     string
		v        shellrisk.Verdict
		mode     Mode
		confines bool
		known    bool
		want     disposition
	}{
		{"proved", proved, ModeGuarded, true, false, runsConfined},
		{"proved, plan", proved, ModePlan, true, false, runsConfined},
		{"proved, off", proved, ModeOff, true, false, runs},
		{"proved, nothing confines", proved, ModeGuarded, false, false, runs},
		{"unknown", unknown, ModeGuarded, true, false, runsConfined},
		{"unknown, smart", unknown, ModeSmart, true, false, runsConfined},
		{"unknown, off", unknown, ModeOff, true, false, runs},
		{"held", asking(shellrisk.CatDelete, shellrisk.CatIndirectExec), ModeGuarded, true, false, runsConfined},
		{"mixed with confined", asking(shellrisk.CatDelete, shellrisk.CatGitDestructive), ModeGuarded, true, false, asksConfined},
		{"mixed with outside", asking(shellrisk.CatGitDestructive, shellrisk.CatPublish), ModeGuarded, true, false, asksOutside},
		{"nothing confines", asking(shellrisk.CatDelete), ModeGuarded, false, false, asksOutside},
		{"manual", asking(shellrisk.CatDelete), ModeManual, true, false, asksOutside},
		{"a file in the workspace", unknown, ModeGuarded, false, true, runs},
		{"a file elsewhere", asking(shellrisk.CatOutside), ModeGuarded, false, true, asksOutside},
		{"not trusted, off", asking(shellrisk.CatUntrusted), ModeOff, true, false, runsConfined},
		{"not trusted, off, nothing confines", asking(shellrisk.CatUntrusted), ModeOff, false, false, asksOutside},
		{"unknown, manual", unknown, ModeManual, true, false, asksOutside},
		{"unknown, nothing confines", unknown, ModeGuarded, false, false, asksOutside},
		{"unknown, smart, nothing confines", unknown, ModeSmart, false, false, asksOutside},
		{"proved, manual", proved, ModeManual, true, false, runsConfined},
		{"unknown, off, nothing confines", unknown, ModeOff, false, false, runs},
	} {
		if got := dispose(c.v, c.mode, c.confines, c.known); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// What is approved outside runs with all rights, what is not asked about or asked
// about for the sake of the workspace runs confined, and the digest tells them apart.
func TestGuardedPermits(t *testing.T) {
	s := confining(t)
	s.programs(t, "cargo")
	s.rule(t, "ask terminal(make asked)\nallow terminal(cargo *)\nask terminal(cargo asked)")
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	digests := map[string]bool{}
	for _, c := range []struct {
		command  string
		mode     Mode
		asked    int
		confined bool
	}{
		{"unknown --thing", ModeGuarded, 0, true},
		{"unknown --thing", ModeOff, 0, false},
		{"rm -r build", ModeGuarded, 0, true},
		{"git reset --hard", ModeGuarded, 1, true},
		{"npm publish", ModeGuarded, 1, false},
		{"git reset --hard && npm publish", ModeGuarded, 1, false},
		{"make asked", ModeGuarded, 1, true},
		{"make asked", ModeOff, 1, false},
		{"cargo unknown", ModeGuarded, 0, false},
		{"cargo asked", ModeGuarded, 1, false},
		{"chmod -R 777 sub; sh -c 'x'", ModeGuarded, 0, true},
	} {
		s.person.asked = nil
		p, d := s.pass(t, s.exec(c.command), c.mode)
		if d != nil || len(s.person.asked) != c.asked {
			t.Errorf("%q in %s: %d questions, denial %v", c.command, c.mode, len(s.person.asked), d)
			continue
		}
		if digests[p.Digest()] {
			t.Errorf("%q in %s: the digest does not say whether it is confined", c.command, c.mode)
		}
		digests[p.Digest()] = true
		if c.asked > 0 && s.person.asked[0].SHA256 != p.Digest() {
			t.Errorf("%q: asked about other bytes than run", c.command)
		}
		run, err := p.Take(s.gate.o.Place)
		if err != nil || run.Confined != c.confined {
			t.Errorf("%q in %s: confined %v, %v", c.command, c.mode, run.Confined, err)
		}
	}
}

// In mode manual, and where nothing can be confined, everything is asked about that
// is not proved to only read.
func TestManualAsksAboutWhatIsNotProved(t *testing.T) {
	s := newScene(t)
	s.person.strict = true
	for _, c := range []struct {
		command string
		mode    Mode
		asks    bool
	}{
		{"ls -la", ModeManual, false},
		{"ls -la", ModeGuarded, false},
		{"unknown-program", ModeManual, true},
		{"unknown-program", ModeGuarded, true},
		{"unknown-program", ModeSmart, true},
		{"unknown-program", ModeOff, false},
		{"touch x", ModeManual, true},
	} {
		s.person.asked = nil
		s.pass(t, s.exec(c.command), c.mode)
		if (len(s.person.asked) > 0) != c.asks {
			t.Errorf("%q in %s: asked %+v", c.command, c.mode, s.person.asked)
		}
	}
}

// What the agent wants to run outside is asked about, and runs there after a yes.
func TestAgentAsksForOutside(t *testing.T) {
	s := confining(t)
	s.person.strict, s.person.answer = true, tools.Answer{Choice: tools.ChoiceOnce}
	a := s.exec("unknown --thing")
	a.Outside = true
	p, d := s.pass(t, a, ModeGuarded)
	if d != nil || len(s.person.asked) != 1 || !strings.Contains(s.person.asked[0].Confinement, "outside") {
		t.Fatalf("%v, asked %+v", d, s.person.asked)
	}
	if run, err := p.Take(s.gate.o.Place); err != nil || run.Confined {
		t.Errorf("confined %v, %v", run.Confined, err)
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceConfined}
	if p, d = s.pass(t, a, ModeGuarded); d != nil {
		t.Fatal(d)
	}
	if run, err := p.Take(s.gate.o.Place); err != nil || !run.Confined {
		t.Errorf("confined %v, %v", run.Confined, err)
	}
}
