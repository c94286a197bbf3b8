package approval

import (
	"os"
	"path/filepath"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// confining makes a scene whose place says that it can confine processes one by one.
func confining(t *testing.T) *scene {
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
	for _, cat := range severity {
		if row, ok := guarded[cat]; !ok || row.why == "" || row.does == runs {
			t.Errorf("%s: %+v", cat, row)
		}
	}
	if len(guarded) != len(severity) {
		t.Errorf("%d rows for %d categories", len(guarded), len(severity))
	}
}

func TestDispose(t *testing.T) {
	proved := Verdict{Decision: Allow, Proved: true}
	unknown := Verdict{Decision: Allow}
	asking := func(cats ...Category) Verdict { return Verdict{Decision: Ask, Categories: cats} }
	for _, c := range []struct {
		name     string
		v        Verdict
		mode     Mode
		confines bool
		want     disposition
	}{
		{"proved", proved, ModeGuarded, true, runs},
		{"unknown", unknown, ModeGuarded, true, runsConfined},
		{"unknown, smart", unknown, ModeSmart, true, runsConfined},
		{"unknown, off", unknown, ModeOff, true, runs},
		{"held", asking(CatDelete, CatIndirectExec), ModeGuarded, true, runsConfined},
		{"mixed with confined", asking(CatDelete, CatGitDestructive), ModeGuarded, true, asksConfined},
		{"mixed with outside", asking(CatGitDestructive, CatPublish), ModeGuarded, true, asksOutside},
		{"nothing confines", asking(CatDelete), ModeGuarded, false, asksOutside},
		{"manual", asking(CatDelete), ModeManual, true, asksOutside},
		{"a file in the workspace", unknown, ModeGuarded, false, runs},
		{"a file elsewhere", asking(CatOutside), ModeGuarded, false, asksOutside},
		{"not trusted, off", asking(CatUntrusted), ModeOff, true, runsConfined},
		{"not trusted, off, nothing confines", asking(CatUntrusted), ModeOff, false, asksOutside},
	} {
		if got := dispose(c.v, c.mode, c.confines); got != c.want {
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
