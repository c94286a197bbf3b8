package chat

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
)

func hex(n int) string { return strconv.FormatInt(int64(n), 16) }

func sorted(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	return lines
}

// decodeAll runs events through a decoder and ends the answer.
func decodeAll(t *testing.T, events ...string) []string {
	t.Helper()
	d := decoder{issuer: "acme", model: "m-1"}
	var deltas []providers.Delta
	var err error
	for _, e := range events {
		if deltas, err = d.Event("", []byte(e), deltas); err != nil {
			t.Fatal(err)
		}
	}
	if deltas, err = d.End(deltas); err != nil {
		t.Fatal(err)
	}
	return protocoltest.Lines(deltas)
}

// piecesOf makes an event of pieces of calls.
func piecesOf(pieces string) string { return delta(`"tool_calls":[` + pieces + `]`) }

func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		want   []string
	}{
		{"one", []string{
			piecesOf(`{"index":0,"id":"c1","type":"function","function":{"name":"read","arguments":""}}`),
			piecesOf(`{"index":0,"function":{"arguments":"{\"a\""}}`), piecesOf(`{"index":0,"function":{"arguments":":1}"}}`), finish("tool_calls"),
		}, []string{"call 0 c1 read", `arguments 0 {"a"`, "arguments 0 :1}", "finish tool_calls"}},
		{"parallel, interleaved", []string{
			piecesOf(`{"index":0,"id":"c1","function":{"name":"a","arguments":""}},{"index":1,"id":"c2","function":{"name":"b"}}`),
			piecesOf(`{"index":1,"function":{"arguments":"{"}}`), piecesOf(`{"index":0,"function":{"arguments":"[]"}}`), piecesOf(`{"index":1,"function":{"arguments":"}"}}`), finish("tool_calls"),
		}, []string{"call 0 c1 a", "call 1 c2 b", "arguments 1 {", "arguments 0 []", "arguments 1 }", "finish tool_calls"}},
		{"same index, new id", []string{
			piecesOf(`{"index":0,"id":"c1","function":{"name":"a","arguments":"{}"}}`), piecesOf(`{"index":0,"id":"c2","function":{"name":"a","arguments":"{"}}`), piecesOf(`{"index":0,"function":{"arguments":"}"}}`), finish("stop"),
		}, []string{"call 0 c1 a", "arguments 0 {}", "call 1 c2 a", "arguments 1 {", "arguments 1 }", "finish tool_calls"}},
		{"id repeated", []string{
			piecesOf(`{"index":0,"id":"c1","function":{"name":"a","arguments":"{"}}`), piecesOf(`{"index":0,"id":"c1","function":{"name":"a","arguments":"}"}}`),
		}, []string{"call 0 c1 a", "arguments 0 {", "arguments 0 }", "finish tool_calls"}},
		{"name assigned, not joined", []string{
			piecesOf(`{"index":0,"id":"c1","function":{"name":"terminal"}}`), piecesOf(`{"index":0,"function":{"name":"terminal","arguments":"{}"}}`),
		}, []string{"call 0 c1 terminal", "arguments 0 {}", "finish tool_calls"}},
		{"arguments before the name", []string{
			piecesOf(`{"index":0,"id":"c1","function":{"arguments":"{"}}`), piecesOf(`{"index":0,"function":{"arguments":"\"x\""}}`), piecesOf(`{"index":0,"function":{"name":"a","arguments":":1}"}}`),
		}, []string{"call 0 c1 a", `arguments 0 {"x"`, "arguments 0 :1}", "finish tool_calls"}},
		{"no index, ids", []string{
			piecesOf(`{"id":"c1","function":{"name":"a","arguments":"{}"}},{"id":"c2","function":{"name":"b","arguments":"{"}}`), piecesOf(`{"id":"c2","function":{"arguments":"}"}}`), piecesOf(`{"id":"c1","function":{"arguments":" "}}`),
		}, []string{"call 0 c1 a", "arguments 0 {}", "call 1 c2 b", "arguments 1 {", "arguments 1 }", "arguments 0  ", "finish tool_calls"}},
		{"no index, no id", []string{
			piecesOf(`{"function":{"name":"a","arguments":"{"}}`), piecesOf(`{"function":{"name":"a","arguments":"}"}}`), piecesOf(`{"function":{"name":"a","arguments":"{}"}}`), piecesOf(`{"function":{"name":"b"}}`),
		}, []string{"call 0  a", "arguments 0 {", "arguments 0 }", "call 1  a", "arguments 1 {}", "call 2  b", "finish tool_calls"}},
		{"arguments as an object", []string{piecesOf(`{"index":0,"id":"c1","function":{"name":"a","arguments":{"x": 1}}}`)},
			[]string{"call 0 c1 a", `arguments 0 {"x": 1}`, "finish tool_calls"}},
		{"extra", []string{piecesOf(`{"index":0,"id":"c1","function":{"name":"a","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}`)},
			[]string{`call 0 c1 a {"google":{"thought_signature":"s"}}`, "arguments 0 {}", "item acme m-1 0 extra_content true", "finish tool_calls"}},
		{"extra behind the arguments, without index", []string{
			piecesOf(`{"id":"c1","function":{"name":"a","arguments":"{}"}}`), piecesOf(`{"extra_content":{"vertex":{"thought_signature":"EjQK/+=="}}}`),
		}, []string{"call 0 c1 a", "arguments 0 {}", `extra 0 {"vertex":{"thought_signature":"EjQK/+=="}}`, "item acme m-1 0 extra_content true", "finish tool_calls"}},
		{"extra of the piece", []string{
			piecesOf(`{"index":0,"id":"c1","function":{"name":"a","arguments":"{}"}}`), `{"choices":[{"delta":{"extra_content":{"google":{"thought_signature":"s"}}}}]}`,
		}, []string{"call 0 c1 a", "arguments 0 {}", `extra 0 {"google":{"thought_signature":"s"}}`, "item acme m-1 0 extra_content true", "finish tool_calls"}},
		{"no name", []string{piecesOf(`{"index":0,"id":"c1","function":{"arguments":"{}"}}`), finish("tool_calls")},
			[]string{"call 0 c1 ", "arguments 0 {}", "finish tool_calls"}},
		{"wild indices", []string{piecesOf(`{"index":"7","id":"c1","function":{"name":"a"}},{"index":-3,"id":"c2","function":{"name":"b","arguments":null}}`)},
			[]string{"call 0 c1 a", "call 1 c2 b", "finish tool_calls"}},
	} {
		t.Run(c.name, func(t *testing.T) { same(t, decodeAll(t, c.events...), c.want...) })
	}
}

func TestReasoning(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		want   []string
	}{
		{"reasoning_content", []string{delta(`"reasoning_content":"let"`), delta(`"content":"","reasoning_content":" me"`), delta(`"content":"a","reasoning_content":null`)},
			[]string{"reasoning let", "reasoning  me", "text a", `item acme m-1 0 reasoning_content "let me"`, "finish stop"}},
		{"reasoning", []string{delta(`"reasoning":"let"`), delta(`"reasoning":" me","content":"a"`)},
			[]string{"reasoning let", "reasoning  me", "text a", `item acme m-1 0 reasoning "let me"`, "finish stop"}},
		{"both", []string{delta(`"reasoning":"x","reasoning_content":"x"`)}, []string{"reasoning x", `item acme m-1 0 reasoning_content "x"`, "finish stop"}},
		{"details", []string{
			delta(`"reasoning":"le","reasoning_details":[{"type":"reasoning.text","text":"le","index":0,"format":"f","signature":null}]`),
			delta(`"reasoning":"t","reasoning_details":[{"type":"reasoning.text","text":"t","index":0}]`),
			delta(`"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"sig"}]`),
			delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"x1","id":"e1","index":1},{"type":"reasoning.encrypted","data":"x2","id":"e2","index":1}]`),
		}, []string{"reasoning le", "reasoning t",
			`item acme m-1 0 reasoning_details [{"format":"f","index":0,"signature":"sig","text":"let","type":"reasoning.text"},{"data":"x1","id":"e1","index":1,"type":"reasoning.encrypted"},{"data":"x2","id":"e2","index":1,"type":"reasoning.encrypted"}]`,
			"finish stop"}},
		{"details alone", []string{delta(`"reasoning_details":[{"type":"reasoning.summary","summary":"su"},null,7,{}]`), delta(`"reasoning_details":[{"type":"reasoning.summary","summary":"m"}]`)},
			[]string{"reasoning su", "reasoning m", `item acme m-1 0 reasoning_details [{"summary":"sum","type":"reasoning.summary"}]`, "finish stop"}},
	} {
		t.Run(c.name, func(t *testing.T) { same(t, decodeAll(t, c.events...), c.want...) })
	}
}

func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		delta(`"content":"a"`), finish("stop"), usage, `{"error":{"message":"m"}}`, `null`, `{"choices":[null]}`,
		piecesOf(`{"index":0,"id":"c1","function":{"name":"a","arguments":{"x":1}},"extra_content":{}}`),
		delta(`"content":[{"text":"a","thinking":[{"text":"b"}]}],"reasoning_details":[{"type":"reasoning.text","text":"t"}]`),
	} {
		f.Add([]byte(seed), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d := decoder{issuer: "i", model: "m"}
		var deltas []providers.Delta
		for _, raw := range [][]byte{a, b} {
			var err error
			if deltas, err = d.Event("", raw, deltas); err != nil {
				return
			}
		}
		deltas, err := d.End(deltas)
		if err != nil {
			t.Fatal(err)
		}
		checkOrder(t, deltas)
	})
}

// checkOrder holds a sequence of deltas against what a reader may rely on.
func checkOrder(t *testing.T, deltas []providers.Delta) {
	t.Helper()
	opened := 0
	for i, d := range deltas {
		switch d.Kind {
		case providers.DeltaCall:
			if d.Index != opened {
				t.Fatalf("call %d is the %d. to open", d.Index, opened)
			}
			opened++
		case providers.DeltaArguments:
			if d.Index >= opened {
				t.Fatalf("arguments of call %d, which is not open", d.Index)
			}
		case providers.DeltaItem:
			if !json.Valid(d.Item.Raw) {
				t.Fatalf("item %q is no JSON", d.Item.Raw)
			}
		case providers.DeltaFinish:
			if i != len(deltas)-1 {
				t.Fatal("the finish is not the last delta")
			}
		}
	}
}
