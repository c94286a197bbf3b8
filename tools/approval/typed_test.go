package approval

import (
	"context"
	"errors"
	"testing"

	"hermes-tui/tools/shellrisk"
)

// TestTyped decides about commands that the user types.
func TestTyped(t *testing.T) {
	for _, mode := range []Mode{ModeGuarded, ModePlan, ModeManual, ModeOff} {
		s := confining(t)
		rules, err := shellrisk.NewRules([]shellrisk.RuleSpec{{Deny: "terminal(git push *)"}, {Ask: "terminal(rm *)"}}, s.gate.rulePlace())
		if err != nil {
			t.Fatal(err)
		}
		s.gate.o.Trusted = func() bool { return false }
		s.gate.o.Rules = func() *shellrisk.Rules { return rules }
		var log []Entry
		s.gate.o.Record = func(_ context.Context, e Entry) error { log = append(log, e); return nil }
		for command, want := range map[string]Outcome{
			"ls": OutcomeAllow, "make && ./x": OutcomeAllow, "rm -rf build": OutcomeAllow, "sudo systemctl restart x": OutcomeAllow,
			"rm -rf /": OutcomeBlocked, ":(){ :|:& };:": OutcomeBlocked, "git push origin x": OutcomeDeny,
		} {
			log = nil
			r := s.request(command)
			r.Mode = mode
			p, err := s.gate.Typed(context.Background(), r)
			_, denied := errors.AsType[*Denied](err)
			if denied != (want != OutcomeAllow) || (err != nil) != denied || len(log) != 1 || log[0].Outcome != want {
				t.Errorf("%s: %q: %v, %+v", mode, command, err, log)
			}
			if len(s.person.asked) > 0 {
				t.Errorf("%s: %q was asked about", mode, command)
			}
			if err == nil {
				if run, err := p.Take(s.gate.o.Place); err != nil || run.Confined || run.Command != command {
					t.Errorf("%s: %q: %+v, %v", mode, command, run, err)
				}
			}
		}
	}
	s := newScene(t)
	s.gate.o.Record = func(context.Context, Entry) error { return errors.New("disk full") }
	if _, err := s.gate.Typed(context.Background(), s.request("ls")); err == nil {
		t.Error("it runs unrecorded")
	}
}
