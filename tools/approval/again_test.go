package approval

import (
	"context"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// heldRun is a run that is confined, of a command that has failed by refused.
func (s *scene) heldRun(t *testing.T, refused ...place.Refusal) (*Confined, Permit, Ended) {
	t.Helper()
	p, d := s.pass(t, s.exec("fetch things"), ModeGuarded)
	if d != nil {
		t.Fatal(d)
	}
	run, err := p.Take(s.gate.o.Place)
	if err != nil {
		t.Fatal(err)
	}
	return p.Confined(run, s.person, t.TempDir()), p, Ended{Failed: true, Exit: place.Exit{Code: 1, Refused: refused}}
}

func network(what string) place.Refusal { return place.Refusal{Kind: place.RefusedNetwork, What: what} }

// A host about which no one answered before the command gave up is asked about once
// more, and a yes runs the same again, confined.
func TestAskedAgainAfterTheCommandGaveUp(t *testing.T) {
	for name, c := range map[string]struct {
		answer   tools.Choice
		acted    bool
		asked    int
		confined bool // it runs once more
		says     string
	}{
		"allowed": {tools.ChoiceOnce, false, 2, true, "second run"},
		"no one":  {tools.ChoiceNone, false, 2, false, "by listing the host under approvals.hosts"},
		"denied":  {tools.ChoiceDeny, false, 2, false, "did not allow you to connect to slow.example:443."},
		"acted":   {tools.ChoiceOnce, true, 1, false, "had not answered whether it may connect to slow.example:443"},
	} {
		t.Run(name, func(t *testing.T) {
			s := confining(t)
			held, _, ended := s.heldRun(t, network("slow.example:443"))
			gone, end := context.WithCancel(t.Context())
			s.person.during, s.person.answer = end, tools.Answer{Choice: tools.ChoiceDeny}
			if err := held.reach(gone, "slow.example", 443); err == nil {
				t.Fatal("let through without an answer")
			}
			s.person.during, s.person.answer, ended.Acted = nil, tools.Answer{Choice: c.answer}, c.acted
			next, note, err := held.Again(t.Context(), ended)
			if err != nil || len(s.person.asked) != c.asked || !strings.Contains(note, c.says) {
				t.Fatalf("%d questions, %v: %s", len(s.person.asked), err, note)
			}
			for _, q := range s.person.asked {
				if q.Verb != "connect to" {
					t.Errorf("asked to %s", q.Verb)
				}
			}
			if !c.confined {
				if next.Digest() != "" {
					t.Error("runs again")
				}
				return
			}
			run, err := next.Take(s.gate.o.Place)
			if err != nil || !run.Confined || run.Command != "fetch things" {
				t.Fatalf("%+v, %v", run, err)
			}
			if err := next.Reach(t.Context(), s.person, "slow.example", 443); err != nil || len(s.person.asked) != 2 {
				t.Errorf("the second run asks again: %v", err)
			}
		})
	}
}

// Who stops a command while its question is open has answered it: the model is not told
// to try again, and no one is asked.
func TestStoppedInsteadOfAnswered(t *testing.T) {
	s := confining(t)
	held, _, ended := s.heldRun(t, network("slow.example:443"))
	stopped, stop := context.WithCancel(t.Context())
	s.person.during, s.person.answer = stop, tools.Answer{Choice: tools.ChoiceDeny}
	if err := held.reach(stopped, "slow.example", 443); err == nil {
		t.Fatal("let through without an answer")
	}
	ended.Exit.Killed = true
	next, note, err := held.Again(stopped, ended)
	if err != nil || next.Digest() != "" || len(s.person.asked) != 1 {
		t.Fatalf("%d questions, %v", len(s.person.asked), err)
	}
	if !strings.Contains(note, "not let connect to slow.example:443") || strings.Contains(note, "again") {
		t.Error(note)
	}
}

// What fails at a host that was allowed was not refused; what was refused there all the
// same is said with the reason.
func TestRefusedAtAnAllowedHost(t *testing.T) {
	s := confining(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	held, _, ended := s.heldRun(t)
	if err := held.reach(t.Context(), "down.example", 443); err != nil {
		t.Fatal(err)
	}
	if len(s.gate.session) != 0 {
		t.Errorf("allowed once, kept %v", s.gate.session)
	}
	ended.Output = "fetch: lookup down.example: no such host"
	if got := held.Refused(ended); len(got) != 0 {
		t.Errorf("refused %v", got)
	}
	ended.Exit.Refused = []place.Refusal{network("down.example:443")}
	if note := held.Note(ended); !strings.Contains(note, "connect to down.example:443, on this machine or in a private network (approvals.hosts)") {
		t.Error(note)
	}
}

// The model and the process are told who has denied a host, and why; what else could be
// done is not said beside it.
func TestDeniedHostIsExplained(t *testing.T) {
	s := confining(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceDeny, Text: "use the vendored copy"}
	held, _, ended := s.heldRun(t, network("h.example:443"))
	if err := held.reach(t.Context(), "h.example", 443); err == nil || err.Error() != "the user did not allow it: use the vendored copy" {
		t.Errorf("the process reads %v", err)
	}
	next, note, err := held.Again(t.Context(), ended)
	want := "[This ran confined and was not let connect to h.example:443. The user was asked and did not allow you to connect to h.example:443. " +
		"Their reason: use the vendored copy. Do not try it again"
	if err != nil || next.Digest() != "" || !strings.HasPrefix(note, want) || strings.Contains(note, "let the user decide") {
		t.Errorf("%v: %s", err, note)
	}
}

// A question about a host needs no reading of a long command to its end.
func TestHostOfALongCommand(t *testing.T) {
	s := confining(t)
	s.person.answer = tools.Answer{Choice: tools.ChoiceOnce}
	p := s.confinedRun(t, "fetch "+strings.Repeat("ä", 1000))
	if err := p.Reach(t.Context(), s.person, "h.example", 443); err != nil {
		t.Fatal(err)
	}
	want := "h.example:443\nfor: fetch " + strings.Repeat("ä", maxBegin-len("fetch ")) + " … (606 characters more)"
	if got := s.person.asked[0].Text; got != want {
		t.Errorf("%q", got)
	}
}
