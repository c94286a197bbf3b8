package exec

import (
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// TestRefused checks that the sentence about a question names it and says how to
// have it answered.
func TestRefused(t *testing.T) {
	long := strings.Repeat("ä", maxLine+1)
	for name, c := range map[string]struct {
		r    event.Request
		says []string
	}{
		"approval": {event.Request{Approval: &event.Approval{Action: "run", Text: "rm -rf x", Reason: "deletes folders", Rule: "rm *"}},
			[]string{"run rm -rf x (it deletes folders)", `answer "always" there`, "--yolo"}},
		"approval without a rule": {event.Request{Approval: &event.Approval{Action: "write", Text: "/etc/x", Reason: "is outside"}},
			[]string{"write /etc/x (it is outside)", "answer the question there"}},
		"host": {event.Request{Approval: &event.Approval{Action: "connect to", Text: "h.example:443\nfor: curl h.example", Reason: "is not allowed yet", Rule: "connect to h.example"}},
			[]string{"connect to h.example:443 …", `answer "always" there, list the host under approvals.hosts`}},
		"approval of many lines": {event.Request{Approval: &event.Approval{Action: "run", Text: "\ncat <<E \nrm\nE\n", Reason: "is odd"}},
			[]string{"run cat <<E … (it is odd)"}},
		"approval of a long line": {event.Request{Approval: &event.Approval{Action: "run", Text: long, Reason: "is long"}},
			[]string{"run " + long[:2*maxLine] + "… (it"}},
		"clarify": {event.Request{Clarify: &event.Clarify{Question: "Which?\n", Choices: []string{"a", "b"}}},
			[]string{": Which? (a, b) ", "in the prompt"}},
		"free clarify": {event.Request{Clarify: &event.Clarify{Question: "Why?"}}, []string{": Why? Say it"}},
		"trust": {event.Request{Trust: &event.Trust{Root: "/w", Files: []string{"A.md", "B.md"}}},
			[]string{"/w has for agents (A.md, B.md)", "--trust", "left out", "in hermes-tui"}},
		"unknown": {event.Request{}, []string{"no one can be asked here"}},
	} {
		got := refused(c.r, "")
		for _, want := range c.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", name, got, want)
			}
		}
		if strings.Contains(got, "\n") || !strings.HasSuffix(got, ".") {
			t.Errorf("%s: no sentence: %q", name, got)
		}
	}
}

// TestDecided checks that a question of a subagent names it, and what decided.
func TestDecided(t *testing.T) {
	run := event.Request{Approval: &event.Approval{Action: "run", Text: "rm -rf x", Reason: "deletes folders"}}
	ask := event.Request{Clarify: &event.Clarify{Question: "Which?", Choices: []string{"a"}, More: []event.ClarifyMore{{Question: "Why?"}}}}
	for name, c := range map[string]struct {
		r    event.Request
		a    event.Answer
		who  string
		want string
	}{
		"no one":           {run, event.Answer{Choice: event.ChoiceDeny}, "", "Denied, because no one can be asked here: run rm -rf x (it deletes folders)."},
		"a subagent":       {run, event.Answer{Choice: event.ChoiceDeny}, "subagent 2.1", "Denied to subagent 2.1, because no one can be asked here: run rm"},
		"by a setting":     {run, event.Answer{Choice: event.ChoiceDeny, Text: "not here"}, "subagent 1", "Denied to subagent 1 by the setting delegation.approvals: run rm -rf x (it deletes folders)."},
		"allowed by it":    {run, event.Answer{Choice: event.ChoiceOnce}, "subagent 1", "Allowed to subagent 1 by the setting delegation.approvals: run rm -rf x"},
		"a question":       {ask, event.Answer{Choice: event.ChoiceNone}, "subagent 1", "Not answered to subagent 1, because no one can be asked here: Which? (a) [and 1 more] Say it"},
		"one of the root":  {ask, event.Answer{Choice: event.ChoiceNone}, "", "Not answered, because no one can be asked here: Which?"},
		"a root with text": {run, event.Answer{Choice: event.ChoiceDeny, Text: "x"}, "", "Denied, because no one can be asked here"},
	} {
		if got := decided(c.r, c.a, c.who); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestEnded has every end of a subagent in a sentence.
func TestEnded(t *testing.T) {
	from := time.Unix(1000, 0)
	a := &event.Agent{Goal: "look\nthere", Tools: 1, Started: from, Ended: from.Add(2345 * time.Millisecond)}
	for state, want := range map[event.AgentState]string{
		event.AgentCompleted: "has completed after 2.3s and 1 call.", event.AgentKilled: "was ended after", event.AgentTimeout: "ran out of time after",
		event.AgentInterrupted: "was interrupted after", event.AgentFailed: "has failed after",
	} {
		e := &event.AgentFinished{State: state}
		if got := ended(a, e); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", state, got)
		}
		e.Error = "No service.\nTry again."
		if got := ended(a, e); !strings.HasSuffix(got, "1 call: No service. …") {
			t.Errorf("%s: %q", state, got)
		}
	}
	if got := ended(a, &event.AgentFinished{State: event.AgentRefused, Error: "no place"}); got != "was refused: no place (look …)" {
		t.Errorf("%q", got)
	}
}

// TestRetrying says why a model call is made again, and when if that is not at once.
func TestRetrying(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	e := &event.RetryScheduled{Meta: event.Meta{At: at}, Attempt: 2, Max: 3, Reason: "no connection", Until: at}
	if got := retrying(e); got != "No connection; retrying (2 of 3)" {
		t.Errorf("got %q", got)
	}
	e.Until = at.Add(7100 * time.Millisecond)
	if got := retrying(e); got != "No connection; retrying in 7s (2 of 3)" {
		t.Errorf("got %q", got)
	}
}
