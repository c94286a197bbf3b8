package chat

import (
	"reflect"
	"strconv"
	"testing"

	"hermes-tui/providers"
)

func TestShape(t *testing.T) {
	event := func(text string) []byte { return []byte(delta(`"content":"` + text + `"`)) }
	var d decoder
	if _, err := d.Event("", event("a"), nil); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"b": "b", "": "", "ä😀": "ä😀", `x\n\"y\"\u00e9`: "x\n\"y\"é"} {
		if got, ok := d.shape.match(event(text)); !ok || got != want {
			t.Errorf("%s: got %q, %v", text, got, ok)
		}
	}
	for _, other := range []string{"", `"`, string(event(`a","tool_calls":[{"id":"x"}],"x":"`)), string(event("\n")), string(event(`\`)), delta(`"content":null`), finish("stop")} {
		if got, ok := d.shape.match([]byte(other)); ok {
			t.Errorf("%s matches as %q", other, got)
		}
	}
}

func TestEventsThatTeachNoShape(t *testing.T) {
	for _, event := range []string{
		finish("stop"), usage, piecesOf(`{"index":0,"id":"a"}`),
		delta(`"content":"a","reasoning":"b"`), delta(`"content":"a","refusal":"b"`),
		`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`,
		`{"choices":[{"message":{"content":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}`,
		`{"x":{"content":"a"},"choices":[{"delta":{"content":"a"}}]}`, // the first place is not the right one
		`{"choices":[{"delta":{"content":"\u0061"}}]}`,
	} {
		var d decoder
		if _, err := d.Event("", []byte(event), nil); err != nil {
			t.Fatal(err)
		}
		if d.shape.before != nil {
			t.Errorf("%s taught %s…%s", event, d.shape.before, d.shape.after)
		}
	}
}

// Where no event is like the one before, learning is given up little by little.
func TestLearningInVain(t *testing.T) {
	var d decoder
	learnt, last := 0, ""
	for i := range 2000 {
		if _, err := d.Event("", []byte(`{"created":`+strconv.Itoa(i)+`,"choices":[{"delta":{"content":"a"}}]}`), nil); err != nil {
			t.Fatal(err)
		}
		if s := string(d.shape.before); s != last {
			learnt, last = learnt+1, s
		}
	}
	if learnt < 2 || learnt > 30 {
		t.Errorf("learnt %d times", learnt)
	}
}

// Whatever the first event teaches, the second is read as if it were new.
func FuzzShape(f *testing.F) {
	for _, field := range []string{"content", "reasoning", "reasoning_content"} {
		f.Add([]byte(delta(`"`+field+`":"a"`)), []byte(delta(`"`+field+`": "b\n"`)))
	}
	f.Add([]byte(`{"choices":[{"delta":{"content": "a","content":"a"}}]}`), []byte(`{"choices":[{"delta":{"content": "b","content":"a"}}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"content":"a","x":"y"}}]}`), []byte(`{"choices":[{"delta":{"content":"b"},"finish_reason":"z","x":"y"}}]}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var taught, fresh decoder
		if _, err := taught.Event("", first, nil); err != nil {
			return
		}
		if _, err := fresh.Event("", first, nil); err != nil {
			t.Fatal(err)
		}
		fresh.shape = shape{}
		got, errGot := taught.Event("", second, []providers.Delta{})
		want, errWant := fresh.Event("", second, []providers.Delta{})
		if (errGot == nil) != (errWant == nil) || errGot == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("taught: %+v, %v; fresh: %+v, %v", got, errGot, want, errWant)
		}
	})
}
