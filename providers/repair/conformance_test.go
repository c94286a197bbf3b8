package repair

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"testing"

	"hermes-tui/internal/corpustest"
)

func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(into)
}

// value decodes JSON for comparison: numbers compare by their exact value.
func value(t *testing.T, s string) any {
	t.Helper()
	var v any
	if err := decode([]byte(s), &v); err != nil {
		t.Fatalf("%q is not JSON: %v", s, err)
	}
	return exact(v)
}

func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return r.RatString()
		}
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	}
	return v
}

func TestArgumentsConformance(t *testing.T) {
	type testCase struct {
		ID    string
		Input struct{ Raw string }
		Want  struct {
			JSON                string
			Truncated, Rejected bool
		}
	}
	for _, c := range corpustest.Cases[testCase](t, "tool_args_repair") {
		t.Run(c.ID, func(t *testing.T) {
			got, verdict := Arguments(c.Input.Raw)
			if !reflect.DeepEqual(value(t, got), value(t, c.Want.JSON)) {
				t.Errorf("got %s, want %s", got, c.Want.JSON)
			}
			if (verdict == CutOff) != c.Want.Truncated || (verdict == Rejected) != c.Want.Rejected {
				t.Errorf("got %v, want truncated %v, rejected %v", verdict, c.Want.Truncated, c.Want.Rejected)
			}
		})
	}
}

func TestNameConformance(t *testing.T) {
	type testCase struct {
		ID    string
		Input struct {
			Name  string
			Valid []string
		}
		Want struct{ Name *string }
	}
	for _, c := range corpustest.Cases[testCase](t, "tool_name_repair") {
		t.Run(c.ID, func(t *testing.T) {
			got, ok := Name(c.Input.Name, c.Input.Valid)
			switch {
			case ok != (c.Want.Name != nil):
				t.Errorf("got %q, %v", got, ok)
			case ok && got != *c.Want.Name:
				t.Errorf("got %q, want %q", got, *c.Want.Name)
			}
		})
	}
}

func TestSequenceConformance(t *testing.T) {
	type testCase struct {
		ID    string
		Input struct{ Messages []map[string]any }
		Want  struct {
			Messages []map[string]any
			Repairs  int
		}
	}
	for _, c := range corpustest.Cases[testCase](t, "message_sequence_repair") {
		t.Run(c.ID, func(t *testing.T) {
			got, repairs := Sequence(c.Input.Messages, wireTurn, wireText)
			if repairs != c.Want.Repairs {
				t.Errorf("%d repairs, want %d", repairs, c.Want.Repairs)
			}
			if !(len(got) == 0 && len(c.Want.Messages) == 0) && !reflect.DeepEqual(got, c.Want.Messages) {
				t.Errorf("got  %v\nwant %v", got, c.Want.Messages)
			}
		})
	}
}

// wireTurn views a message in the shape of the chat protocol.
func wireTurn(m map[string]any) Turn {
	switch m["role"] {
	case "user":
		text, plain := m["content"].(string)
		return Turn{Kind: Says, Text: text, Plain: plain}
	case "assistant":
		t := Turn{Kind: Asks}
		calls, _ := m["tool_calls"].([]any)
		for _, c := range calls {
			if c, ok := c.(map[string]any); ok {
				id, _ := c["id"].(string)
				t.Calls = append(t.Calls, id)
			}
		}
		return t
	case "tool":
		id, _ := m["tool_call_id"].(string)
		return Turn{Kind: Answers, CallID: id}
	}
	return Turn{}
}

func wireText(m map[string]any, text string) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	out["content"] = text
	return out
}
