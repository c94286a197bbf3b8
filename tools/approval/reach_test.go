package approval

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// confinedRun is a permit for a command that runs confined, taken.
func (s *scene) confinedRun(t *testing.T, command string) Permit {
	t.Helper()
	p, d := s.pass(t, s.exec(command), ModeGuarded)
	if d != nil {
		t.Fatal(d)
	}
	if run, err := p.Take(s.gate.o.Place); err != nil || !run.Confined {
		t.Fatalf("%q: confined %v, %v", command, run.Confined, err)
	}
	return p
}

func TestReach(t *testing.T) {
	s := confining(t)
	var log []Entry
	s.gate.o.Record = func(_ context.Context, e Entry) error { log = append(log, e); return nil }
	s.gate.o.Hosts = func(name string, port int) bool { return name == "allowed.example" && port == 443 }
	reach := func(p Permit, name string, port int, a tools.Answer) error {
		s.person.answer, s.person.asked, log = a, nil, nil
		return p.Reach(t.Context(), s.person, name, port)
	}
	p := s.confinedRun(t, "fetch things")
	if err := reach(p, "allowed.example", 443, tools.Answer{}); err != nil || len(s.person.asked) != 0 || log[0].By != ByRule {
		t.Errorf("in the settings: %v, %+v", err, log)
	}
	if err := reach(p, "allowed.example", 25, tools.Answer{Choice: tools.ChoiceDeny}); err == nil || len(s.person.asked) != 1 {
		t.Errorf("another port than in the settings: %v", err)
	}
	if err := reach(p, "Sub.Project.Example.COM.", 443, tools.Answer{Choice: tools.ChoiceOnce}); err != nil || len(s.person.asked) != 1 {
		t.Fatalf("asked: %v", err)
	}
	q := s.person.asked[0]
	if q.Verb != "connect to" || !strings.HasPrefix(q.Text, "sub.project.example.com:443\n") || !strings.Contains(q.Text, "fetch things") ||
		q.Rule != "connect to sub.project.example.com" || q.Scopes[1].Rule != "connect to *.example.com" || q.Reasons[0].Category != "network" {
		t.Errorf("question %+v", q)
	}
	if log[0].Verb != "connect to" || log[0].Outcome != OutcomeAllow || log[0].Category != shellrisk.CatNetwork {
		t.Errorf("recorded %+v", log)
	}
	if err := reach(p, "sub.project.example.com", 80, tools.Answer{Choice: tools.ChoiceDeny}); err != nil || len(s.person.asked) != 0 {
		t.Errorf("the same run asked again: %v", err)
	}
	if err := reach(p, "other.example", 443, tools.Answer{Choice: tools.ChoiceDeny, Text: "not that one"}); err == nil || !strings.Contains(err.Error(), "not that one") {
		t.Errorf("denied: %v", err)
	}
	if err := reach(p, "other.example", 443, tools.Answer{Choice: tools.ChoiceOnce}); err == nil {
		t.Error("a denied host was asked about again by the same run")
	}

	other := s.confinedRun(t, "fetch more")
	if err := reach(other, "sub.project.example.com", 443, tools.Answer{Choice: tools.ChoiceNone}); err == nil || log[0].By != ByPolicy {
		t.Errorf("once held for another run: %v", err)
	}
	other = s.confinedRun(t, "fetch more")
	if err := reach(other, "x.example.com", 443, tools.Answer{Choice: tools.ChoiceAlways, Text: "connect to *.example.com"}); err != nil {
		t.Fatal(err)
	}
	if len(s.grants.list) != 1 || s.grants.list[0].Kind != tools.ActReach || s.grants.list[0].Pattern != "connect to *.example.com" {
		t.Errorf("stored %+v", s.grants.list)
	}
	s.gate.session = nil
	if err := reach(other, "y.example.com", 443, tools.Answer{}); err != nil || len(s.person.asked) != 0 || log[0].By != ByGrant {
		t.Errorf("a stored permission: %v", err)
	}
	if err := reach(other, "example.org", 443, tools.Answer{Choice: tools.ChoiceAlways, Text: "connect to *.org"}); err == nil {
		t.Error("a scope that was not offered allowed it")
	}
	for _, name := range []string{"", "a b", "x\u200b.example", "*.example.com", "a\"b"} {
		if err := reach(other, name, 443, tools.Answer{Choice: tools.ChoiceOnce}); err == nil || len(s.person.asked) != 0 {
			t.Errorf("%q: %v", name, err)
		}
	}
	outside, d := s.pass(t, s.exec("fetch outside"), ModeOff)
	if d != nil {
		t.Fatal(d)
	}
	if err := reach(outside, "y.example.com", 443, tools.Answer{}); !errors.Is(err, ErrNoPermit) {
		t.Errorf("a permit that is not confined: %v", err)
	}
}

// No permission is offered for all hosts below a name that many owners share.
func TestHostScopes(t *testing.T) {
	for name, want := range map[string][]string{
		"registry.npmjs.org": {"connect to registry.npmjs.org", "connect to *.npmjs.org"},
		"anna.github.io":     {"connect to anna.github.io"},
		"x.co.uk":            {"connect to x.co.uk"},
		"example.com":        {"connect to example.com"},
		"10.0.0.1":           {"connect to 10.0.0.1"},
		"::1":                {"connect to ::1"},
		"localhost":          {"connect to localhost:443"},
	} {
		var got []string
		for _, s := range hostScopes(name, 443) {
			got = append(got, s.Rule)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Connections to one host wait for one answer.
func TestReachAsksOnce(t *testing.T) {
	s := confining(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	p := s.confinedRun(t, "fetch things")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := p.Reach(context.Background(), s.person, "host.example", 443); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(s.person.asked) != 1 {
		t.Errorf("%d questions", len(s.person.asked))
	}
}

// TestOutsideByHearsay holds that a refusal read in output is quoted, offers nothing lasting
// and lowers no risk. Programs whose own words say that they have to run outside are exempt.
func TestOutsideByHearsay(t *testing.T) {
	said := []place.Refusal{{Kind: place.RefusedOther, What: "signal another process", Said: true}}
	for _, c := range []struct {
		command string
		refused []place.Refusal
		reason  string
		lasting bool
	}{
		{"tool --option", said, "says that it could not signal another process", false},
		{"bash x.sh", []place.Refusal{{Kind: place.RefusedWrite, What: "/srv/x", Said: true}}, "says that it could not write to /srv/x", false},
		{"tool --option", []place.Refusal{{Kind: place.RefusedOther, What: "signal another process"}}, "was not let signal another process", true},
		{"tool --option", append([]place.Refusal{{Kind: place.RefusedWrite, What: "/srv/x"}}, said...), "was not let write to /srv/x", false},
		{"docker ps", []place.Refusal{{Kind: place.RefusedOther, What: "talk to Docker", Said: true}}, "says that it could not talk to Docker", true},
		{"docker ps; bash x.sh", []place.Refusal{{Kind: place.RefusedOther, What: "talk to Docker", Said: true}}, "says that it could not talk to Docker", false},
	} {
		s := confining(t)
		s.programs(t, "docker")
		p := s.confinedRun(t, c.command)
		s.person.strict, s.person.answer = true, tools.Answer{Choice: tools.ChoiceAlways}
		if _, err := p.Outside(t.Context(), s.person, c.refused, false); err != nil {
			t.Fatal(err)
		}
		if len(s.person.asked) != 1 {
			t.Fatalf("%s: %d questions", c.command, len(s.person.asked))
		}
		q := s.person.asked[0]
		if q.Reasons[0].Text != c.reason || (len(q.Scopes) > 0) != c.lasting || (len(s.gate.Session()) > 0) != c.lasting {
			t.Errorf("%s: %+v, kept %v", c.command, q, s.gate.Session())
		}
	}
	for _, r := range said {
		s := confining(t)
		b := &bench{opinion: OpinionAllow}
		s.smart(b)
		p := s.smartRun(t, "tool --option")
		s.person.strict, s.person.answer, b.cases = true, tools.Answer{Choice: tools.ChoiceDeny}, nil
		if _, err := p.Outside(t.Context(), s.person, []place.Refusal{r}, false); err == nil || len(b.cases) != 1 || len(s.person.asked) != 1 {
			t.Errorf("%v, heard %v, asked %v", err, b.cases, s.person.asked)
		}
	}
}

func TestOutside(t *testing.T) {
	refused := []place.Refusal{{Kind: place.RefusedWrite, What: "/home/anna/x"}, {Kind: place.RefusedNetwork, What: "h.example:22"}}
	s := confining(t)
	p, d := s.pass(t, s.exec("tool --option"), ModeGuarded)
	if d != nil {
		t.Fatal(d)
	}
	if _, err := p.Outside(t.Context(), s.person, refused, false); !errors.Is(err, ErrNoPermit) {
		t.Errorf("before it ran: %v", err)
	}
	p = s.confinedRun(t, "tool --option")
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	out, err := p.Outside(t.Context(), s.person, refused, false)
	if err != nil {
		t.Fatal(err)
	}
	q := s.person.asked[0]
	if q.SHA256 != out.Digest() || out.Digest() == p.Digest() || q.Verb != "run again outside" || !q.Again || len(q.Reasons) < 2 ||
		q.Reasons[0].Text != "was not let write to /home/anna/x" || q.Reasons[1].Text != "was not let connect to h.example:22" || !slices.Equal(q.Reasons[0].Words, []string{"tool"}) || !q.Confinable || q.Editable {
		t.Errorf("question %+v", q)
	}
	if _, err := p.Outside(t.Context(), s.person, refused, false); !errors.Is(err, ErrUsedPermit) {
		t.Errorf("asked twice: %v", err)
	}
	run, err := out.Take(s.gate.o.Place)
	if err != nil || run.Confined || run.Command != "tool --option" {
		t.Errorf("runs %+v, %v", run, err)
	}
	if _, err := out.Take(s.gate.o.Place); !errors.Is(err, ErrUsedPermit) {
		t.Errorf("taken twice: %v", err)
	}
	if _, err := out.Outside(t.Context(), s.person, refused, false); !errors.Is(err, ErrNoPermit) {
		t.Errorf("widened twice: %v", err)
	}

	for answer, want := range map[tools.Choice]By{tools.ChoiceDeny: ByUser, tools.ChoiceNone: ByPolicy} {
		s.person.answer = tools.Answer{Choice: answer, Text: "no"}
		_, err = s.confinedRun(t, "tool --option").Outside(t.Context(), s.person, refused, false)
		if d, ok := errors.AsType[*Denied](err); !ok || d.By != want {
			t.Errorf("%s: %v", answer, err)
		}
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceConfined}
	if _, err = s.confinedRun(t, "tool --option").Outside(t.Context(), s.person, refused, false); !errors.Is(err, ErrStayConfined) {
		t.Errorf("left confined: %v", err)
	}
	s.person.asked = nil
	_, err = s.confinedRun(t, "tool --option").Outside(t.Context(), s.person, refused, true)
	if partly, ok := errors.AsType[*PartlyError](err); !ok || len(s.person.asked) != 0 || !slices.Equal(partly.Refused, refused) {
		t.Errorf("it had changed something: %v", err)
	}
}

// A permission to run a program outside covers only what would run confined, and
// only the program that its name means.
func TestProgramScope(t *testing.T) {
	s := confining(t)
	s.programs(t, "builder", "other")
	s.person.strict = true
	s.person.answer = tools.Answer{Choice: tools.ChoiceAlways, Text: "builder * (outside)"}
	if _, err := s.confinedRun(t, "cd sub && builder install | tail -5").Outside(t.Context(), s.person, nil, false); err != nil {
		t.Fatal(err)
	}
	if len(s.grants.list) != 1 || s.grants.list[0].Pattern != "builder * (outside)" {
		t.Fatalf("stored %+v", s.grants.list)
	}
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny}
	for command, outside := range map[string]bool{
		"builder test":                      true,
		"timeout 5 builder test":            true,
		"builder test; other":               false,
		"A=1 builder test":                  false,
		"builder test > \"$(cat f)\"":       false,
		"./builder test":                    false,
		"builder $(other)":                  false,
		"eval builder test":                 false,
		"rm -rf .git; builder":              false,
		"builder | sh":                      false,
		"builder & echo x >> ~/.ssh/config": false,
	} {
		p, d := s.pass(t, s.exec(command), ModeGuarded)
		if d != nil {
			if outside {
				t.Errorf("%q: %v", command, d)
			}
			continue
		}
		if run, err := p.Take(s.gate.o.Place); err != nil || run.Confined == outside {
			t.Errorf("%q: confined %v, %v", command, run.Confined, err)
		}
	}
}
