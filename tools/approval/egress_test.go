package approval

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

const page = "the web"

// TestEgress asks about what leaves after strangers' words came in, whatever was allowed
// before.
func TestEgress(t *testing.T) {
	call := tools.Action{Kind: tools.ActCall, Server: "mail", Item: "send", Command: "{}"}
	fetch := tools.Action{Kind: tools.ActFetch, URLs: []string{"https://a.example/?q=1"}}
	for _, c := range []struct {
		name   string
		action func(*scene) tools.Action
		leaves bool
	}{
		{"git push", func(s *scene) tools.Action { return s.exec("git push origin main") }, true},
		{"git fetch, then push", func(s *scene) tools.Action { return s.exec("git fetch && git push") }, true},
		{"git fetch", func(s *scene) tools.Action { return s.exec("git fetch") }, false},
		{"curl", func(s *scene) tools.Action { return s.exec("curl https://a.example/x") }, true},
		{"npm publish", func(s *scene) tools.Action { return s.exec("npm publish") }, true},
		{"make", func(s *scene) tools.Action { return s.exec("make") }, false},
		{"a call", func(*scene) tools.Action { return call }, true},
		{"data in an address", func(*scene) tools.Action { return fetch }, true},
		{"a page", func(*scene) tools.Action {
			return tools.Action{Kind: tools.ActFetch, URLs: []string{"https://a.example/b"}}
		}, false},
	} {
		s := newScene(t)
		s.person.strict = true
		tool := "terminal"
		if c.action(s).Kind != tools.ActExec {
			tool = "other_tool"
		}
		rules, err := shellrisk.NewRules([]shellrisk.RuleSpec{{Allow: "terminal(git *)"}, {Allow: "terminal(curl *)"}, {Allow: "terminal(npm *)"}, {Allow: "terminal(make *)"}, {Allow: "terminal(make)"}, {Allow: "other_tool"}}, s.gate.rulePlace())
		if err != nil {
			t.Fatal(err)
		}
		s.gate.o.Rules = func() *shellrisk.Rules { return rules }
		decide := func(after string, mode Mode) error {
			s.person.asked = nil
			_, err := s.gate.Decide(t.Context(), Request{Tool: tool, Action: c.action(s), Mode: mode, Host: s.person, After: after})
			return err
		}
		if err := decide("", ModeManual); err != nil || len(s.person.asked) != 0 {
			t.Fatalf("%s: not allowed by the rule: %v", c.name, err)
		}
		if err := decide(page, ModeOff); err != nil {
			t.Errorf("%s: asked in mode off: %v", c.name, err)
		}
		err = decide(page, ModeManual)
		if asked := len(s.person.asked) == 1; asked != c.leaves || (err != nil) != c.leaves {
			t.Errorf("%s: asked %v, %v", c.name, asked, err)
		}
		if c.leaves && !strings.Contains(s.person.asked[0].Because(), "strangers may have written (the web)") {
			t.Errorf("%s: because it %s", c.name, s.person.asked[0].Because())
		}
		s.person.answer = tools.Answer{Choice: tools.ChoiceNone}
		denied, _ := errors.AsType[*Denied](decide(page, ModeManual))
		if c.leaves && (denied == nil || !strings.Contains(denied.Message, "approvals.ask_after_untrusted: false")) {
			t.Errorf("%s: no one there: %+v", c.name, denied)
		}
	}
}

// TestEgressGrants offers permissions of their own, which hold in both cases.
func TestEgressGrants(t *testing.T) {
	s := newScene(t)
	s.person.strict = true
	push := func(after string, a tools.Answer) error {
		s.person.asked, s.person.answer = nil, a
		_, err := s.gate.Decide(t.Context(), Request{Tool: "mail", Action: tools.Action{Kind: tools.ActCall, Server: "mail", Item: "send", Command: "{}"}, Mode: ModeGuarded, Host: s.person, After: after})
		return err
	}
	const plain, also = `use "send" of the MCP server "mail"`, widely + `use "send" of the MCP server "mail"`
	if err := push("", tools.Answer{Choice: tools.ChoiceAlways, Text: plain}); err != nil || s.grants.list[0].Pattern != plain {
		t.Fatal(err, s.grants.list)
	}
	if err := push(page, tools.Answer{Choice: tools.ChoiceDeny}); err == nil || s.person.asked[0].Scopes[0].Rule != also {
		t.Fatalf("%v, %+v", err, s.person.asked)
	}
	if err := push(page, tools.Answer{Choice: tools.ChoiceAlways, Text: also}); err != nil {
		t.Fatal(err)
	}
	s.gate.session = nil
	if err := push(page, tools.Answer{}); err != nil || len(s.person.asked) != 0 {
		t.Errorf("asked again: %v, %v", err, s.person.asked)
	}
	if err := push("", tools.Answer{}); err != nil || len(s.person.asked) != 0 {
		t.Errorf("asked without strangers: %v", err)
	}
}

// TestEgressReach asks again about allowed hosts of what runs confined and can send.
func TestEgressReach(t *testing.T) {
	s := confining(t)
	s.gate.o.Hosts = func(string, int) bool { return true }
	for command, leaves := range map[string]bool{"curl https://a.example/": true, "npm install": false} {
		p, err := s.gate.Decide(t.Context(), Request{Tool: "terminal", Action: s.exec(command), Mode: ModeGuarded, Host: s.person, After: page})
		if err != nil {
			t.Fatal(err)
		}
		if run, err := p.Take(s.gate.o.Place); err != nil || !run.Confined {
			t.Fatalf("%q: confined %v, %v", command, run.Confined, err)
		}
		s.person.asked, s.person.answer = nil, tools.Answer{Choice: tools.ChoiceDeny}
		err = p.Reach(context.Background(), s.person, "a.example", 443)
		if _, denied := errors.AsType[*Denied](err); denied != leaves || len(s.person.asked) > 0 != leaves {
			t.Errorf("%s: %v", command, err)
		}
		if leaves && (!strings.Contains(s.person.asked[0].Because(), page) || !strings.HasPrefix(s.person.asked[0].Scopes[0].Rule, widely)) {
			t.Errorf("%s: %+v", command, s.person.asked[0])
		}
	}
}

// TestEgressStaysConfined: a rule or a permission by which a command that sends would run with
// all rights does not lift its confinement after strangers' words; its hosts are asked about.
func TestEgressStaysConfined(t *testing.T) {
	s := confining(t)
	s.gate.o.Hosts = func(string, int) bool { return true }
	decide := func(command, after string) (confined bool) {
		t.Helper()
		s.person.asked, s.person.answer = nil, tools.Answer{Choice: tools.ChoiceDeny}
		p, err := s.gate.Decide(t.Context(), Request{Tool: "terminal", Action: s.exec(command), Mode: ModeGuarded, Host: s.person, After: after})
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		run, err := p.Take(s.gate.o.Place)
		if err != nil {
			t.Fatal(err)
		}
		if run.Confined && after != "" {
			var denied *Denied
			if err := p.Reach(t.Context(), s.person, "a.example", 443); !errors.As(err, &denied) || len(s.person.asked) != 1 || !strings.Contains(s.person.asked[0].Because(), page) {
				t.Errorf("%s: its host: %v after %d questions", command, err, len(s.person.asked))
			}
		}
		return run.Confined
	}
	ruled, granted := "curl -T y https://a.example/x", "curl -T x https://a.example/"
	s.rule(t, "allow terminal("+ruled+")")
	out := s.exec(granted)
	out.Outside = true
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways, Text: `in "` + s.dir + `" exactly: ` + granted}
	if _, err := s.gate.Decide(t.Context(), Request{Tool: "terminal", Action: out, Mode: ModeGuarded, Host: s.person}); err != nil || len(s.grants.list) != 1 {
		t.Fatalf("%v, %+v, asked %+v", err, s.grants.list, s.person.asked)
	}
	for _, command := range []string{ruled, granted} {
		if decide(command, "") {
			t.Errorf("%s: confined without strangers", command)
		}
		if !decide(command, page) {
			t.Errorf("%s: it runs with all rights", command)
		}
	}
}

// A script counts as sending: after strangers' words a rule that allows scripts does not let
// one run unasked.
func TestScriptsSend(t *testing.T) {
	for after, asked := range map[string]int{"": 0, "a page": 1} {
		s := newScene(t)
		rules, err := shellrisk.NewRules([]shellrisk.RuleSpec{{Allow: "execute_code"}}, s.gate.rulePlace())
		if err != nil {
			t.Fatal(err)
		}
		s.gate.o.Rules = func() *shellrisk.Rules { return rules }
		s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
		r := Request{Tool: "execute_code", Action: tools.Action{Kind: tools.ActCode, Command: "print(1)", Dir: s.dir}, Mode: ModeManual, Host: s.person, After: after}
		_, _ = s.gate.Decide(t.Context(), r)
		if len(s.person.asked) != asked {
			t.Errorf("after %q: %d questions", after, len(s.person.asked))
		}
	}
}
