package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// read decodes a body to its end without a server.
func read(c *Client, body string) (deltas []providers.Delta, err error) {
	req := &http.Request{URL: &url.URL{Scheme: "http", Host: "host.test"}, Header: http.Header{}}
	s := c.stream(context.Background(), "m-1", notes{}, &http.Response{Header: http.Header{}, Request: req, Body: io.NopCloser(strings.NewReader(body))})
	for {
		d, err := s.Next()
		if err != nil {
			return deltas, err
		}
		if d.Kind != providers.DeltaOpen {
			deltas = append(deltas, d)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add(stop())
	f.Add(sse(append(say(0, "hi"), begin(1, `{"type":"tool_use","id":"t","name":"f","input":{"a":1}}`), end(1), reason("refusal"), over)...))
	f.Add(sse(begin(0, `{"type":"thinking"}`), grow(0, `{"type":"signature_delta","signature":"s"}`), over))
	f.Add(`{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`)
	f.Add(`{"stop_reason":"end_turn"}`)
	f.Add("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"\\ud800\"}  }  \n\n")
	f.Add("\ufeffevent: error\ndata: x\n\n")
	c, err := New(Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "acme"}, Transport: transport.New(transport.Options{})}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		deltas, err := read(c, body)
		finished := false
		calls := 0
		for _, d := range deltas {
			switch d.Kind {
			case providers.DeltaFinish:
				finished = true
			case providers.DeltaCall:
				if d.Index != calls {
					t.Fatalf("call %d opens as number %d", calls, d.Index)
				}
				calls++
			case providers.DeltaArguments:
				if d.Index >= calls {
					t.Fatalf("arguments of call %d of %d", d.Index, calls)
				}
			}
		}
		if complete := errors.Is(err, io.EOF); complete != finished {
			t.Fatalf("finished is %t, but the end is %v", finished, err)
		}
		if finished && !strings.Contains(body, "message") && !strings.Contains(body, `\u`) {
			t.Fatalf("an answer without an end marker is complete: %q", body)
		}
		var e *providers.Error
		if !finished && (!errors.As(err, &e) || e.Message == "") {
			t.Fatalf("got %v", err)
		}
	})
}

// FuzzGrown compares the short way to read an event with the long one.
func FuzzGrown(f *testing.F) {
	for _, s := range []string{
		grow(0, `{"type":"text_delta","text":"a\nb"}`), grow(12, `{"type":"thinking_delta","thinking":"ä"} `), grow(3, `{"type":"input_json_delta","partial_json":"{\"a\""}`),
		grow(0, `{"type":"text_delta","text":"a","text":"b"}`), grow(0, `{"type":"text_delta","text":"a"}}`), grow(0, `{"type":"text_delta","text":""}`),
		grow(0, `{"type":"text_delta","text":"\ud83d"}`), "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"\xff\"}}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		g, ok := grown([]byte(raw))
		if !ok {
			return
		}
		var short, long decoder
		got, err := short.grow(g, nil)
		if err != nil {
			return // the block is not open, which the long way says too
		}
		var e event
		if err := json.Unmarshal([]byte(raw), &e); err != nil {
			t.Fatalf("%q is no event: %v", raw, err)
		}
		want, err := long.take(&e, []byte(raw), nil)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%q: got %+v, want %+v, %v", raw, got, want, err)
		}
		for i := range got {
			if show(got[i]) != show(want[i]) {
				t.Fatalf("%q: got %s, want %s", raw, show(got[i]), show(want[i]))
			}
		}
	})
}
