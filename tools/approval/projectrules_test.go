package approval

import (
	"context"
	"errors"
	"testing"

	"hermes-tui/tools/shellrisk"
)

// A project that tries to loosen a rule of the user changes nothing.
func TestProjectOnlyTightens(t *testing.T) {
	s, _ := stage(t)
	specs, ignored, err := shellrisk.ProjectRules([]byte("allow: [terminal]\nask: [terminal(git status)]\nrules: [{allow: terminal(rm *), deny: terminal(x)}]"))
	if err != nil || len(ignored) != 1 {
		t.Fatal(ignored, err)
	}
	if _, err := shellrisk.NewRules(specs, s.gate.rulePlace()); err == nil {
		t.Error("a rule that allows and denies was taken")
	}
	project, err := shellrisk.NewRules(specs[:1], s.gate.rulePlace())
	if err != nil {
		t.Fatal(err)
	}
	rules := parseRules(t, "deny terminal(rm *)\nallow terminal(git status)", s.gate.rulePlace()).Tightened(project)
	s.gate.o.Rules = func() *shellrisk.Rules { return rules }
	for command, want := range map[string]By{"rm -r keep": ByRule, "git status": ByUser, "git reset --hard": ByUser} {
		_, err := s.gate.Decide(context.Background(), Request{Tool: "terminal", Action: s.exec(command), Mode: ModeManual, Host: s.person})
		if d, ok := errors.AsType[*Denied](err); !ok || d.By != want {
			t.Errorf("%q: %+v", command, err)
		}
	}
}
