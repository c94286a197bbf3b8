package approval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// request is what the terminal tool passes to the gate.
func (s *scene) request(command string) Request {
	return Request{Tool: "terminal", Action: s.exec(command), Mode: ModeManual, Host: s.person, Agent: "a1", Call: "c1", Editable: true}
}

// decide gives the outcome of a request: a permit or a denial.
func (s *scene) decide(t *testing.T, r Request) (Permit, *Denied) {
	t.Helper()
	p, err := s.gate.Decide(context.Background(), r)
	d, ok := errors.AsType[*Denied](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	return p, d
}

// logged makes a scene whose decisions are kept.
func logged(t *testing.T) (*scene, *[]Entry) {
	s := newScene(t)
	list := &[]Entry{}
	s.gate.o.Record = func(_ context.Context, e Entry) error {
		*list = append(*list, e)
		return nil
	}
	return s, list
}

func TestDecisionsAreRecorded(t *testing.T) {
	s, list := logged(t)
	s.rule(t, "deny terminal(git push *)\nask terminal(make *)\nallow terminal(rm -r build)")
	at := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		command string
		mode    Mode
		answer  tools.Choice
		want    Entry
	}{
		{"ls", ModeManual, "", Entry{Outcome: OutcomeAllow, By: ByJudge, Category: shellrisk.CatNone}},
		{"rm -rf /", ModeOff, "", Entry{Outcome: OutcomeBlocked, By: ByJudge, Category: shellrisk.CatDeleteRoot}},
		{"git push", ModeOff, "", Entry{Outcome: OutcomeDeny, By: ByRule, Rule: "deny terminal(git push *)", Category: shellrisk.CatNone}},
		{"ls", ModePlan, "", Entry{Outcome: OutcomeDeny, By: ByMode, Category: shellrisk.CatNone}},
		{"rm -r build", ModeManual, "", Entry{Outcome: OutcomeAllow, By: ByRule, Rule: "allow terminal(rm -r build)", Category: shellrisk.CatDelete}},
		{"rm -r x", ModeOff, "", Entry{Outcome: OutcomeAllow, By: ByMode, Category: shellrisk.CatDelete}},
		{"make x", ModeOff, tools.ChoiceOnce, Entry{Outcome: OutcomeAllow, By: ByUser, Rule: "ask terminal(make *)", Category: shellrisk.CatNone}},
		{"rm -r x", ModeManual, tools.ChoiceDeny, Entry{Outcome: OutcomeDeny, By: ByUser, Category: shellrisk.CatDelete}},
		{"rm -r x", ModeManual, tools.ChoiceNone, Entry{Outcome: OutcomeDeny, By: ByPolicy, Category: shellrisk.CatDelete}},
		{"npm publish", ModeManual, tools.ChoiceSession, Entry{Outcome: OutcomeAllow, By: ByUser, Rule: "in \"" + s.dir + "\" exactly: npm publish", Category: shellrisk.CatPublish}},
		{"npm publish", ModeManual, "", Entry{Outcome: OutcomeAllow, By: ByGrant, Rule: "in \"" + s.dir + "\" exactly: npm publish", Category: shellrisk.CatPublish}},
	} {
		*list = nil
		s.person.answer = tools.Answer{Choice: c.answer}
		r := s.request(c.command)
		r.Mode = c.mode
		p, d := s.decide(t, r)
		if len(*list) != 1 {
			t.Errorf("%q: %d entries", c.command, len(*list))
			continue
		}
		got := (*list)[0]
		digest := got.Digest
		got.Digest = ""
		c.want.At, c.want.Agent, c.want.Call, c.want.Tool, c.want.Verb = at, "a1", "c1", "terminal", "run"
		if c.want.Ran = RanPlain; c.want.Outcome != OutcomeAllow {
			c.want.Ran = RanNot
		}
		if got != c.want || len(digest) != 64 || d == nil && digest != p.Digest() || d != nil && d.By != got.By {
			t.Errorf("%q: recorded %+v (%s), want %+v", c.command, got, digest, c.want)
		}
		if strings.Contains(got.Rule, "rm -r x") {
			t.Errorf("%q: the text is in the log", c.command)
		}
	}
}

// The log says how what was decided about ran.
func TestDecisionsSayHowItRan(t *testing.T) {
	s := confining(t)
	var log []Entry
	s.gate.o.Record = func(_ context.Context, e Entry) error { log = append(log, e); return nil }
	s.programs(t, "ss", "grep")
	for _, c := range []struct {
		command string
		mode    Mode
		answer  tools.Choice
		want    Ran
	}{
		{"ls", ModeGuarded, "", RanConfined},
		{"ss -ltn | grep 80", ModeGuarded, "", RanPlain},
		{"tool", ModeGuarded, "", RanConfined},
		{"tool", ModeOff, "", RanOutside},
		{"npm publish", ModeGuarded, tools.ChoiceOnce, RanOutside},
		{"npm publish", ModeGuarded, tools.ChoiceConfined, RanConfined},
		{"npm publish", ModeGuarded, tools.ChoiceDeny, RanNot},
		{"rm -rf /", ModeGuarded, "", RanNot},
	} {
		s.person.answer, log = tools.Answer{Choice: c.answer}, nil
		if s.pass(t, s.exec(c.command), c.mode); len(log) != 1 || log[0].Ran != c.want {
			t.Errorf("%q in %s: %+v, want %s", c.command, c.mode, log, c.want)
		}
	}
	s.person.answer, log = tools.Answer{Choice: tools.ChoiceOnce}, nil
	if _, err := s.confinedRun(t, "tool").Outside(t.Context(), s.person, nil, false); err != nil || log[len(log)-1].Ran != RanOutside {
		t.Errorf("%v, %+v", err, log)
	}
	log = nil
	s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{filepath.Join(s.dir, "x")}}, ModeGuarded)
	if len(log) != 1 || log[0].Ran != "" {
		t.Errorf("a file: %+v", log)
	}
}

// What cannot be recorded does not run; a refusal stands.
func TestRecordingFails(t *testing.T) {
	s := newScene(t)
	s.gate.o.Record = func(context.Context, Entry) error { return errors.New("disk full") }
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	for _, command := range []string{"ls", "rm -r x"} {
		if p, err := s.gate.Decide(t.Context(), s.request(command)); err == nil || p.Digest() != "" || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%q: %v", command, err)
		}
	}
	if len(s.grants.list) != 0 {
		t.Error("a permission was kept for what did not run")
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	if _, d := s.decide(t, s.request("rm -r x")); d == nil || s.warned == nil {
		t.Errorf("denial %v, warned %v", d, s.warned)
	}
}

func TestEditThenRun(t *testing.T) {
	s, list := logged(t)
	s.rule(t, "ask terminal(rm *)\ndeny terminal(git push *)")
	edit := func(from, to string) *Edited {
		t.Helper()
		s.person.asked, s.person.answer = nil, tools.Answer{Choice: tools.ChoiceEdit, Text: to}
		_, err := s.gate.Decide(t.Context(), s.request(from))
		if !s.person.asked[0].Editable {
			t.Error("the question does not offer it")
		}
		edited, _ := errors.AsType[*Edited](err)
		return edited
	}
	rewritten := func(text string, mode Mode) (Permit, *Denied) {
		r := s.request(text)
		r.Edited, r.Mode = true, mode
		s.person.asked, s.person.answer = nil, tools.Answer{Choice: tools.ChoiceDeny}
		return s.decide(t, r)
	}
	if e := edit("rm -r x", "rm -r y"); e == nil || e.Text != "rm -r y" {
		t.Fatalf("%+v", e)
	}
	p, d := rewritten("rm -r y", ModeManual)
	if d != nil || len(s.person.asked) != 0 {
		t.Fatalf("what the user wrote: %v after %d questions", d, len(s.person.asked))
	}
	if run, err := p.Take(s.place); err != nil || run.Command != "rm -r y" {
		t.Errorf("%+v, %v", run, err)
	}
	if n := len(*list); n != 2 || (*list)[0].Outcome != OutcomeEdit || (*list)[1].By != ByUser || (*list)[1].Digest != p.Digest() || (*list)[0].Digest == p.Digest() {
		t.Errorf("recorded %+v", *list)
	}
	if _, d := rewritten("rm -r y", ModeManual); d == nil || len(s.person.asked) != 1 {
		t.Error("a text counted twice")
	}
	if _, d := rewritten("rm -r z", ModeManual); d == nil || len(s.person.asked) != 1 {
		t.Error("a text that no one wrote passed")
	}
	for text, mode := range map[string]Mode{"rm -rf /": ModeManual, "git push": ModeManual, "rm -r y": ModePlan} {
		if e := edit("rm -r x", text); e == nil {
			t.Fatal(text)
		}
		if _, d := rewritten(text, mode); d == nil || len(s.person.asked) != 0 {
			t.Errorf("%q in %s: %v after %d questions", text, mode, d, len(s.person.asked))
		}
	}
	// Nothing to run, or where the tool cannot take it: no.
	s.person.answer = tools.Answer{Choice: tools.ChoiceEdit, Text: " "}
	if _, d := s.decide(t, s.request("rm -r x")); d == nil {
		t.Error("an empty text passed")
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceEdit, Text: "rm -r y"}
	r := s.request("rm -r x")
	r.Editable = false
	if _, d := s.decide(t, r); d == nil || s.person.asked[len(s.person.asked)-1].Editable {
		t.Error("edited where that is not possible")
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceEdit, Text: "rm -r x"}
	if _, d := s.decide(t, s.request("rm -r x")); d != nil {
		t.Error("the same text:", d)
	}
}

// silent never answers.
type silent struct{ tools.Host }

func (silent) Ask(ctx context.Context, _ tools.Question) (tools.Answer, error) {
	<-ctx.Done()
	return tools.Answer{}, context.Cause(ctx)
}

func TestQuestionsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, list := logged(t)
		s.gate.o.Timeout = 2 * time.Minute
		s.rule(t, "ask mcp_*")
		r := s.request("rm -r x")
		r.Host = silent{}
		began := time.Now()
		_, d := s.decide(t, r)
		if d == nil || d.By != ByTimeout || d.Reason != "no one answered within 2 minutes" || !strings.Contains(d.Message, "Do not try it again") || time.Since(began) != 2*time.Minute {
			t.Errorf("%+v after %v", d, time.Since(began))
		}
		err := s.gate.PassTool(t.Context(), Request{Tool: "mcp_x", Host: silent{}})
		if d, ok := errors.AsType[*Denied](err); !ok || d.By != ByTimeout {
			t.Errorf("a tool: %v", err)
		}
		if len(*list) != 2 || (*list)[0].By != ByTimeout || (*list)[0].Outcome != OutcomeDeny {
			t.Errorf("recorded %+v", *list)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(errors.New("stopped")) })
		if _, err := s.gate.Decide(ctx, r); err == nil || err.Error() != "stopped" {
			t.Errorf("cancelled: %v", err)
		}
	})
}

func TestDenialsTellTheModel(t *testing.T) {
	s := newScene(t)
	rules, err := shellrisk.NewRules([]shellrisk.RuleSpec{{Deny: "terminal(git push *)", Reason: "releases are made by hand"}, {Ask: "terminal(make *)", Reason: "slow"}}, s.gate.rulePlace())
	if err != nil {
		t.Fatal(err)
	}
	s.gate.o.Rules = func() *shellrisk.Rules { return rules }
	_, d := s.decide(t, s.request("git push"))
	if d == nil || !strings.Contains(d.Message, "terminal(git push *)") || !strings.Contains(d.Message, "releases are made by hand") || !strings.Contains(d.Message, noRetry) {
		t.Errorf("%+v", d)
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny, Text: "not now"}
	_, d = s.decide(t, s.request("make x && rm -r build"))
	q := s.person.asked[0]
	if q.Rule != "" || q.Reasons[0].Category != string(shellrisk.CatRule) || q.Reasons[1].Category != string(shellrisk.CatDelete) || q.Because() != "is asked about by the rule terminal(make *) (slow); it deletes folders with all they hold" {
		t.Errorf("%+v", q)
	}
	if d == nil || !strings.Contains(d.Message, "not now") || !strings.Contains(d.Message, noRetry) {
		t.Errorf("%+v", d)
	}
	s.decide(t, s.request("make x"))
	if q := s.person.asked[1]; q.Reasons[0].Category != string(shellrisk.CatRule) || q.Because() != "is asked about by the rule terminal(make *) (slow)" {
		t.Errorf("%+v", q)
	}
	s.decide(t, s.request("git $(cat x)"))
	if q := s.person.asked[2]; !strings.Contains(q.Because(), "may do what the rule terminal(git push *) forbids") || !strings.Contains(q.Because(), "made by hand") {
		t.Errorf("%+v", q)
	}
}

func TestScripts(t *testing.T) {
	s := newScene(t)
	script := func(text string) Request {
		return Request{Tool: "execute_code", Mode: ModeManual, Host: s.person, Editable: true, Action: tools.Action{
			Kind: tools.ActCode, Command: text, Argv: []string{s.place.Info().Shell, "x.py"}, Dir: s.dir,
		}}
	}
	if _, d := s.decide(t, script("print(1)\x1b[2J")); d == nil {
		t.Fatal("nobody agreed")
	}
	if q := s.person.asked[0]; q.Text != "print(1)⟨U+001B⟩[2J" || q.Rule != "" || !q.Editable || q.Verb != "run" || q.Reasons[0].Category != string(shellrisk.CatObfuscated) || q.Reasons[1].Category != string(shellrisk.CatIndirectExec) {
		t.Errorf("%+v", q)
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	if _, d := s.decide(t, script("print(1)")); d != nil || !strings.Contains(s.person.asked[1].Rule, "exactly the script sha256:") || s.person.asked[1].Scopes[0].Label != "this very script" {
		t.Errorf("%v, offered %q", d, s.person.asked[1].Rule)
	}
	p, d := s.decide(t, script("print(1)"))
	if d != nil || len(s.person.asked) != 2 {
		t.Errorf("for good: %v after %d questions", d, len(s.person.asked))
	}
	s.decide(t, script("print(2)"))
	elsewhere := script("print(1)")
	elsewhere.Action.Dir = s.home
	if s.decide(t, elsewhere); len(s.person.asked) != 4 {
		t.Errorf("another script, and another folder: %d questions", len(s.person.asked))
	}
	s.gate.session = nil
	s.grants.list = []Grant{{Kind: tools.ActCode, Pattern: "execute_code(*)"}, {Kind: tools.ActCode, Pattern: "execute_code(*)", Pins: []Pin{}}}
	if s.decide(t, script("print(1)")); len(s.person.asked) != 5 || s.gate.Void(s.grants.list[0]) == "" {
		t.Errorf("a permission for every script still holds: %d questions", len(s.person.asked))
	}
	if run, err := p.Take(s.place); err != nil || run.Command != "print(1)" || len(run.Argv) != 2 {
		t.Errorf("%+v, %v", run, err)
	}
	for rules, want := range map[string]string{
		"deny execute_code": "denied", "deny execute_code(*)": "denied", "ask execute_code": "asked", "allow execute_code(*)": "allowed", "deny terminal": "asked",
	} {
		s.gate.session, s.grants.list, s.person.asked = nil, nil, nil
		s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
		s.rule(t, rules)
		_, d := s.decide(t, script("print(1)"))
		got := "allowed"
		if d != nil {
			if got = "denied"; len(s.person.asked) > 0 {
				got = "asked"
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", rules, got, want)
		}
	}
	s.rule(t, "allow execute_code")
	r := script("print(1)")
	r.Mode = ModePlan
	if _, d := s.decide(t, r); d == nil || d.By != ByMode {
		t.Errorf("plan: %v", d)
	}
}

func TestToolsByName(t *testing.T) {
	s, list := logged(t)
	s.rule(t, "deny mcp_evil_*\nask mcp_x_write\nallow mcp_x_*\ndeny terminal(ls)")
	for _, c := range []struct {
		tool   string
		reads  bool
		mode   Mode
		answer tools.Choice
		by     By // empty: it passes
		asked  int
		log    int
	}{
		{"mcp_evil_x", true, ModeOff, "", ByRule, 0, 1},
		{"mcp_x_read", true, ModeManual, "", "", 0, 0},
		{"mcp_x_read", true, ModePlan, "", "", 0, 0},
		{"mcp_x_other", false, ModePlan, "", ByMode, 0, 1},
		{"mcp_x_other", false, ModeOff, "", "", 0, 0},
		{"mcp_x_write", false, ModeOff, tools.ChoiceOnce, "", 1, 1},
		{"mcp_x_write", false, ModeManual, tools.ChoiceDeny, ByUser, 1, 1},
		{"mcp_x_write", false, ModeManual, tools.ChoiceNone, ByPolicy, 1, 1},
		{"mcp_x_write", false, ModeManual, tools.ChoiceEdit, ByUser, 1, 1},
		{"mcp_x_write", false, ModePlan, tools.ChoiceOnce, ByMode, 0, 1},
		{"terminal", false, ModeManual, "", "", 0, 0}, // the rule is about commands
	} {
		*list, s.person.asked, s.person.answer = nil, nil, tools.Answer{Choice: c.answer, Text: "why"}
		err := s.gate.PassTool(t.Context(), Request{Tool: c.tool, ReadsOnly: c.reads, Mode: c.mode, Host: s.person, Text: "x\u202e"})
		d, _ := errors.AsType[*Denied](err)
		if (err == nil) != (c.by == "") || d != nil && d.By != c.by || len(s.person.asked) != c.asked || len(*list) != c.log {
			t.Errorf("%s in %s: %v after %d questions, %d entries", c.tool, c.mode, err, len(s.person.asked), len(*list))
		}
		if c.asked > 0 {
			if q := s.person.asked[0]; q.Text != c.tool+"\nx⟨U+202E⟩" || q.Rule != "" || q.Verb != "use" || q.Editable || len(q.SHA256) != 64 {
				t.Errorf("%+v", q)
			}
		}
	}
}

func TestFileRulesAtTheGate(t *testing.T) {
	s := newScene(t)
	s.rule(t, "deny write_file(locked/**)\nask patch(src/**)\nallow write_file(~/notes/**)\nallow write_file(AGENTS.md)")
	for _, c := range []struct {
		tool    string
		paths   []string
		allowed bool
		asked   int
	}{
		{"write_file", []string{s.dir + "/locked/x"}, false, 0},
		{"write_file", []string{s.dir + "/LOCKED/x"}, false, 0},
		{"write_file", []string{s.dir + "/a", s.dir + "/locked"}, false, 0},
		{"patch", []string{s.dir + "/locked/x"}, true, 0},
		{"patch", []string{s.dir + "/src/x"}, false, 1},
		{"write_file", []string{s.home + "/notes/x"}, true, 0},
		{"write_file", []string{s.home + "/notes/x", s.home + "/y"}, false, 1},
		{"write_file", []string{s.home + "/notes/.env"}, false, 1},
		{"write_file", []string{s.dir + "/AGENTS.md"}, true, 0},
		{"write_file", []string{s.home + "/notes/../.ssh/x"}, false, 0},
	} {
		s.person.asked = nil
		_, d := s.decide(t, Request{Tool: c.tool, Action: tools.Action{Kind: tools.ActWrite, Paths: c.paths}, Mode: ModeManual, Host: s.person})
		if (d == nil) != c.allowed || len(s.person.asked) != c.asked {
			t.Errorf("%s %q: %v after %d questions", c.tool, c.paths, d, len(s.person.asked))
		}
	}
}

// A rule counts from the moment it is there.
func TestRulesAreLive(t *testing.T) {
	s := newScene(t)
	if _, d := s.decide(t, s.request("ls")); d != nil {
		t.Fatal(d)
	}
	s.rule(t, "deny terminal(ls *)")
	if _, d := s.decide(t, s.request("ls")); d == nil {
		t.Error("the new rule does not count")
	}
}

// An allow rule names a program; one of that name in the workspace is not it.
func TestAllowRulesKnowTheProgram(t *testing.T) {
	s := newScene(t)
	bin := filepath.Join(filepath.Dir(s.dir), "bin", "git")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.rule(t, "allow terminal(git branch -D *)")
	if _, d := s.decide(t, s.request("git branch -D x")); d != nil {
		t.Error(d)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "git"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := s.request("git branch -D x")
	for _, path := range []string{s.dir + ":/usr/bin", ".:/usr/bin", "/nowhere"} {
		r.Action.Env = []string{"HOME=" + s.home, "PATH=" + path}
		if _, d := s.decide(t, r); d == nil {
			t.Errorf("PATH=%s: it passed", path)
		}
	}
}

// In a folder that is not trusted only what shows files runs without a question,
// in every mode.
func TestUntrustedFolder(t *testing.T) {
	s := newScene(t)
	s.gate.o.Trusted = func() bool { return false }
	s.rule(t, "allow terminal")
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways}
	for command, allowed := range map[string]bool{
		"ls -la": true, "cat README.md | grep -n x": true, "cd sub && ls": true, "find . -name x": true, "head -3 f 2>/dev/null": true,
		"git status": false, "make": false, "npm test": false, "./x": false, "go test ./...": false, "bash x.sh": false, "find . -delete": false,
		"A=1 ls": false, "rm -r x": false, "sh -c ls": false,
	} {
		for _, mode := range []Mode{ModeManual, ModeOff} {
			s.person.asked = nil
			r := s.request(command)
			r.Mode = mode
			s.decide(t, r)
			if (len(s.person.asked) == 0) != allowed {
				t.Errorf("%q in %s: %d questions", command, mode, len(s.person.asked))
			}
			if !allowed && s.person.asked[0].Rule != "" {
				t.Errorf("%q: offers %q", command, s.person.asked[0].Rule)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir, "ls"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := s.request("ls")
	r.Action.Env = []string{"PATH=" + s.dir}
	s.person.asked = nil
	if s.decide(t, r); len(s.person.asked) != 1 {
		t.Error("a program of the folder passed for a known one")
	}
	if _, d := s.pass(t, tools.Action{Kind: tools.ActWrite, Paths: []string{filepath.Join(s.dir, "x")}}, ModeManual); d != nil {
		t.Error("writing:", d)
	}
}
