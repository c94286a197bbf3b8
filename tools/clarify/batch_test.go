package clarify

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hermes-tui/tools"
)

// called takes a call the way that every call takes: coerced, checked, run.
func called(t *testing.T, h tools.Host, args string) tools.Result {
	t.Helper()
	tool := New(Options{Timeout: 90 * time.Second})
	raw, err := tools.Coerce(tool.Parameters, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	if problems := tools.Check(tool.Parameters, raw); len(problems) > 0 {
		return tools.Failure(tool.Preview(raw), tools.Explain(tool.Name, problems))
	}
	r, err := tool.Run(t.Context(), tools.Call{Name: tool.Name, Args: raw}, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recorder keeps the question and answers it.
type recorder struct {
	tools.Host
	answer tools.Answer
	asked  tools.Question
	times  int
}

func (r *recorder) Ask(_ context.Context, q tools.Question) (tools.Answer, error) {
	r.asked = q
	r.times++
	return r.answer, nil
}

func TestRegistryTakesIt(t *testing.T) {
	r := tools.NewRegistry(time.Now)
	if err := r.Add(New(Options{})); err != nil {
		t.Fatal(err)
	}
}

func TestSeveralChoices(t *testing.T) {
	p := &recorder{answer: tools.Answer{Choice: tools.ChoiceText, Parts: [][]string{{" a ", "", "own words"}}}}
	r := called(t, p, `{"question":"Which?","choices":"[\"a\",\"b\"]","multi":"true"}`)
	want := tools.Question{Within: 90 * time.Second, Clarify: &tools.Clarify{Question: "Which?", Choices: []string{"a", "b"}, Multi: true}}
	if !reflect.DeepEqual(p.asked, want) {
		t.Errorf("asked %+v", p.asked.Clarify)
	}
	if want := `{"question":"Which?","choices_offered":["a","b"],"user_response":["a","own words"]}`; r.Content != want {
		t.Errorf("got %s", r.Content)
	}
	if r.View.Summary != "a, own words" {
		t.Errorf("summary %q", r.View.Summary)
	}
	p.answer = tools.Answer{Choice: tools.ChoiceNone}
	r = called(t, p, `{"question":"Which?","choices":["a"],"multi":true}`)
	if !strings.Contains(r.Content, `"user_response":null,"note":"The user gave no answer.`) {
		t.Errorf("got %s", r.Content)
	}
	p.answer = tools.Answer{Choice: tools.ChoiceText, Text: "free"}
	r = called(t, p, `{"question":"Which?","multi":true}`)
	if p.asked.Clarify.Multi || !strings.Contains(r.Content, `"user_response":["free"]`) {
		t.Errorf("several of nothing: asked %+v, got %s", p.asked.Clarify, r.Content)
	}
}

func TestBatch(t *testing.T) {
	p := &recorder{answer: tools.Answer{Choice: tools.ChoiceText, Parts: [][]string{{"x"}, {}, {"a", "b"}}}}
	r := called(t, p, `{"questions":[{"question":"One?"},{"question":" Two\nlines? ","choices":["c"," ",3]},{"question":"Three?","choices":["a","b"],"multi":true}]}`)
	if r.Status != tools.StatusFailed || p.times != 0 { // 3 is no string
		t.Errorf("got %s", r.Content)
	}
	r = called(t, p, `{"questions":[{"question":"One?"},{"question":" Two\nlines? ","choices":["c"," "]},{"question":"Three?","choices":["a","b"],"multi":true}]}`)
	want := &tools.Clarify{Question: "One?", More: []tools.ClarifyMore{
		{Question: "Two\nlines?", Choices: []string{"c"}}, {Question: "Three?", Choices: []string{"a", "b"}, Multi: true},
	}}
	if !reflect.DeepEqual(p.asked.Clarify, want) {
		t.Errorf("asked %+v", p.asked.Clarify)
	}
	if want := `{"answers":[{"question":"One?","choices_offered":null,"user_response":"x"},` +
		`{"question":"Two\nlines?","choices_offered":["c"],"user_response":null,"note":"` + leftOpen + `"},` +
		`{"question":"Three?","choices_offered":["a","b"],"user_response":["a","b"]}]}`; r.Content != want {
		t.Errorf("got %s", r.Content)
	}
	v := r.View
	if v.Subject != "3 questions: One? | Two lines? | Three?" || v.Summary != "2 of 3 answered: x · a, b" ||
		v.Body != "One?\n  x\n\nTwo\nlines?\n  (left open)\n\nThree?\n  a\n  b\n" {
		t.Errorf("view %+v", v)
	}
}

func TestBatchAnswers(t *testing.T) {
	two := `{"question":"One?","questions":"[{\"question\":\"Two?\"}]"}`
	for _, c := range []struct {
		name, args string
		answer     tools.Answer
		want       string
	}{
		{"a question beside a batch is its first", two, tools.Answer{Choice: tools.ChoiceText, Parts: [][]string{{"1"}, {"2"}}},
			`{"answers":[{"question":"One?","choices_offered":null,"user_response":"1"},{"question":"Two?","choices_offered":null,"user_response":"2"}]}`},
		{"unless it repeats it", `{"question":"One?","questions":[{"question":"One?","choices":["a"]}]}`, tools.Answer{Choice: tools.ChoiceText, Text: "a"},
			`{"answers":[{"question":"One?","choices_offered":["a"],"user_response":"a"}]}`},
		{"nobody answers", two, tools.Answer{Choice: tools.ChoiceNone},
			`{"answers":[{"question":"One?","choices_offered":null,"user_response":null},{"question":"Two?","choices_offered":null,"user_response":null}],"note":"` + noAnswer + `"}`},
		{"too few parts", two, tools.Answer{Choice: tools.ChoiceText, Parts: [][]string{{"1", "one"}}},
			`{"answers":[{"question":"One?","choices_offered":null,"user_response":"1, one"},{"question":"Two?","choices_offered":null,"user_response":null,"note":"` + leftOpen + `"}]}`},
		{"too many parts", `{"questions":[{"question":"One?"}]}`, tools.Answer{Choice: tools.ChoiceText, Parts: [][]string{{"1"}, {"2"}}},
			`{"answers":[{"question":"One?","choices_offered":null,"user_response":"1"}]}`},
		{"parts of a refusal do not count", two, tools.Answer{Choice: tools.ChoiceNone, Parts: [][]string{{"1"}, {"2"}}},
			`{"answers":[{"question":"One?","choices_offered":null,"user_response":null},{"question":"Two?","choices_offered":null,"user_response":null}],"note":"` + noAnswer + `"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := called(t, &recorder{answer: c.answer}, c.args); r.Content != c.want {
				t.Errorf("got %s", r.Content)
			}
		})
	}
}

func TestBatchFailures(t *testing.T) {
	six := `{"questions":[` + strings.TrimSuffix(strings.Repeat(`{"question":"x"},`, 6), ",") + `]}`
	for args, word := range map[string]string{
		six: "6 questions are too many at once, 5 are possible", `{"questions":[{"question":"a"},{"question":" "}]}`: "question 2 of the batch is empty",
		`{"questions":[]}`: "question is required", `{"questions":[{"choices":["a"]}]}`: "questions[0].question is required", `{"questions":[5]}`: "must be an object",
	} {
		p := &recorder{}
		if r := called(t, p, args); r.Status != tools.StatusFailed || !strings.Contains(r.Content, word) || p.times > 0 {
			t.Errorf("%s: %s", args, r.Content)
		}
	}
}

// FuzzArguments holds that any arguments are asked in a form that the user's side
// can show, or refused.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"question":"x","choices":["a",1,null],"multi":true}`, `{"questions":[{"question":"a"},{"question":"b","choices":[]}]}`, `null`, `{"questions":[null]}`, `{"question":5}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p := &recorder{answer: tools.Answer{Choice: tools.ChoiceText, Text: "t", Parts: [][]string{{"a"}, nil, {"b", "c"}}}}
		r, err := New(Options{}).Run(t.Context(), tools.Call{Name: "clarify", Args: raw}, p, nil)
		if err != nil || !utf8.ValidString(r.Content) || !json.Valid([]byte(r.Content)) {
			t.Fatalf("%v, %q", err, r.Content)
		}
		if p.times == 0 {
			if r.Status != tools.StatusFailed {
				t.Errorf("nothing was asked and nothing said: %s", r.Content)
			}
			return
		}
		q := p.asked.Clarify
		if q.Question == "" || len(q.Choices) > maxChoices || q.Multi && len(q.Choices) == 0 || len(q.More) >= maxQuestions {
			t.Errorf("asked %+v", q)
		}
		for _, m := range q.More {
			if m.Question == "" || len(m.Choices) > maxChoices || m.Multi && len(m.Choices) == 0 {
				t.Errorf("asked %+v", m)
			}
		}
	})
}
