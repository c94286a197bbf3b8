package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestOutputOfAnOlderCall reads back what the transcript holds an excerpt of, also
// after a resume.
func TestOutputOfAnOlderCall(t *testing.T) {
	t.Parallel()
	var rules [][]script.Step
	var list []script.Step
	for n := range event.WholeBodies + 5 {
		list = append(list, call("terminal", map[string]any{"command": fmt.Sprintf("echo call %d; seq 800", n)}))
	}
	rules = append(rules, list, steps(script.Text{Text: "done"}))
	r := newRig(t, rounds(rules...), withMode(event.ModeOff))
	r.submit("go")
	r.idle(1)
	check := func(when string) {
		t.Helper()
		var first *event.Block
		for _, b := range r.state.Root().Blocks {
			if b.Call != nil {
				first = b
				break
			}
		}
		if v := first.Call.View; len(v.Body) > event.ExcerptLimit || v.Cut == 0 {
			t.Errorf("%s the oldest call holds %d bytes, %d cut", when, len(v.Body), v.Cut)
		}
		if whole, ok := r.conv.Output(first.Call.ID); !ok || !strings.HasPrefix(whole, "call 0\n1\n2\n") || !strings.HasSuffix(strings.TrimSpace(whole), "\n800") {
			t.Errorf("%s the output is %d bytes, %v", when, len(whole), ok)
		}
	}
	check("live")
	past := r.revive()
	if got, want := transcript(past.State), r.dump(); got != want {
		t.Errorf("the journal folds to\n%s\nwant\n%s", got, want)
	}
	r.start(past)
	check("resumed")
	if _, ok := r.conv.Output("call_none"); ok {
		t.Error("a call that is not there has output")
	}
}
