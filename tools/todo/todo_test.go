package todo

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"hermes-tui/internal/corpustest"
	"hermes-tui/tools"
)

// run calls the tool.
func run(t *testing.T, l *List, args string) tools.Result {
	t.Helper()
	r, err := l.tool().Run(t.Context(), tools.Call{Name: "todo", Args: json.RawMessage(args)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tasks are those that a result hands over.
func tasks(t *testing.T, r tools.Result) []Task {
	t.Helper()
	var list []Task
	if r.State == nil || r.State.Name != "todo" || json.Unmarshal(r.State.Data, &list) != nil {
		t.Fatalf("the result hands over %+v", r.State)
	}
	return list
}

// TestState takes a list to another one, and says what is open.
func TestState(t *testing.T) {
	l, other := New(), New()
	f := other.Family()
	r := run(t, l, `{"todos":[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b\nc","status":"in_progress"},{"id":"3","content":"d"}]}`)
	f.State.Restore(r.State.Data)
	if !slices.Equal(other.now(), l.now()) {
		t.Errorf("restored %v", other.now())
	}
	if got := strings.Join(f.State.Open(), "|"); got != "[in_progress] b c|[pending] d" {
		t.Errorf("open are %s", got)
	}
	for _, raw := range []string{"", "null", "{", `{"a":1}`} {
		f.State.Restore(json.RawMessage(raw))
		if n := len(other.now()); n != 0 || f.State.Open() != nil {
			t.Errorf("restored from %q: %d tasks", raw, n)
		}
		f.State.Restore(r.State.Data)
	}
	if f.State.Restore(nil); len(other.now()) != 0 {
		t.Errorf("restored from nothing: %v", other.now())
	}
}

func TestConformance(t *testing.T) {
	type input struct{ Calls []json.RawMessage }
	corpustest.Run(t, "todo", func(t *testing.T, in input, want json.RawMessage) {
		l := New()
		var got tools.Result
		for _, call := range in.Calls {
			args, err := tools.Coerce(l.tool().Parameters, call)
			if err != nil {
				t.Fatal(err)
			}
			got = run(t, l, string(args))
		}
		if a, b := decode(t, []byte(got.Content)), decode(t, want); !reflect.DeepEqual(a, b) {
			t.Errorf("got %s, want %s", got.Content, want)
		}
	})
}

func decode(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("decode %s: %v", raw, err)
	}
	return v
}

func TestResultCarriesTheList(t *testing.T) {
	l := New()
	r := run(t, l, `{}`)
	if r.State != nil || r.View.Kind != tools.KindTodo || r.View.Subject != "read tasks" || r.View.Summary != "0 of 0 done" {
		t.Errorf("reading: %+v", r)
	}
	r = run(t, l, `{"todos":[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b","status":"cancelled"},
		{"id":"3","content":"c","status":"in_progress"},{"id":"4","content":"d"}]}`)
	if !slices.Equal(tasks(t, r), l.now()) || len(tasks(t, r)) != 4 {
		t.Errorf("the result has %v, the list %v", tasks(t, r), l.now())
	}
	if r.View.Subject != "plan 4 tasks" || r.View.Summary != "1 of 3 done" || r.View.Body != "✓ a\n× b\n▸ c\n○ d\n" {
		t.Errorf("view %+v", r.View)
	}
	before := l.now()
	r = run(t, l, `{"todos":[{"id":"4","status":"completed"}],"merge":true}`)
	if r.View.Subject != "2 of 3 done" || r.View.Summary != "✓ d" || before[3].Status != pending {
		t.Errorf("view %+v, earlier snapshot %v", r.View, before)
	}
	r = run(t, l, `{"todos":[]}`)
	if r.State == nil || len(tasks(t, r)) != 0 {
		t.Errorf("a cleared list is %v", tasks(t, r))
	}
}

// TestRowSaysWhatChanged looks at the row of a call, before and after it runs.
func TestRowSaysWhatChanged(t *testing.T) {
	l := New()
	for _, step := range []struct{ args, subject, summary string }{
		{`{"todos":[{"id":"1","content":"read\nthe code","status":"in_progress"},{"id":"2","content":"fix it"}]}`, "plan 2 tasks", "0 of 2 done"},
		{`{"todos":[{"id":"1","content":"read\nthe code","status":"completed"},{"id":"2","content":"fix it","status":"in_progress"}]}`, "1 of 2 done", "✓ read · ▸ fix it"},
		{`{"merge":true,"todos":[{"id":"2","content":"mend it"},{"id":"3","content":"test it"}]}`, "1 of 3 done", "now: mend it · 1 added"},
		{`{"merge":true,"todos":[{"id":"3","status":"cancelled"}]}`, "1 of 2 done", "× test it"},
		{`{"merge":true,"todos":[{"id":"3","status":"cancelled"}]}`, "1 of 2 done", "nothing changed"},
		{`{"todos":[{"id":"2","content":"mend it","status":"in_progress"}]}`, "0 of 1 done", "2 removed"},
		{`{}`, "read tasks", "0 of 1 done"},
		{`{"todos":[]}`, "clear tasks", ""},
		{`{"merge":true,"todos":[{"id":"9","content":"x"}]}`, "plan 1 task", "0 of 1 done"},
	} {
		before := l.tool().Preview(json.RawMessage(step.args))
		after := run(t, l, step.args).View
		if before.Subject != step.subject || after.Subject != step.subject || after.Summary != step.summary {
			t.Errorf("%s: announced %q, then %q with %q", step.args, before.Subject, after.Subject, after.Summary)
		}
	}
}

func TestLimits(t *testing.T) {
	l := New()
	long := strings.Repeat("ä", maxContent+1)
	var given []string
	for i := range maxItems + 3 {
		given = append(given, fmt.Sprintf(`{"id":"%d","content":%q}`, i, long))
	}
	r := run(t, l, `{"todos":[`+strings.Join(given, ",")+`]}`)
	if len(tasks(t, r)) != maxItems || !strings.Contains(r.Content, "3 items over 256") {
		t.Errorf("%d items", len(tasks(t, r)))
	}
	if c := tasks(t, r)[0].Content; utf8.RuneCountInString(c) != maxContent || !strings.HasSuffix(c, "ä… [truncated]") {
		t.Errorf("content has %d characters and ends %q", utf8.RuneCountInString(c), c[len(c)-20:])
	}
	r = run(t, l, `{"merge":true,"todos":[{"id":"0","content":"known"},{"id":"new","content":"no room"}]}`)
	if len(tasks(t, r)) != maxItems || tasks(t, r)[0].Content != "known" || !strings.Contains(r.Content, "1 items over 256") {
		t.Errorf("%d items, first %.20q", len(tasks(t, r)), tasks(t, r)[0].Content)
	}
	exact := strings.Repeat("ä", maxContent)
	r = run(t, l, fmt.Sprintf(`{"todos":[{"id":"1","content":%q}]}`, exact))
	if tasks(t, r)[0].Content != exact {
		t.Error("content at the limit was cut")
	}
}

func TestOddArguments(t *testing.T) {
	l := New()
	l.restore(json.RawMessage(`[{"id":" 1 ","content":"a","status":"Completed"},{"id":"","content":"","status":"odd"}]`))
	want := []Task{{ID: "1", Content: "a", Status: completed}, {ID: "?", Content: "(no description)", Status: pending}}
	if got := l.now(); !slices.Equal(got, want) {
		t.Fatalf("loaded %v", got)
	}
	for _, args := range []string{`[]`, `{"todos":5}`, `{"todos":["do it"]}`, `{"todos":[null]}`, `{"todos":[[]]}`, `{"merge":"yes"}`} {
		r := run(t, l, args)
		if r.Status != tools.StatusFailed || r.State != nil {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if got := l.now(); !slices.Equal(got, want) {
		t.Errorf("a failed call changed the list to %v", got)
	}
	r := run(t, l, `{"todos":null}`)
	if r.Status != tools.StatusOK || r.State != nil {
		t.Errorf("null is not read: %+v", r)
	}
	r = run(t, l, `{"merge":true,"todos":[{"id":"n","content":"first"},{"id":"n","status":"completed"},{"id":true},{"id":{}}]}`)
	if got := tasks(t, r)[len(tasks(t, r))-1]; len(tasks(t, r)) != 3 || got != (Task{ID: "n", Content: "first", Status: completed}) {
		t.Errorf("a new id given twice: %v", tasks(t, r))
	}
	for _, args := range []string{``, `null`, `{"todos":[5]}`} {
		if v := l.tool().Preview(json.RawMessage(args)); v.Kind != tools.KindTodo {
			t.Errorf("no kind for %s", args)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	l := New()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			run(t, l, fmt.Sprintf(`{"merge":true,"todos":[{"id":"%d","content":"x"}]}`, i))
			l.now()
		})
	}
	wg.Wait()
	if n := len(l.now()); n != 8 {
		t.Errorf("%d items", n)
	}
}

// now copies the list.
func (l *List) now() []Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.items)
}
