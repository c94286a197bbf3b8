package clarify

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// person answers questions.
type person struct {
	tools.Host
	answer tools.Answer
	err    error
	asked  *tools.Clarify
}

func (p *person) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	p.asked = q.Clarify
	if ctx.Err() != nil {
		return tools.Answer{}, context.Cause(ctx)
	}
	return p.answer, p.err
}

func ask(t *testing.T, ctx context.Context, p *person, args string) tools.Result {
	t.Helper()
	r, err := New(Options{}).Run(ctx, tools.Call{Name: "clarify", Args: json.RawMessage(args)}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAsk(t *testing.T) {
	p := &person{answer: tools.Answer{Choice: tools.ChoiceText, Text: " the second one\n"}}
	r := ask(t, t.Context(), p, `{"question":"  Which <one>? ","choices":[" a ","","b",3,null,{},"c","d","e"]}`)
	if p.asked.Question != "Which <one>?" || !slices.Equal(p.asked.Choices, []string{"a", "b", "3", "c"}) {
		t.Errorf("asked %+v", p.asked)
	}
	if want := `{"question":"Which <one>?","choices_offered":["a","b","3","c"],"user_response":"the second one"}`; r.Content != want {
		t.Errorf("got %s", r.Content)
	}
	v := r.View
	if r.Status != tools.StatusOK || v.Kind != tools.KindClarify || v.Subject != "Which <one>?" || v.Summary != "the second one" {
		t.Errorf("status %q, view %+v", r.Status, v)
	}
	ask(t, t.Context(), p, `{"question":"Why?","choices":["  "]}`)
	if p.asked.Choices != nil {
		t.Errorf("a question without choices offers %q", p.asked.Choices)
	}
}

func TestNoAnswer(t *testing.T) {
	for _, a := range []tools.Answer{{Choice: tools.ChoiceNone}, {Choice: tools.ChoiceText, Text: " "}, {Choice: tools.ChoiceDeny, Text: "no"}} {
		r := ask(t, t.Context(), &person{answer: a}, `{"question":"Why?"}`)
		if !strings.Contains(r.Content, `"choices_offered":null,"user_response":null,"note":"The user gave no answer.`) {
			t.Errorf("%+v: %s", a, r.Content)
		}
		if r.Status != tools.StatusOK || r.View.Summary != "no answer" {
			t.Errorf("%+v: %+v", a, r)
		}
	}
}

func TestFailures(t *testing.T) {
	p := &person{err: errors.New("the screen is gone")}
	for args, word := range map[string]string{
		`{"question":" "}`: "required", `{}`: "required", `{"question":5}`: "argument question", `{"question":"x","choices":"a"}`: "argument choices",
		`{"question":"x"}`: "the screen is gone",
	} {
		r := ask(t, t.Context(), p, args)
		if r.Status != tools.StatusFailed || !strings.Contains(r.Content, word) {
			t.Errorf("%s: %s", args, r.Content)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted by the user"))
	r := ask(t, ctx, p, `{"question":"x"}`)
	if r.Status != tools.StatusCancelled || !strings.Contains(r.Content, "interrupted by the user") {
		t.Errorf("got %+v", r)
	}
	for _, args := range []string{``, `null`, `{"question":[]}`} {
		if v := preview(json.RawMessage(args)); v.Kind != tools.KindClarify {
			t.Errorf("no kind for %s", args)
		}
	}
}
