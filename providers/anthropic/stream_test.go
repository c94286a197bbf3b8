package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// sse makes the body of a stream.
func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		var named struct{ Type string }
		_ = json.Unmarshal([]byte(e), &named) // some are meant to be no JSON
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", named.Type, e)
	}
	return b.String()
}

func begin(i int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func grow(i int, delta string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, delta)
}

func end(i int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i) }

func reason(s string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + s + `"},"usage":{"output_tokens":9}}`
}

const over = `{"type":"message_stop"}`

// say is a whole block of text.
func say(i int, s string) []string {
	return []string{begin(i, `{"type":"text","text":""}`), grow(i, `{"type":"text_delta","text":`+quote(s)+`}`), end(i)}
}

func TestAnswers(t *testing.T) {
	const hi = `{"type":"text_delta","text":"hi"}`
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"usage in pieces", sse(`{"type":"message_start","message":{"usage":{"input_tokens":40,"cache_read_input_tokens":60,"cache_creation_input_tokens":7,"output_tokens":1,"cache_creation":{"ephemeral_1h_input_tokens":7}}}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20,"input_tokens":0,"cache_read_input_tokens":null,"output_tokens_details":{"thinking_tokens":5}}}`, over),
			[]string{"open", "usage 40 1 60 7 0", "usage 40 20 60 7 5", "finish stop"}},
		{"usage repeated", sse(`{"type":"message_start","message":{"usage":{"input_tokens":4}}}`, `{"type":"message_delta","delta":{},"usage":{"input_tokens":4}}`, reason("end_turn"), over),
			[]string{"open", "usage 4 0 0 0 0", "usage 4 9 0 0 0", "finish stop"}},
		{"frames without names", strings.ReplaceAll(sse(append(say(0, "hi"), reason("end_turn"), over)...), "event: ", "x: "),
			[]string{"open", "text hi", "usage 0 9 0 0 0", "finish stop"}},
		{"types only in frames", "event: content_block_delta\ndata: {\"index\":0,\"delta\":" + hi + "}\n\nevent: message_stop\ndata: {}\n\n",
			[]string{"open", "text hi", "finish stop"}},
		{"line ends and byte order mark", "\ufeff\r\n" + strings.ReplaceAll(sse(append(say(0, "hi"), over)...), "\n", "\r\n"), []string{"open", "text hi", "finish stop"}},
		{"other order of fields and blanks", sse(`{ "delta" : { "text" : "h\u0069" , "type":"text_delta" }, "index":0, "type":"content_block_delta" }`, over), []string{"open", "text hi", "finish stop"}},
		{"two data lines", "data: {\"type\":\"content_block_delta\",\ndata: \"index\":0,\"delta\":" + hi + "}\n\n" + sse(over), []string{"open", "text hi", "finish stop"}},
		{"text without a block", sse(grow(3, hi), over), []string{"open", "text hi", "finish stop"}},
		{"text in the beginning of a block", sse(begin(0, `{"type":"text","text":"hi"}`), end(0), over), []string{"open", "text hi", "finish stop"}},
		{"input in the beginning of a block", sse(begin(0, `{"type":"tool_use","id":"t","name":"f","input":{"a":1}}`), end(0), reason("end_turn"), over),
			[]string{"open", "call 0 t f", `arguments 0 {"a":1}`, "usage 0 9 0 0 0", "finish tool_calls"}},
		{"blocks that stay open", sse(begin(1, `{"type":"thinking","thinking":"b"}`), begin(0, `{"type":"thinking","thinking":"a","signature":"s"}`), over),
			[]string{"open", "reasoning b", "reasoning a", `item acme m-1 0 thinking {"signature":"s","thinking":"a","type":"thinking"}`, `item acme m-1 1 thinking {"thinking":"b","type":"thinking"}`, "finish stop"}},
		{"a refusal that is explained", sse(`{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"bio","explanation":"It could do harm."}}}`, over),
			[]string{"open", "text It could do harm.", "finish content_filter"}},
		{"a refusal in the middle", sse(append(say(0, "hi"), `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"explanation":"No."}}}`, over)...),
			[]string{"open", "text hi", "text \n\nNo.", `item acme m-1 2 hermes_order [{"text":2},{"text":5}]`, "finish content_filter"}},
		{"a block of the server's own", sse(begin(0, `{"type":"server_tool_use","id":"s","name":"web_search","input":{},"x":[1]}`), grow(0, `{"type":"input_json_delta","partial_json":"{\"q\":"}`), grow(0, `{"type":"input_json_delta","partial_json":"1}"}`), end(0), reason("pause_turn"), over),
			[]string{"open", `item acme m-1 0 server_tool_use {"id":"s","input":{"q":1},"name":"web_search","type":"server_tool_use","x":[1]}`, "usage 0 9 0 0 0", "finish length"}},
		{"numbers and words of other types", sse(`"ping"`, `17`, `null`, grow(0, `{"type":"text_delta","text":5}`), `{"type":7}`, grow(0, hi), over), []string{"open", "text hi", "finish stop"}},
		{"an end without a reason", sse(append(say(0, "hi"), over)...), []string{"open", "text hi", "finish stop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := collect(t, newClient(t, serve(t, "text/event-stream", c.body).URL), calm("m-1"))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

func TestFailures(t *testing.T) {
	hi := sse(say(0, "hi")...)
	for _, c := range []struct {
		name, body string
		kind       providers.ErrorKind
		says       string
		status     int
		kindSaid   string
	}{
		{"overloaded", sse(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), providers.ErrorStream, "Overloaded", 529, "overloaded_error"},
		{"too fast", sse(`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`), providers.ErrorStream, "slow", 429, "rate_limit_error"},
		{"named by the frame", "event: error\ndata: {\"message\":\"kaput\"}\n\n", providers.ErrorStream, "kaput", 0, ""},
		{"named by the frame, no JSON", "event: error\ndata: out of memory\n\n", providers.ErrorStream, "out of memory", 0, ""},
		{"without a type", "data: {\"error\":{\"message\":\"kaput\"}}\n\n", providers.ErrorStream, "kaput", 0, ""},
		{"without words", sse(`{"type":"error"}`), providers.ErrorStream, "error", 0, "error"},
		{"half of the end", "event: message_stop\ndata: {\"type\":\"message_stop\"", providers.ErrorBroken, "before the answer was complete", 0, ""},
		{"arguments of no call", sse(grow(4, `{"type":"input_json_delta","partial_json":"{"}`)), providers.ErrorProtocol, "cannot be read", 0, ""},
		{"a block twice", sse(begin(4, `{"type":"text"}`), begin(4, `{"type":"text"}`)), providers.ErrorProtocol, "cannot be read", 0, ""},
		{"a block that is none", sse(begin(4, `[]`)), providers.ErrorProtocol, "cannot be read", 0, ""},
		{"other types", sse(`{"type":"content_block_delta","index":"x"}`), providers.ErrorProtocol, "cannot be read", 0, ""},
		{"a broken text", sse(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"b"}}`), providers.ErrorProtocol, "cannot be read", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := collect(t, newClient(t, serve(t, "text/event-stream", hi+c.body).URL), calm("m-1"))
			e := failed(t, err, c.kind, c.says)
			if e.Status != c.status || e.Type != c.kindSaid {
				t.Errorf("got status %d, type %q", e.Status, e.Type)
			}
			if !slices.Equal(got, []string{"open", "text hi"}) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestEndsOfGateways takes for an end what servers send that state it in another way, or not.
func TestEndsOfGateways(t *testing.T) {
	hi, call := sse(say(0, "hi")...), sse(begin(1, `{"type":"tool_use","id":"c","name":"f","input":{}}`), grow(1, `{"type":"input_json_delta","partial_json":"{}"}`), end(1))
	for name, body := range map[string]string{
		"stop without a reason": sse(over), "a reason alone": sse(reason("end_turn")), "done": "data: [DONE]\n\n",
	} {
		got, err := collect(t, newClient(t, serve(t, "text/event-stream", hi+body).URL), calm("m-1"))
		if err != nil || got[len(got)-1] != "finish stop" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		got, err = collect(t, newClient(t, serve(t, "text/event-stream", hi+call+body).URL), calm("m-1"))
		if err != nil || got[len(got)-1] != "finish tool_calls" {
			t.Errorf("%s, with a call: got %q, %v", name, got, err)
		}
	}
	for _, body := range []string{hi, "data: [DONE]\n\n", sse(begin(0, `{"type":"text","text":""}`), grow(0, `{"type":"text_delta","text":"hi"}`)), hi + sse(begin(1, `{"type":"tool_use","id":"c","name":"f","input":{}}`))} {
		_, err := collect(t, newClient(t, serve(t, "text/event-stream", body).URL), calm("m-1"))
		failed(t, err, providers.ErrorBroken, "complete")
	}
}

func TestDocuments(t *testing.T) {
	const whole = `{"id":"m","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"hi"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":4,"output_tokens":2}}`
	want := []string{"open", "reasoning hm", `item acme m-1 0 thinking {"signature":"s","thinking":"hm","type":"thinking"}`, "text hi", "call 0 t f", `arguments 0 {"a":1}`, "usage 4 2 0 0 0", "finish tool_calls"}
	for _, kind := range []string{"application/json", "text/event-stream"} {
		got, err := collect(t, newClient(t, serve(t, kind, "\n "+whole).URL), calm("m-1"))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v", kind, got, err)
		}
	}
	for _, c := range []struct {
		name, body string
		kind       providers.ErrorKind
		says       string
	}{
		{"error", `{"type":"error","error":{"type":"not_found_error","message":"no such model"}}`, providers.ErrorStream, "no such model"},
		{"error of another protocol", `{"error":{"message":"no such model","code":404}}`, providers.ErrorStream, "no such model"},
		{"page", "<!doctype html><title>Welcome to nginx!</title>", providers.ErrorProtocol, "a web page: Welcome to nginx!"},
		{"answer of another protocol", `{"choices":[]}`, providers.ErrorProtocol, "check the base URL"},
		{"an unfinished message", strings.Replace(whole, `"stop_reason":"tool_use"`, `"stop_reason":null`, 1), providers.ErrorProtocol, "check the base URL"},
		{"half a message", whole[:100], providers.ErrorProtocol, "check the base URL"},
		{"a message of odd parts", `{"type":"message","content":[7],"stop_reason":"end_turn"}`, providers.ErrorProtocol, "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := collect(t, newClient(t, serve(t, "application/json", c.body).URL), calm("m-1"))
			failed(t, err, c.kind, c.says)
		})
	}
}

// What a model wrote goes back block by block as it came, in every order.
func TestRoundTrip(t *testing.T) {
	think := `{"signature":"c2ln","thinking":"hm","type":"thinking"}`
	hidden := `{"data":"eA==","type":"redacted_thinking"}`
	word := func(s string) string { return `{"text":` + quote(s) + `,"type":"text"}` }
	call := func(n int) string {
		return fmt.Sprintf(`{"id":"toolu_%d","input":{"a":%d},"name":"f","type":"tool_use"}`, n, n)
	}
	for name, blocks := range map[string][]string{
		"usual":                  {think, word("a"), call(1), call(2)},
		"only calls":             {hidden, call(1)},
		"interleaved":            {think, word("a"), think, call(1), hidden, call(2)},
		"texts apart":            {think, word("ä\n"), think, word(" b")},
		"text behind calls":      {call(1), word("a")},
		"everything":             {word("a"), hidden, think, word("b "), call(1), word("c"), think, call(2), word("d"), call(3)},
		"blanks around the text": {word("\n\na"), call(1), word("b\n")},
	} {
		t.Run(name, func(t *testing.T) {
			body := `{"type":"message","content":[` + strings.Join(blocks, ",") + `],"stop_reason":"end_turn"}`
			c := newClient(t, serve(t, "application/json", body).URL)
			st, err := c.Stream(t.Context(), calm("m-1"))
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			m := providers.Message{ID: "2", Role: providers.Assistant}
			var said strings.Builder
			for {
				d, err := st.Next()
				if err != nil {
					break
				}
				switch d.Kind {
				case providers.DeltaText:
					said.WriteString(d.Text)
				case providers.DeltaCall:
					m.Calls = append(m.Calls, providers.Call{ID: fmt.Sprint("k", d.Index), WireID: d.CallID, Name: d.Name})
				case providers.DeltaArguments:
					m.Calls[d.Index].Arguments += d.Text
				case providers.DeltaItem:
					m.Native = append(m.Native, *d.Item)
				}
			}
			// A conversation drops the blanks around a text.
			m.Parts = providers.TextParts(strings.TrimSpace(said.String()))
			r := calm("m-1")
			r.Messages = append(r.Messages, m)
			back := lastBlocks(t, c, r)
			want := strings.Join(blocks, "\n")
			if name == "blanks around the text" {
				want = strings.ReplaceAll(strings.ReplaceAll(want, `\n\na`, "a"), `b\n`, "b")
			}
			if got := strings.Join(back, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			// A message that was changed has all it holds, in the usual order.
			r.Messages[1].Parts = providers.TextParts("changed")
			if back = lastBlocks(t, c, r); len(m.Parts) > 0 && !slices.Contains(back, word("changed")) {
				t.Errorf("got %q", back)
			}
		})
	}
}

// lastBlocks gives the blocks of the last message of a request, keys sorted.
func lastBlocks(t *testing.T, c *Client, r providers.Request) []string {
	t.Helper()
	body, _, err := c.body(r)
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Messages []struct{ Content []map[string]any }
	}
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range p.Messages[len(p.Messages)-1].Content {
		raw, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(raw))
	}
	return out
}
