package responses

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"hermes-tui/providers"
)

// The events of an answer, as they differ between servers.
const (
	reasoningDone = `{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"gAAA","summary":[{"type":"summary_text","text":"first"},{"type":"summary_text","text":"second"}]}}`
	messageDone   = `{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","phase":"commentary","status":"completed","content":[{"type":"output_text","text":"all"}]}}`
	callDone      = `{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"now","arguments":"{\"a\":1}"}}`
)

func TestAnswers(t *testing.T) {
	reasoningItem := `item acme gpt-4o 0 reasoning {"id":"rs_1","type":"reasoning","encrypted_content":"gAAA","summary":[{"type":"summary_text","text":"first"},{"type":"summary_text","text":"second"}]}`
	messageItem := `message {"id":"msg_1","type":"message","role":"assistant","phase":"commentary","status":"completed","content":[{"type":"output_text","text":"all"}]}`
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"items in one piece", sse(reasoningDone, messageDone, callDone, completed), []string{
			"open", "reasoning first", "reasoning \n\nsecond", "text all", "call 0 call_1 now", `arguments 0 {"a":1}`,
			reasoningItem, "item acme gpt-4o 1 " + messageItem, `item acme gpt-4o 2 function_call {"id":"fc_1","call_id":"call_1"}`, "finish tool_calls",
		}},
		{"only in the terminal event", sse(`{"type":"response.completed","response":{"status":"completed","output":[` + strings.Join([]string{item(reasoningDone), item(messageDone), item(callDone)}, ",") + `]}}`), []string{
			"open", "reasoning first", "reasoning \n\nsecond", "text all", "call 0 call_1 now", `arguments 0 {"a":1}`,
			reasoningItem, "item acme gpt-4o 1 " + messageItem, `item acme gpt-4o 2 function_call {"id":"fc_1","call_id":"call_1"}`, "finish tool_calls",
		}},
		{"begun in events, whole in the terminal one", sse(
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","content":[]}}`,
			`{"type":"response.output_item.added","output_index":1,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"now","arguments":""}}`,
			`{"type":"response.completed","response":{"output":[`+item(messageDone)+`,`+item(callDone)+`]}}`), []string{
			"open", "text all", "call 0 call_1 now", `arguments 0 {"a":1}`,
			"item acme gpt-4o 0 " + messageItem, `item acme gpt-4o 1 function_call {"id":"fc_1","call_id":"call_1"}`, "finish tool_calls",
		}},
		{"pieces and their repetition", sse(
			`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"a\u00e4"}`,
			`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"b"}`,
			`{"type":"response.output_text.done","item_id":"m","output_index":0,"content_index":0,"text":"aäb"}`,
			`{"type":"response.output_text.done","item_id":"m","output_index":0,"content_index":1,"text":"c"}`,
			`{"type":"response.content_part.done","item_id":"m","output_index":0,"content_index":1,"part":{"type":"output_text","text":"c"}}`,
			completed), []string{"open", "text aä", "text b", "text c", "finish stop"}},
		{"two messages", sse(
			`{"type":"response.output_text.delta","output_index":0,"delta":"I look."}`,
			`{"type":"response.output_text.delta","output_index":1,"delta":"Done"}`,
			`{"type":"response.output_text.delta","output_index":1,"delta":"."}`, completed),
			[]string{"open", "text I look.", "text \n\n", "text Done", "text .", "finish stop"}},
		{"summary parts", sse(
			`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"**One**"}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":" a"}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"**Two**"}`,
			`{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"raw thoughts"}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":1,"summary_index":0,"delta":"**Three**"}`, completed),
			[]string{"open", "reasoning **One**", "reasoning  a", "reasoning \n\n**Two**", "reasoning \n\n**Three**", "finish stop"}},
		{"reasoning as it is", sse(
			`{"type":"response.reasoning_text.delta","item_id":"r","content_index":0,"delta":"hm"}`,
			`{"type":"response.reasoning_summary_text.delta","item_id":"r","summary_index":0,"delta":"he thinks"}`,
			`{"type":"response.reasoning_text.done","item_id":"r","content_index":0,"text":"hm"}`, completed),
			[]string{"open", "reasoning hm", "finish stop"}},
		{"calls without places", sse(
			`{"type":"response.output_item.added","item":{"id":"f1","type":"function_call","call_id":"c1","name":"f"}}`,
			`{"type":"response.output_item.added","item":{"id":"f2","type":"function_call","call_id":"c2","name":"g"}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"f1","delta":"{\"a\":"}`,
			`{"type":"response.function_call_arguments.delta","item_id":"f2","delta":"{}"}`,
			`{"type":"response.function_call_arguments.delta","item_id":"f1","delta":"1}"}`, completed), []string{
			"open", "call 0 c1 f", `arguments 0 {"a":`, "call 1 c2 g", "arguments 1 {}", "arguments 0 1}",
			`item acme gpt-4o 0 function_call {"id":"f1","call_id":"c1"}`, `item acme gpt-4o 1 function_call {"id":"f2","call_id":"c2"}`, "finish tool_calls",
		}},
		{"calls at the same place", sse(
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"f1","type":"function_call","call_id":"c1","name":"f"}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}`,
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"f2","type":"function_call","call_id":"c2","name":"g"}}`,
			`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"[]"}`, completed), []string{
			"open", "call 0 c1 f", "arguments 0 {}", "call 1 c2 g", "arguments 1 []",
			`item acme gpt-4o 0 function_call {"id":"f1","call_id":"c1"}`, `item acme gpt-4o 1 function_call {"id":"f2","call_id":"c2"}`, "finish tool_calls",
		}},
		{"messages at the same place", sse(
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"m1","type":"message","content":[{"text":"a"}]}}`,
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"m2","type":"message","content":[]}}`,
			`{"type":"response.output_text.delta","output_index":0,"delta":"b"}`, completed),
			[]string{"open", "text a", "text \n\n", "text b", `item acme gpt-4o 0 message {"id":"m1","type":"message","content":[{"text":"a"}]}`, "finish stop"}},
		{"all of it twice", sse(
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"m1","type":"message","content":[{"text":"a"}]}}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"id":"m2","type":"message","content":[{"text":"b"}]}}`,
			`{"type":"response.completed","response":{"output":[{"id":"m1","type":"message","content":[{"text":"a"}]},{"id":"m2","type":"message","content":[{"text":"b"}]}]}}`),
			[]string{"open", "text a", "text \n\n", "text b", `item acme gpt-4o 0 message {"id":"m1","type":"message","content":[{"text":"a"}]}`,
				`item acme gpt-4o 1 message {"id":"m2","type":"message","content":[{"text":"b"}]}`, "finish stop"}},
		{"ids that change with every event", sse(
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"x1","type":"function_call","call_id":"c1","name":"f"}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"x2","delta":"{}"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"x3","type":"function_call","call_id":"c1","name":"f","arguments":"{}"}}`,
			`{"type":"response.completed","response":{"output":[{"id":"x4","type":"function_call","call_id":"c1","name":"f","arguments":"{}"}]}}`), []string{
			"open", "call 0 c1 f", "arguments 0 {}", `item acme gpt-4o 0 function_call {"id":"x1","call_id":"c1"}`, "finish tool_calls",
		}},
		{"arguments before the name", sse(
			`{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":"{\"a\""}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":":1}"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"f","type":"function_call","call_id":"c1","name":"f","arguments":{"a":1}}}`, completed), []string{
			"open", "call 0 c1 f", `arguments 0 {"a":1}`, `item acme gpt-4o 0 function_call {"id":"f","call_id":"c1"}`, "finish tool_calls",
		}},
		{"a call without a name", sse(`{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":"{}"}`, completed), []string{
			"open", "call 0  ", `arguments 0 {}`, `item acme gpt-4o 0 function_call {"id":"f","call_id":""}`, "finish tool_calls",
		}},
		{"refusal in one piece", sse(`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"I will not."}]}}`, completed), []string{
			"open", "text I will not.", `item acme gpt-4o 0 message {"type":"message","content":[{"type":"refusal","refusal":"I will not."}]}`, "finish content_filter",
		}},
		{"reasoning that cannot be replayed", sse(
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"id":"rs_tmp_1","type":"reasoning","encrypted_content":"x","summary":[]}}`,
			`{"type":"response.output_item.done","output_index":2,"item":{"id":"ws_1","type":"web_search_call","status":"completed"}}`, completed), []string{"open", "finish stop"}},
		{"odd values", sse(`"ping"`, `[1]`, `17`, `{}`, `{"type":null}`, `{"type":"x.y","response":[7],"item":1,"error":"no","delta":{}}`, `{"type":"response.output_text.delta","delta":null}`,
			`{"type":"response.output_text.delta","delta":"a","output_index":null,"content_index":"0","item_id":7,"logprobs":[{"token":"a"}]}`,
			`{"type":"response.output_item.done","item":{"type":"message","content":"a"}}`, completed),
			[]string{"open", "text a", `item acme gpt-4o 0 message {"type":"message","content":"a"}`, "finish stop"}},
		{"usage", sse(`{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":100,"output_tokens":20,"input_tokens_details":{"cached_tokens":60},"output_tokens_details":{"reasoning_tokens":5}}}}`),
			[]string{"open", "usage 40 20 60 0 5", "finish stop"}},
		{"a name of its own for the end", sse(`{"type":"response.done","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`), []string{"open", "finish length"}},
		{"data in several lines", "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\ndata: \"delta\":\"a\"}\n\n" + sse(completed), []string{"open", "text a", "finish stop"}},
		{"no blank lines", strings.ReplaceAll(sse(`{"type":"response.output_text.delta","delta":"a"}`, `{"type":"response.output_text.delta","delta":"b"}`, completed), "\n\n", "\n"), []string{"open", "text a", "text b", "finish stop"}},
		{"names but no blank lines", "event: x\ndata: " + `{"type":"response.output_text.delta","delta":"a"}` + "\nevent: y\ndata: " + completed + "\n", []string{"open", "text a", "finish stop"}},
		{"line ends", "\ufeff" + strings.ReplaceAll(sse(`{"type":"response.output_text.delta","delta":"a"}`), "\n", "\r\n") + "data:" + completed, []string{"open", "text a", "finish stop"}},
		{"ids and comments", ": hi\nid: 3\nretry: 10\n\n" + sse(completed), []string{"open", "finish stop"}},
		{"what follows the end", sse(completed, `{"type":"error","message":"late"}`, "[DONE]"), []string{"open", "finish stop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, c.body)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, c.want...)
		})
	}
}

// item gives the item of an event.
func item(event string) string {
	_, inner, _ := strings.Cut(event, `"item":`)
	return strings.TrimSuffix(inner, "}")
}

func TestEnds(t *testing.T) {
	for name, c := range map[string]struct{ event, want string }{
		"completed":                 {`{"type":"response.completed","response":{}}`, "stop"},
		"incomplete":                {`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`, "length"},
		"incomplete without reason": {`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":null}}`, "length"},
		"filtered":                  {`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`, "content_filter"},
		"completed but incomplete":  {`{"type":"response.completed","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`, "content_filter"},
		"only announced":            {`{"type":"response.completed","response":{"output":[{"type":"message","phase":"commentary","content":[]}]}}`, "length"},
		"unknown status":            {`{"type":"response.completed","response":{"status":"great"}}`, "stop"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := answer(t, sse(c.event))
			if err != nil {
				t.Fatal(err)
			}
			same(t, got[:1], "open")
			same(t, got[len(got)-1:], "finish "+c.want)
		})
	}
	got, err := answer(t, sse(messageDone, `{"type":"response.output_text.delta","output_index":5,"delta":"Done."}`, completed))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got[len(got)-1:], "finish stop")
}

func TestErrorsInAStream(t *testing.T) {
	const key = "sk-secret-0123456789"
	for _, c := range []struct {
		name, event string
		message     string
		code, kind  string
		status      int
		wait        time.Duration
	}{
		{"event", "event: error\ndata: " + `{"type":"error","code":"rate_limit_exceeded","message":"Slow down","param":null,"sequence_number":4}`, "Slow down", "rate_limit_exceeded", "", 429, 0},
		{"event without a name", "data: " + `{"type":"error","code":null,"message":"kaput ` + key + `"}`, "kaput sk-sec...6789", "", "", 0, 0},
		{"nested", "data: " + `{"type":"error","error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1777936568,"resets_in_seconds":13872},"status_code":429}`,
			"The usage limit has been reached", "", "usage_limit_reached", 429, 13872 * time.Second},
		{"status of its own", "data: " + `{"type":"error","status":503,"error":{"message":"busy"}}`, "busy", "", "", 503, 0},
		{"numeric code", "data: " + `{"type":"error","code":502,"message":"upstream"}`, "upstream", "502", "", 502, 0},
		{"no type", "data: " + `{"error":{"message":"Provider returned error","code":"x","metadata":{"raw":"upstream connect error"}}}`, "Provider returned error: upstream connect error", "x", "", 0, 0},
		{"failed", "data: " + `{"type":"response.failed","response":{"status":"failed","instructions":"never mention the context window","error":{"code":"server_error","message":"We had an error"}}}`, "We had an error", "server_error", "", 500, 0},
		{"failed without reason", "data: " + `{"type":"response.failed","response":{"status":"failed","error":null}}`, "without saying why", "", "", 0, 0},
		{"cancelled", "data: " + `{"type":"response.completed","response":{"status":"cancelled"}}`, "without saying why", "", "", 0, 0},
		{"overflow", "data: " + `{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}`, "exceeds the context window", "context_length_exceeded", "", 400, 0},
		{"words", "event: error\ndata: out of memory", "out of memory", "", "", 0, 0},
		{"empty", "data: " + `{"type":"error"}`, "without saying which", "", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, sse(`{"type":"response.output_text.delta","delta":"a"}`)+c.event+"\n\n"+sse(completed))
			same(t, got, "open", "text a")
			e := failure(t, err, providers.ErrorStream, c.message)
			if e.Code != c.code || e.Type != c.kind || e.Status != c.status || e.RetryAfter != c.wait || len(e.Body) == 0 {
				t.Errorf("got code %q, type %q, status %d, wait %s, body %s", e.Code, e.Type, e.Status, e.RetryAfter, e.Body)
			}
			if strings.Contains(string(e.Body), "context window") && c.status != 400 {
				t.Errorf("the error holds what is not the error's: %s", e.Body)
			}
		})
	}
}

func TestIncompleteAnswers(t *testing.T) {
	text := sse(`{"type":"response.output_text.delta","delta":"a"}`)
	for _, c := range []struct {
		name string
		body string
		kind providers.ErrorKind
		says string
		want []string
	}{
		{"clean end", text, providers.ErrorBroken, "before the answer was complete", []string{"open", "text a"}},
		{"cut in an event", text + "data: " + completed[:30], providers.ErrorBroken, "before the answer was complete", []string{"open", "text a"}},
		{"empty body", "", providers.ErrorBroken, "empty answer", []string{"open"}},
		{"comments only", ": hi\n\n: hi\n\n", providers.ErrorBroken, "empty answer", []string{"open"}},
		{"malformed event", text + sse(`{"type":"response.output_text.delta","delta":}`), providers.ErrorProtocol, "cannot be read", []string{"open", "text a"}},
		{"other types", text + sse(`{"type":"response.completed","response":7}`), providers.ErrorProtocol, "cannot be read", []string{"open", "text a"}},
		{"an end without a response", text + sse(`{"type":"response.completed"}`), providers.ErrorProtocol, "cannot be read", []string{"open", "text a"}},
		{"an end that is nothing", text + sse(`{"type":"response.completed","response":null}`), providers.ErrorProtocol, "cannot be read", []string{"open", "text a"}},
		{"an item that is none", text + sse(`{"type":"response.output_item.done","item":[]}`), providers.ErrorProtocol, "cannot be read", []string{"open", "text a"}},
		{"no JSON", text + sse(`keep going`), providers.ErrorProtocol, `"keep going"`, []string{"open", "text a"}},
		{"chat completions", sse(`{"choices":[{"delta":{"content":"a"}}]}`, "[DONE]"), providers.ErrorProtocol, `check the base URL; it says "{\"choices`, []string{"open"}},
		{"another service", "Ollama is running", providers.ErrorProtocol, `check the base URL; it says "Ollama is running"`, []string{"open"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, c.body)
			failure(t, err, c.kind, c.says)
			same(t, got, c.want...)
		})
	}
}

// TestEndsOfGateways takes for an end what servers send that leave out the terminal event.
func TestEndsOfGateways(t *testing.T) {
	text := sse(`{"type":"response.output_text.delta","delta":"a"}`)
	whole := strings.ReplaceAll(messageDone, `"phase":"commentary",`, "")
	for name, c := range map[string]struct{ body, want string }{
		"done":                        {text + sse("[DONE]"), "finish stop"},
		"done behind a message":       {sse(whole, "[DONE]"), "finish stop"},
		"done behind an announcement": {sse(messageDone, "[DONE]"), "finish length"},
		"done behind a call":          {text + sse(callDone, "[DONE]"), "finish tool_calls"},
	} {
		got, err := answer(t, c.body)
		if err != nil || got[len(got)-1] != c.want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for _, body := range []string{text, sse(whole), sse(reasoningDone), sse(reasoningDone, "[DONE]"), sse(whole, `{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"c","name":"now"}}`)} {
		_, err := answer(t, body)
		failure(t, err, providers.ErrorBroken, "before the answer was complete")
	}
}

func TestDocuments(t *testing.T) {
	got, err := answer(t, ` {"id":"resp_1","object":"response","status":"completed","output":[`+item(messageDone)+`,`+item(callDone)+`],"usage":{"input_tokens":4,"output_tokens":2}}`)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got[:5], "open", "usage 4 2 0 0 0", "text all", "call 0 call_1 now", `arguments 0 {"a":1}`)
	same(t, got[len(got)-1:], "finish tool_calls")
	for _, c := range []struct {
		name, body string
		kind       providers.ErrorKind
		says       string
	}{
		{"error", `{"error":{"message":"no such model","code":"model_not_found"}}`, providers.ErrorStream, "no such model"},
		{"page", "<!doctype html><title>Just a moment...</title>", providers.ErrorProtocol, "a web page: Just a moment...; the base URL may be wrong"},
		{"other object", `{"status":"ok"}`, providers.ErrorProtocol, `it says "{\"status\":\"ok\"}"`},
		{"list", `[1,2]`, providers.ErrorProtocol, `"[1,2]"`},
		{"half an object", `{"output":[{"ty`, providers.ErrorProtocol, "check the base URL"},
		{"failed", `{"object":"response","status":"failed","output":[{"type":"message","content":[]}],"error":{"code":"server_error","message":"no"}}`, providers.ErrorStream, "no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, c.body)
			failure(t, err, c.kind, c.says)
			same(t, got, "open")
		})
	}
}

// body reports whether it was read to its end before it was closed, as is needed for
// its connection to be used again.
type body struct {
	io.Reader
	ended, early bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

func (b *body) Close() error {
	b.early = b.early || !b.ended
	return nil
}

func TestAFinishedStreamIsReadToItsEnd(t *testing.T) {
	b := &body{Reader: iotest.OneByteReader(strings.NewReader(sse(completed, "[DONE]")))}
	s := newClient(t, "http://host.test").stream(t.Context(), "m", nil, &http.Response{Body: b})
	for {
		if _, err := s.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if b.early || !b.ended {
		t.Errorf("read to its end: %t, closed early: %t", b.ended, b.early)
	}
}

// The next request takes the same connection.
func TestConnectionsAreUsedAgain(t *testing.T) {
	seen := map[string]bool{}
	var mu sync.Mutex
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.RemoteAddr] = true
		mu.Unlock()
		_, _ = io.WriteString(w, sse(completed))
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, sse("[DONE]"))
	})
	c := newClient(t, s.url)
	for range 3 {
		if _, err := collect(t, c, hello()); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != 1 {
		t.Errorf("three requests took %d connections", len(seen))
	}
}
