package approval

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// sharing is a place that confines, with a folder for what is confined.
type sharing struct {
	*elsewhere
	dir string
}

func (s *sharing) Shared() string { return s.dir }

// shares gives the scene such a place, and actions in which TMPDIR is the user's own.
func shares(t *testing.T) (s *scene, exec func(string) tools.Action, dir string) {
	t.Helper()
	s = newScene(t)
	dir = "/srv/shared" // not below the system's folder for temporary files, as the rest here is
	s.gate.o.Place = &sharing{&elsewhere{s.place, s.confines()}, dir}
	s.gate = New(s.gate.o)
	s.person.strict = true
	return s, func(command string) tools.Action {
		a := s.exec(command)
		a.Env = append(a.Env, "TMPDIR=/srv/own")
		return a
	}, dir
}

// What is confined writes to its temporary folder without a question, and gets no
// more by it: with all rights of the user TMPDIR is another one.
func TestTemporaryFolder(t *testing.T) {
	s, exec, dir := shares(t)
	for _, command := range []string{
		"echo x > $TMPDIR/x", "mktemp -d", "cd \"$(mktemp -d)\" && echo x > y", "f=$(mktemp) && echo a > \"$f\" && rm \"$f\"",
		"cd $(mktemp -d) && git init && echo x > f", "d=$(mktemp -d); mkdir $d/a; cp f $d/a/; rm -rf \"$d\"", "cp f $(mktemp -p \"$TMPDIR\")",
		"tee \"$(mktemp -t log.XXXX)\" < f", "cd $TMPDIR && touch x",
	} {
		p, d := s.pass(t, exec(command), ModeGuarded)
		if d != nil {
			t.Errorf("%q: %v: %+v", command, d, s.person.asked[len(s.person.asked)-1].Reasons)
			continue
		}
		if run, err := p.Take(s.gate.o.Place); err != nil || !run.Confined && command != "mktemp -d" {
			t.Errorf("%q: confined %v, %v", command, run.Confined, err)
		}
	}
	for _, c := range []struct {
		command string
		mode    Mode
		outside bool
	}{
		{"echo x > $TMPDIR/x", ModeManual, false}, {"echo x > $TMPDIR/x", ModeGuarded, true}, {"cd $TMPDIR && echo x > x", ModeGuarded, true},
		{"tmp=$(mktemp -d -p /srv); echo x > $tmp/x", ModeGuarded, false}, {"cd $(mktemp -d /srv/x.XXXX) && echo x > y", ModeGuarded, false},
		{"echo x > $(mktemp -d)/../../own/x", ModeGuarded, false},
	} {
		s.person.asked = nil
		a := exec(c.command)
		a.Outside = c.outside
		if _, d := s.pass(t, a, c.mode); d == nil || !slices.ContainsFunc(s.person.asked[0].Reasons, func(r tools.Reason) bool {
			return r.Category == string(shellrisk.CatOutside)
		}) {
			t.Errorf("%q in %s: %v, asked %+v", c.command, c.mode, d, s.person.asked)
		}
	}
	a := exec("rm -rf $TMPDIR")
	a.Env[len(a.Env)-1] = "TMPDIR=" + s.home
	p, d := s.pass(t, a, ModeGuarded)
	if d != nil {
		t.Fatal(d)
	}
	if _, err := p.Take(s.gate.o.Place); err != nil {
		t.Fatal(err)
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	if _, err := p.Outside(t.Context(), s.person, nil, false); err == nil {
		t.Error("the home is deleted outside")
	} else if d, ok := errors.AsType[*Denied](err); !ok || !d.Blocked {
		t.Error(err)
	}
	for _, mode := range []Mode{ModeManual, ModeOff} {
		if _, d := s.pass(t, a, mode); d == nil || !d.Blocked {
			t.Errorf("%s: %v", mode, d)
		}
	}
	s.rule(t, "allow terminal(tee "+dir+"/x)")
	p, d = s.pass(t, exec("tee $TMPDIR/x"), ModeGuarded)
	if d != nil {
		t.Fatal(d)
	}
	if run, err := p.Take(s.gate.o.Place); err != nil || !run.Confined {
		t.Errorf("a rule for one folder let it write to another: %+v, %v", run, err)
	}
}

// What is asked about to run outside is judged with the environment that it has there.
func TestOutsideIsJudgedAsItRuns(t *testing.T) {
	s, _, _ := shares(t)
	s.programs(t, "deployer")
	s.put(t, "bin/deployer", "#!/bin/sh")
	a := s.exec("deployer now")
	a.Plain = slices.Clone(a.Env)
	a.Env[1] = "PATH=" + filepath.Join(s.dir, "bin") + ":" + strings.TrimPrefix(a.Plain[1], "PATH=")
	run := func() Permit {
		t.Helper()
		p, d := s.pass(t, a, ModeGuarded)
		if d != nil {
			t.Fatal(d)
		}
		if run, err := p.Take(s.gate.o.Place); err != nil || !run.Confined {
			t.Fatalf("%+v, %v", run, err)
		}
		return p
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	_, _ = run().Outside(t.Context(), s.person, nil, false)
	q := s.person.asked[0]
	if strings.Contains(q.Because(), "folder that the agent can write to") || q.Bound != "" || len(q.Scopes) != 2 {
		t.Errorf("%+v", q)
	}
	a.Env, a.Plain = a.Plain, a.Env
	_, _ = run().Outside(t.Context(), s.person, nil, false)
	if q = s.person.asked[1]; !strings.Contains(q.Because(), "folder that the agent can write to") || q.Bound != "deployer" || len(q.Scopes) != 1 {
		t.Errorf("the other way round: %+v", q)
	}
}
