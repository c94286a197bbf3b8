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
	confines, plain := place.Info{Confines: true}, place.Info{}
	proved := Verdict{Decision: Allow, Proved: true}
	unknown := Verdict{Decision: Allow}
	asking := func(cats ...Category) Verdict { return Verdict{Decision: Ask, Categories: cats} }
	for _, c := range []struct {
		name string
		v    Verdict
		kind tools.ActionKind
		mode Mode
		info place.Info
		want disposition
	}{
		{"proved", proved, tools.ActExec, ModeGuarded, confines, runs},
		{"unknown", unknown, tools.ActExec, ModeGuarded, confines, runsConfined},
		{"unknown, smart", unknown, tools.ActExec, ModeSmart, confines, runsConfined},
		{"unknown, off", unknown, tools.ActExec, ModeOff, confines, runs},
		{"held", asking(CatDelete, CatIndirectExec), tools.ActExec, ModeGuarded, confines, runsConfined},
		{"mixed with confined", asking(CatDelete, CatGitDestructive), tools.ActExec, ModeGuarded, confines, asksConfined},
		{"mixed with outside", asking(CatGitDestructive, CatPublish), tools.ActExec, ModeGuarded, confines, asksOutside},
		{"nothing confines", asking(CatDelete), tools.ActExec, ModeGuarded, plain, asksOutside},
		{"manual", asking(CatDelete), tools.ActExec, ModeManual, confines, asksOutside},
		{"a script", asking(CatIndirectExec), tools.ActCode, ModeGuarded, confines, runsConfined},
		{"a file in the workspace", unknown, tools.ActWrite, ModeGuarded, confines, runs},
		{"a file elsewhere", asking(CatOutside), tools.ActWrite, ModeGuarded, confines, asksOutside},
		{"not trusted, off", asking(CatUntrusted), tools.ActExec, ModeOff, confines, runsConfined},
		{"not trusted, off, nothing confines", asking(CatUntrusted), tools.ActExec, ModeOff, plain, asksOutside},
	} {
		if got := dispose(c.v, c.kind, c.mode, c.info); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// What is approved outside runs with all rights, what is not asked about or asked
// about for the sake of the workspace runs confined, and the digest tells them apart.
func TestGuardedPermits(t *testing.T) {
	s := confining(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.dir), "bin", "cargo"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
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
