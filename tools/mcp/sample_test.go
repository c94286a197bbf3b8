//go:build unix

package mcp_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// TestSampling has a model answer a server when the user allows it, which the question says
// all about; and no more often than is set.
func TestSampling(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := entry("good")
	e.SamplesPerMinute = 6
	off := entry("good")
	off.Name = "off"
	b.begin(e)
	ask := func(text string, times int, a tools.Answer) (string, *answers) {
		t.Helper()
		h := &answers{list: []tools.Answer{a}}
		r, err := b.call(t.Context(), "sample", fmt.Sprintf(`{"text":%q,"times":%d}`, text, times), h, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return r.Content, h
	}
	said, h := ask("What is 6×7?", 1, tools.Answer{Text: "Allow once"})
	if said != "house:m: Be brief.|What is 6×7?|50\n" && strings.TrimSpace(said) != "house:m: Be brief.|What is 6×7?|50" {
		t.Errorf("%q", said)
	}
	q := h.asked[0]
	if !strings.HasPrefix(q.Question, "The MCP server good wants the model to answer this, at your expense.") || !strings.HasSuffix(q.Question, "System: Be brief.\n\nWhat is 6×7?") || len(q.Choices) != 3 {
		t.Errorf("%+v", q)
	}
	for _, a := range []tools.Answer{{Text: "No"}, {Choice: tools.ChoiceNone}, {Choice: tools.ChoiceDeny}, {Text: "something else"}} {
		if said, _ := ask("x", 1, a); !strings.Contains(said, "the user does not want") {
			t.Errorf("%+v: %q", a, said)
		}
	}
	if said, h := ask("picture", 1, tools.Answer{Text: "Allow once"}); !strings.Contains(said, "texts only") || h.asked != nil {
		t.Errorf("%q, %+v", said, h.asked)
	}
	if said, h := ask("again", 2, tools.Answer{Text: "Allow for this call"}); !strings.Contains(said, "at most 6 times a minute") || h.asked == nil {
		t.Errorf("%q", said)
	}

	b.begin(off)
	if said, _ := ask("x", 1, tools.Answer{Text: "Allow once"}); !strings.Contains(said, "does not support") {
		t.Errorf("%q", said)
	}
	e.SamplesPerMinute = 100
	b.begin(e)
	if said, _ := ask("fail", 1, tools.Answer{Text: "Allow once"}); !strings.Contains(said, "the model did not answer: no model is there.") {
		t.Errorf("%q", said)
	}
	if said, _ := ask("  ", 1, tools.Answer{Text: "Allow once"}); !strings.Contains(said, "nothing to answer") {
		t.Errorf("%q", said)
	}
	if said, h := ask(strings.Repeat("long ", 2000), 1, tools.Answer{Text: "Allow once"}); !strings.Contains(said, "house:m") || !strings.HasSuffix(h.asked[0].Question, " more characters]") {
		t.Errorf("%.200q, %q", said, h.asked[0].Question)
	}
	if said, _ := ask("three", 3, tools.Answer{Text: "Allow for this call"}); strings.Count(said, "house:m") != 3 {
		t.Errorf("%q", said)
	}
	if said, _ := ask(strings.Repeat("x", 300_000), 1, tools.Answer{Text: "Allow once"}); !strings.Contains(said, "more than 200000 characters") {
		t.Errorf("%.200q", said)
	}
}
