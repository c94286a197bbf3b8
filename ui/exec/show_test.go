package exec

import (
	"strings"
	"testing"

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
		"approval of many lines": {event.Request{Approval: &event.Approval{Action: "run", Text: "\ncat <<E \nrm\nE\n", Reason: "is odd"}},
			[]string{"run cat <<E … (it is odd)"}},
		"approval of a long line": {event.Request{Approval: &event.Approval{Action: "run", Text: long, Reason: "is long"}},
			[]string{"run " + long[:2*maxLine] + "… (it"}},
		"clarify": {event.Request{Clarify: &event.Clarify{Question: "Which?\n", Choices: []string{"a", "b"}}},
			[]string{": Which? (a, b) ", "in the prompt"}},
		"free clarify": {event.Request{Clarify: &event.Clarify{Question: "Why?"}}, []string{": Why? Say it"}},
		"trust": {event.Request{Trust: &event.Trust{Root: "/w", Files: []string{"A.md", "B.md"}}},
			[]string{"/w (A.md, B.md)", "left out", "in hermes-tui"}},
		"unknown": {event.Request{}, []string{"nobody is there to ask"}},
	} {
		got := refused(c.r)
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
