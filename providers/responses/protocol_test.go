package responses

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

func TestProtocol(t *testing.T) { protocoltest.Run(t, protocol()) }

func protocol() protocoltest.Protocol {
	return protocoltest.Protocol{
		New: func(t *testing.T, baseURL string) providers.Client {
			return newClient(t, baseURL, func(c *Config) { c.Key = protocoltest.Key })
		},
		Encode:      func(steps []protocoltest.Step) [][]byte { return new(writer).answer(steps) },
		ContentType: "text/event-stream",
		Path:        "/v1/responses", RequestType: "application/json",
		AuthHeader: "Authorization",
		Authorised: func(h http.Header) bool { return h.Get("Authorization") == "Bearer "+protocoltest.Key },
		Sends:      map[string]string{"Accept": "text/event-stream"},
		Reasons: map[string]providers.Finish{
			"completed": providers.FinishStop, "max_output_tokens": providers.FinishLength,
			"content_filter": providers.FinishFilter, "something_new": providers.FinishLength,
		},
		ErrorBody: func(_ int, kind, message string) (map[string]string, string) {
			return map[string]string{"Content-Type": "application/json"},
				`{"error":{"message":` + quote(message) + `,"type":` + quote(kind) + `,"param":null,"code":null}}`
		},
		Interleaves: true, ReplaysReasoning: true, ReplaysOpaque: true,
	}
}

func newClient(t testing.TB, url string, change ...func(*Config)) *Client {
	t.Helper()
	tr := transport.New(transport.Options{Version: "test"})
	t.Cleanup(tr.CloseIdle)
	config := Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "acme", BaseURL: url, Key: "sk-secret-0123456789"}, Transport: tr}}
	for _, f := range change {
		f(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// writer writes an answer as the service does.
type writer struct {
	sequence int
	out      strings.Builder
	items    []*written
	open     *written // the message or reasoning under way
	calls    map[int]*written
	usage    providers.Usage
}

// written is an item that is being written.
type written struct {
	at              int
	kind, id        string
	text            string
	opaque          string
	refusal, closed bool
	callID, name    string
}

func (w *writer) answer(steps []protocoltest.Step) [][]byte {
	w.calls = map[int]*written{}
	w.event("response.created", `"response":{"id":"resp_1","object":"response","status":"in_progress","output":[],"usage":null}`)
	var parts [][]byte
	for _, s := range steps {
		w.step(s)
		parts = append(parts, []byte(w.out.String()))
		w.out.Reset()
	}
	return parts
}

// event writes an event with some fields.
func (w *writer) event(kind, fields string) {
	fmt.Fprintf(&w.out, "event: %s\ndata: {\"type\":%s,\"sequence_number\":%d,%s}\n\n", kind, quote(kind), w.sequence, fields)
	w.sequence++
}

func (w *writer) step(s protocoltest.Step) {
	switch s.Kind {
	case protocoltest.Text:
		w.say(s.Text, false)
	case protocoltest.Refusal:
		w.say(s.Text, true)
	case protocoltest.Reasoning:
		w.think(s.Text, s.Opaque)
	case protocoltest.Call:
		w.close(w.open)
		i := w.begin("function_call")
		i.callID, i.name = s.ID, s.Name
		w.calls[s.Index] = i
		w.event("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, i.at, i.json(false)))
	case protocoltest.Arguments:
		i := w.calls[s.Index]
		i.text += s.Text
		w.event("response.function_call_arguments.delta", fmt.Sprintf(`"item_id":%s,"output_index":%d,"delta":%s,"obfuscation":"x"`, quote(i.id), i.at, quote(s.Text)))
	case protocoltest.Usage:
		w.usage = s.Usage
	case protocoltest.Finish:
		w.finish(s)
	case protocoltest.Failure:
		w.event("error", fmt.Sprintf(`"code":%s,"message":%s,"param":null`, quote(s.Type), quote(s.Text)))
	case protocoltest.Unknown:
		w.event("response.sparkle.delta", `"delta":"no","sparkles":[{"x":1}]`)
		w.event("response.in_progress", `"response":{"id":"resp_1","status":"in_progress","new":{"a":[null]}},"newer":1`)
	case protocoltest.KeepAlive:
		w.out.WriteString(": keep-alive\n\n")
		w.event("keepalive", `"x":0`)
	case protocoltest.Junk:
		w.out.WriteString("event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":}\n\n")
	}
}

// begin makes an item.
func (w *writer) begin(kind string) *written {
	i := &written{at: len(w.items), kind: kind, id: fmt.Sprintf("%s_%d", kind[:2], len(w.items))}
	w.items = append(w.items, i)
	return i
}

func (w *writer) say(s string, refusal bool) {
	if w.open == nil || w.open.kind != "message" || w.open.refusal != refusal {
		w.close(w.open)
		w.open = w.begin("message")
		w.open.refusal = refusal
		w.event("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, w.open.at, w.open.json(false)))
		w.event("response.content_part.added", fmt.Sprintf(`"item_id":%s,"output_index":%d,"content_index":0,"part":%s`, quote(w.open.id), w.open.at, w.open.part()))
	}
	w.open.text += s
	kind := "response.output_text.delta"
	if refusal {
		kind = "response.refusal.delta"
	}
	w.event(kind, fmt.Sprintf(`"item_id":%s,"output_index":%d,"content_index":0,"delta":%s,"logprobs":[],"obfuscation":"Xy1"`, quote(w.open.id), w.open.at, quote(s)))
}

func (w *writer) think(s, opaque string) {
	if w.open == nil || w.open.kind != "reasoning" {
		w.close(w.open)
		w.open = w.begin("reasoning")
		w.event("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, w.open.at, w.open.json(false)))
		w.event("response.reasoning_summary_part.added", fmt.Sprintf(`"item_id":%s,"output_index":%d,"summary_index":0,"part":{"type":"summary_text","text":""}`, quote(w.open.id), w.open.at))
	}
	w.open.text += s
	w.open.opaque += opaque
	w.event("response.reasoning_summary_text.delta", fmt.Sprintf(`"item_id":%s,"output_index":%d,"summary_index":0,"delta":%s`, quote(w.open.id), w.open.at, quote(s)))
}

// close ends an item with the events that repeat it.
func (w *writer) close(i *written) {
	if i == nil || i.closed {
		return
	}
	i.closed = true
	at := fmt.Sprintf(`"item_id":%s,"output_index":%d`, quote(i.id), i.at)
	switch {
	case i.kind == "function_call":
		w.event("response.function_call_arguments.done", at+`,"arguments":`+quote(i.text))
	case i.kind == "reasoning":
		w.event("response.reasoning_summary_text.done", at+`,"summary_index":0,"text":`+quote(i.text))
		w.event("response.reasoning_summary_part.done", at+`,"summary_index":0,"part":{"type":"summary_text","text":`+quote(i.text)+`}`)
	case i.refusal:
		w.event("response.refusal.done", at+`,"content_index":0,"refusal":`+quote(i.text))
		w.event("response.content_part.done", at+`,"content_index":0,"part":`+i.part())
	default:
		w.event("response.output_text.done", at+`,"content_index":0,"logprobs":[],"text":`+quote(i.text))
		w.event("response.content_part.done", at+`,"content_index":0,"part":`+i.part())
	}
	w.event("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, i.at, i.json(true)))
}

func (w *writer) finish(s protocoltest.Step) {
	for _, i := range w.items {
		w.close(i)
	}
	reason := s.Reason
	switch {
	case reason != "":
	case s.Finish == providers.FinishLength:
		reason = "max_output_tokens"
	case s.Finish == providers.FinishFilter && (w.open == nil || !w.open.refusal):
		reason = "content_filter"
	default:
		reason = "completed"
	}
	kind, status, details := "response.completed", "completed", "null"
	if reason != "completed" {
		kind, status, details = "response.incomplete", "incomplete", `{"reason":`+quote(reason)+`}`
	}
	var output []string
	for _, i := range w.items {
		output = append(output, i.json(true))
	}
	w.event(kind, fmt.Sprintf(`"response":{"id":"resp_1","object":"response","status":%s,"error":null,"incomplete_details":%s,"output":[%s],"usage":%s}`,
		quote(status), details, strings.Join(output, ","), w.figures()))
}

func (w *writer) figures() string {
	u := w.usage
	if u == (providers.Usage{}) {
		return "null"
	}
	return fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
		u.Prompt(), u.CacheRead, u.CacheWrite, u.Output, u.Reasoning, u.Prompt()+u.Output)
}

func (i *written) part() string {
	if i.refusal {
		return `{"type":"refusal","refusal":` + quote(i.text) + `}`
	}
	return `{"type":"output_text","annotations":[],"logprobs":[],"text":` + quote(i.text) + `}`
}

// json writes the item as it is when it begins, or as it is when it ends.
func (i *written) json(done bool) string {
	content, arguments, summary := "[]", `""`, "[]"
	status := "in_progress"
	if done {
		status = "completed"
		content, arguments = "["+i.part()+"]", quote(i.text)
		if i.text != "" {
			summary = `[{"type":"summary_text","text":` + quote(i.text) + `}]`
		}
	}
	switch i.kind {
	case "function_call":
		return fmt.Sprintf(`{"id":%s,"type":"function_call","status":%s,"arguments":%s,"call_id":%s,"name":%s}`, quote(i.id), quote(status), arguments, quote(i.callID), quote(i.name))
	case "reasoning":
		if done && i.opaque != "" {
			return fmt.Sprintf(`{"id":%s,"type":"reasoning","encrypted_content":%s,"summary":%s}`, quote(i.id), quote(i.opaque), summary)
		}
		return fmt.Sprintf(`{"id":%s,"type":"reasoning","summary":%s}`, quote(i.id), summary)
	}
	return fmt.Sprintf(`{"id":%s,"type":"message","status":%s,"content":%s,"role":"assistant"}`, quote(i.id), quote(status), content)
}
