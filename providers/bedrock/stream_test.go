package bedrock

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

func TestAnswers(t *testing.T) {
	const (
		first   = `item bedrock ` + modelID + ` 0 reasoningContent {"reasoningText":{"text":"I think","signature":"c2lnLWE="}}`
		secret  = `item bedrock ` + modelID + ` 1 reasoningContent {"redactedContent":"aGlkZGVu"}`
		counted = "usage 40 20 60 7 0"
	)
	for _, c := range []struct {
		name  string
		parts [][]byte
		want  []string
	}{
		{"text", [][]byte{begin(), text(0, "Hel"), text(0, "lo"), closed(0), stop("end_turn"), figures()},
			[]string{"open", "text Hel", "text lo", counted, "finish stop"}},
		{"no figures", [][]byte{begin(), text(0, "a"), closed(0), stop("max_tokens")}, []string{"open", "text a", "finish length"}},
		{"empty figures", [][]byte{text(0, "a"), stop("end_turn"), ev("metadata", `{}`)}, []string{"open", "text a", "finish stop"}},
		{"reasoning", [][]byte{begin(), think(0, "I "), think(0, "think"), sign(0, "c2ln"), sign(0, "LWE="), closed(0),
			redacted(1, "hid"), redacted(1, "den"), closed(1), text(2, "so"), closed(2), stop("end_turn"), figures()},
			[]string{"open", "reasoning I ", "reasoning think", first, secret, "text so", counted, "finish stop"}},
		{"two blocks of reasoning", [][]byte{think(0, "a"), closed(0), think(1, "b"), think(1, "c"), closed(1), stop("end_turn"), figures()},
			[]string{"open", "reasoning a", `item bedrock ` + modelID + ` 0 reasoningContent {"reasoningText":{"text":"a"}}`,
				"reasoning \n\nb", "reasoning c", `item bedrock ` + modelID + ` 1 reasoningContent {"reasoningText":{"text":"bc"}}`, counted, "finish stop"}},
		{"blocks that are not closed", [][]byte{think(1, "b"), think(0, "a"), stop("end_turn")},
			[]string{"open", "reasoning b", "reasoning \n\na", `item bedrock ` + modelID + ` 0 reasoningContent {"reasoningText":{"text":"a"}}`,
				`item bedrock ` + modelID + ` 1 reasoningContent {"reasoningText":{"text":"b"}}`, "finish stop"}},
		{"calls, and a stop that does not say so", [][]byte{call(0, "t1", "now"), closed(0), call(1, "t2", "read"), args(1, ""), args(1, `{"a"`), args(1, `:1}`), closed(1), stop("end_turn"), figures()},
			[]string{"open", "call 0 t1 now", "call 1 t2 read", `arguments 1 {"a"`, `arguments 1 :1}`, counted, "finish tool_calls"}},
		{"mixed order", [][]byte{think(0, "x"), sign(0, "s"), closed(0), text(1, "\n on"), text(1, "e "), closed(1), call(2, "t1", "now"), closed(2), redacted(3, "y"), closed(3), text(4, "two "), closed(4), stop("tool_use"), figures()},
			[]string{"open", "reasoning x", `item bedrock ` + modelID + ` 0 reasoningContent {"reasoningText":{"text":"x","signature":"s"}}`,
				"text \n on", "text e ", "call 0 t1 now", `item bedrock ` + modelID + ` 1 reasoningContent {"redactedContent":"eQ=="}`, "text two ", counted,
				`item bedrock ` + modelID + ` 2 layout [{"kind":"reasoning"},{"kind":"text","end":4},{"kind":"call"},{"kind":"reasoning"},{"kind":"text","end":7}]`,
				"finish tool_calls"}},
		{"a guardrail that intervened", [][]byte{begin(), text(0, "Sorry, I cannot say that."), closed(0), stop("guardrail_intervened"),
			ev("metadata", `{"usage":{"inputTokens":1,"outputTokens":0,"totalTokens":1},"trace":{"guardrail":{"inputAssessment":{}}}}`)},
			[]string{"open", "text Sorry, I cannot say that.", "usage 1 0 0 0 0", "finish content_filter"}},
		{"tools of the service itself", [][]byte{
			ev("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"s","name":"nova_grounding","type":"server_tool_use"}}}`), args(0, `{"q":1}`), closed(0),
			ev("contentBlockStart", `{"contentBlockIndex":1,"start":{"toolResult":{"toolUseId":"s"}}}`), delta(1, `"toolResult":[{"text":"r"}]`), closed(1),
			delta(2, `"citation":{"title":"t"}`), text(2, "a"), closed(2), stop("end_turn"), figures()},
			[]string{"open", "text a", counted, "finish stop"}},
		{"arguments of no call", [][]byte{args(5, "{}"), text(0, "a"), stop("end_turn"), figures()}, []string{"open", "text a", counted, "finish stop"}},
		{"an exception behind the end", [][]byte{text(0, "a"), stop("end_turn"), exception("internalServerException", `{"message":"late"}`)},
			[]string{"open", "text a", "finish stop"}},
		{"junk behind the end", [][]byte{text(0, "a"), stop("end_turn"), []byte("\x00\x00\x00junk that is no frame")}, []string{"open", "text a", "finish stop"}},
		{"no reason", [][]byte{text(0, "a"), ev("messageStop", `{}`), figures()}, []string{"open", "text a", counted, "finish stop"}},
		{"frames without a message type", [][]byte{rawFrame(`{"contentBlockIndex":0,"delta":{"text":"a"}}`, ":event-type", "contentBlockDelta"), stop("end_turn"), figures()},
			[]string{"open", "text a", counted, "finish stop"}},
		{"a frame without anything", [][]byte{rawFrame(""), text(0, "a"), stop("end_turn"), figures()}, []string{"open", "text a", counted, "finish stop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, c.parts...)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, c.want...)
		})
	}
}

// TestMixedOrderComesBack sends an answer whose blocks are in no usual order back,
// as a conversation keeps it: with its text trimmed.
func TestMixedOrderComesBack(t *testing.T) {
	s := streams(t, think(0, "x"), sign(0, "s"), closed(0), text(1, "\n one "), closed(1), call(2, "t1", "now"), args(2, `{"a":1}`), closed(2),
		redacted(3, "y"), closed(3), text(4, "two\n"), closed(4), call(5, "t2", "now"), closed(5), stop("tool_use"), figures())
	c := newClient(t, s.url)
	deltas, err := readAll(t, c, hello())
	if err != nil {
		t.Fatal(err)
	}
	m := providers.Message{Role: providers.Assistant}
	said := ""
	for _, d := range deltas {
		switch d.Kind {
		case providers.DeltaText:
			said += d.Text
		case providers.DeltaItem:
			m.Native = append(m.Native, *d.Item)
		case providers.DeltaCall:
			m.Calls = append(m.Calls, called("k"+d.CallID, d.CallID, d.Name, ""))
		case providers.DeltaArguments:
			m.Calls[d.Index].Arguments += d.Text
		}
	}
	m.Parts = providers.TextParts(strings.TrimSpace(said))
	r := hello()
	r.Messages = append(r.Messages, m, result("kt1", "now", "1"), result("kt2", "now", "2"))
	if _, err := readAll(t, c, r); err != nil {
		t.Fatal(err)
	}
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal([]byte(s.last(t).body), &body); err != nil {
		t.Fatal(err)
	}
	const want = `[{"reasoningContent":{"reasoningText":{"signature":"s","text":"x"}}},{"text":"one "},{"toolUse":{"input":{"a":1},"name":"now","toolUseId":"t1"}},` +
		`{"reasoningContent":{"redactedContent":"eQ=="}},{"text":"two"},{"toolUse":{"input":{},"name":"now","toolUseId":"t2"}}]`
	if got := string(body.Messages[1].Content); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestExceptions are errors within a stream.
func TestExceptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		frame  []byte
		status int
		typ    string
		code   string
		says   string
	}{
		{"throttling", exception("throttlingException", `{"message":"Too many tokens, please wait before trying again."}`), 429, "ThrottlingException", "", "Too many tokens"},
		{"validation", exception("validationException", `{"message":"bad input"}`), 400, "ValidationException", "", "bad input"},
		{"internal", exception("internalServerException", `{"message":"oh"}`), 500, "InternalServerException", "", "oh"},
		{"unavailable", exception("serviceUnavailableException", `{"message":"busy"}`), 503, "ServiceUnavailableException", "", "busy"},
		{"model", exception("modelStreamErrorException", `{"message":"the model failed","originalMessage":"out of memory","originalStatusCode":503}`), 503, "ModelStreamErrorException", "", "the model failed: out of memory"},
		{"model without more", exception("modelStreamErrorException", `{"message":"the model failed"}`), 0, "ModelStreamErrorException", "", "the model failed"},
		{"unknown", exception("newException", `{"Message":"hm"}`), 0, "NewException", "", "hm"},
		{"no message", exception("throttlingException", `{}`), 429, "ThrottlingException", "", `"throttlingException"`},
		{"no JSON", exception("throttlingException", `what`), 429, "ThrottlingException", "", `"throttlingException"`},
		{"error frame", rawFrame("", ":message-type", "error", ":error-code", "InternalFailure", ":error-message", "it broke"), 500, "InternalFailure", "", "it broke"},
		{"malformed call", stop("malformed_tool_use"), 0, "", "malformed_tool_use", "malformed_tool_use"},
		{"malformed output", stop("malformed_model_output"), 0, "", "malformed_model_output", "malformed_model_output"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, begin(), text(0, "a"), c.frame, text(0, "b"), stop("end_turn"), figures())
			same(t, got, "open", "text a")
			e := failure(t, err, providers.ErrorStream, c.says)
			if e.Status != c.status || e.Type != c.typ || e.Code != c.code || !strings.HasSuffix(e.Endpoint, "/converse-stream") {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// TestDamage are answers that were changed on their way.
func TestDamage(t *testing.T) {
	flip := func(at int) []byte {
		b := bytes.Clone(text(0, "some text"))
		b[(at+len(b))%len(b)] ^= 1
		return b
	}
	for _, c := range []struct {
		name string
		part []byte
		kind providers.ErrorKind
		says string
	}{
		{"payload", flip(-20), providers.ErrorProtocol, "changed on its way"},
		{"checksum", flip(-1), providers.ErrorProtocol, "changed on its way"},
		{"lengths", flip(6), providers.ErrorProtocol, "changed on its way"},
		{"a frame of 2 GB", []byte("\x7f\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00"), providers.ErrorProtocol, "2147483647 bytes"},
		{"headers larger than the frame", []byte("\x00\x00\x00\x20\x00\x00\x00\x20\x00\x00\x00\x00"), providers.ErrorProtocol, "headers of 32"},
		{"wrong types", ev("contentBlockDelta", `{"contentBlockIndex":"x"}`), providers.ErrorProtocol, "cannot be read"},
		{"bad base64", delta(0, `"reasoningContent":{"redactedContent":"?"}`), providers.ErrorProtocol, "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, begin(), text(0, "a"), c.part, stop("end_turn"), figures())
			same(t, got, "open", "text a")
			failure(t, err, c.kind, c.says)
		})
	}
}

// TestBigFrames reads a frame that exceeds every buffer.
func TestBigFrames(t *testing.T) {
	long := strings.Repeat("grüße ", 200_000)
	got, err := answer(t, text(0, long), text(0, "x"), call(1, "t", "write"), args(1, long), closed(1), stop("tool_use"), figures())
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "open", "text "+long, "text x", "call 0 t write", "arguments 0 "+long, "usage 40 20 60 7 0", "finish tool_calls")
}

// TestConnectionIsUsedAgain holds that a finished answer gives its connection back.
func TestConnectionIsUsedAgain(t *testing.T) {
	remote := map[string]bool{}
	body := bytes.Join([][]byte{text(0, "a"), stop("end_turn"), figures()}, nil)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		remote[r.RemoteAddr] = true // one after the other
		w.Header().Set("Content-Type", eventType)
		w.(http.Flusher).Flush()
		_, _ = w.Write(body)
	})
	c := newClient(t, s.url)
	for range 3 {
		if _, err := collect(t, c, hello()); err != nil {
			t.Fatal(err)
		}
	}
	if len(remote) != 1 {
		t.Errorf("%d connections", len(remote))
	}
}

// TestCancelledBeforehand ends a request before it is one.
func TestCancelledBeforehand(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := newClient(t, "").Stream(ctx, hello()); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestGrace takes an answer whose figures do not come.
func TestGrace(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", eventType)
		_, _ = w.Write(append(text(0, "a"), stop("end_turn")...))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	begun := time.Now()
	got, err := collect(t, newClient(t, s.url), hello())
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "open", "text a", "finish stop")
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
