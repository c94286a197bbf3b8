package bedrock

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// FuzzStream reads any bytes as an answer: it always ends, never panics, and is
// complete only with its end marker.
func FuzzStream(f *testing.F) {
	whole := bytes.Join([][]byte{
		begin(), think(0, "hm"), sign(0, "c2ln"), closed(0), redacted(1, "x"), closed(1), text(2, "a"), closed(2), call(3, "t1", "now"), args(3, `{"a":1}`),
		closed(3), stop("tool_use"), figures(),
	}, nil)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(append(text(0, "a"), exception("throttlingException", `{"message":"m"}`)...))
	f.Add([]byte("<title>x</title>"))
	f.Add([]byte("\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48\xeb\x7d\x98\xc8\xff"))
	f.Fuzz(func(t *testing.T, body []byte) {
		checkStream(t, body, bytes.Contains(body, []byte("messageStop")))
	})
}

// FuzzFrames reads frames along with the SDK's reader: both see the same.
func FuzzFrames(f *testing.F) {
	f.Add(append(text(0, "a"), stop("end_turn")...))
	f.Add(exception("throttlingException", `{"message":"m"}`)[:40])
	f.Add(rawFrame("x", ":error-message", "m", "other", ""))
	var m eventstream.Message
	m.Headers.Set("a", eventstream.BoolValue(true))
	m.Headers.Set("b", eventstream.Int16Value(1))
	m.Headers.Set("c", eventstream.BytesValue("xyz"))
	m.Headers.Set("d", eventstream.UUIDValue{1})
	m.Headers.Set("e", eventstream.TimestampValue(time.Unix(1, 0)))
	m.Headers.Set(":event-type", eventstream.StringValue("late"))
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, body []byte) {
		ours, theirs := newFrames(bytes.NewReader(body)), bytes.NewReader(body)
		for {
			got, err := ours.next()
			want, theirErr := eventstream.NewDecoder().Decode(theirs, nil)
			if (err == nil) != (theirErr == nil) {
				t.Fatalf("our error %v, theirs %v", err, theirErr)
			}
			if err != nil {
				return
			}
			name := ""
			for _, h := range want.Headers {
				switch v, isText := h.Value.Get().(string); h.Name {
				case ":event-type", ":exception-type", ":error-code":
					if isText {
						name = v
					}
				}
			}
			if got.name != name || !bytes.Equal(got.payload, want.Payload) {
				t.Fatalf("got %+v, want %s %s", got, name, want.Payload)
			}
		}
	})
}

// FuzzEvents reads any payloads as events whose frames are right.
func FuzzEvents(f *testing.F) {
	f.Add("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"a"}}`, "messageStop", `{"stopReason":"end_turn"}`)
	f.Add("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"n"}}}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{"}}}`)
	f.Add("contentBlockDelta", `{"contentBlockIndex":-1,"delta":{"reasoningContent":{"redactedContent":"YQ=="}}}`, "contentBlockStop", `{"contentBlockIndex":-1}`)
	f.Add("metadata", `{"usage":{"inputTokens":1e9}}`, "", "null")
	f.Fuzz(func(t *testing.T, name, payload, second, more string) {
		if len(name) > 255 || len(second) > 255 {
			t.Skip("SKIPPED: no frame has such a name")
		}
		checkStream(t, append(ev(name, payload), ev(second, more)...), name == "messageStop" || second == "messageStop")
	})
}

// checkStream reads a body as an answer. It may be complete only where it may have an
// end marker.
func checkStream(t *testing.T, body []byte, mayEnd bool) {
	t.Helper()
	resp := &http.Response{
		Body:    io.NopCloser(bytes.NewReader(body)),
		Request: &http.Request{URL: &url.URL{Scheme: "http", Host: "h", Path: "/p"}},
	}
	s := (&Client{config: Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "p"}}}, grace: transport.FinishGrace}).stream(context.Background(), "m", "", resp)
	defer s.Close()
	calls, finished := 0, false
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			if !finished || !mayEnd {
				t.Fatal("an answer without its end marker is complete")
			}
			return
		}
		var e *providers.Error
		if err != nil {
			if !errors.As(err, &e) || e.Message == "" || e.Endpoint == "" {
				t.Fatalf("error %v", err)
			}
			return
		}
		switch d.Kind {
		case providers.DeltaCall:
			if d.Index != calls {
				t.Fatalf("call %d opens as %d", calls, d.Index)
			}
			calls++
		case providers.DeltaArguments:
			if d.Index < 0 || d.Index >= calls {
				t.Fatalf("arguments of call %d of %d", d.Index, calls)
			}
		case providers.DeltaFinish:
			finished = true
		}
	}
}
