package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"hermes-tui/agent/event"
)

// exception is an error in the middle of an answer as Amazon writes it.
func exception(kind, body string) []byte {
	var out bytes.Buffer
	m := eventstream.Message{Payload: []byte(body)}
	for name, value := range map[string]string{":message-type": "exception", ":exception-type": kind, ":content-type": "application/json"} {
		m.Headers.Set(name, eventstream.StringValue(value))
	}
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// throttled are answers in each of the protocols that are throttled in the middle.
var throttled = map[string]struct {
	begin         [][2]string // an answer that has said "All "
	fail          []byte
	reason, final string
	least         time.Duration
}{
	"chat": {
		[][2]string{{"", `{"choices":[{"index":0,"delta":{"content":"All "}}]}`}},
		events("", `{"error":{"message":"Rate limit reached. Please try again in 9s.","type":"rate_limit_error"}}`),
		"rate limit", "limits the rate", 9 * time.Second,
	},
	"anthropic": {
		[][2]string{
			{"message_start", `{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":9,"output_tokens":1}}}`},
			{"content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`},
			{"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"All "}}`},
		},
		events("error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
		"overloaded", "is overloaded", 2 * time.Second,
	},
	"responses": {
		[][2]string{
			{"response.created", `{"type":"response.created","response":{"id":"r1","status":"in_progress"}}`},
			{"response.output_item.added", `{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i1","role":"assistant","content":[]}}`},
			{"response.output_text.delta", `{"type":"response.output_text.delta","item_id":"i1","output_index":0,"content_index":0,"delta":"All "}`},
		},
		events("response.failed", `{"type":"response.failed","response":{"id":"r1","status":"failed","error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}}`),
		"rate limit", "limits the rate", 2 * time.Second,
	},
	"bedrock": {
		[][2]string{{"messageStart", `{"role":"assistant"}`}, {"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"All "}}`}},
		exception("throttlingException", `{"message":"Too many requests, please wait before trying again."}`),
		"rate limit", "limits the rate", 2 * time.Second,
	},
}

// TestThrottledInTheMiddle waits as long for a service that throttles in the middle of
// an answer as for one that does so at once, goes on with the text that had arrived,
// and says in the end what it was.
func TestThrottledInTheMiddle(t *testing.T) {
	for name, c := range throttled {
		for _, stays := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stays %v", name, stays), func(t *testing.T) {
				in := tongues[name]
				var mu sync.Mutex
				var bodies []string
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, err := io.ReadAll(r.Body)
					if err != nil || !strings.Contains(r.URL.Path, in.path) {
						http.Error(w, "there is nothing at "+r.URL.Path, http.StatusNotFound)
						return
					}
					mu.Lock()
					bodies = append(bodies, string(body))
					fails := stays || len(bodies) == 1
					mu.Unlock()
					w.Header().Set("Content-Type", "text/event-stream")
					if name == "bedrock" {
						w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
					}
					answer := in.text
					if fails {
						answer = c.begin
					}
					for _, e := range answer {
						body := e[1]
						if !fails {
							body = strings.ReplaceAll(body, "All noted.", "noted.")
						}
						w.Write(in.frame(e[0], body))
					}
					if fails {
						w.Write(c.fail)
					}
				}))
				t.Cleanup(s.Close)
				b := newBox(t)
				b.env["AWS_REGION"] = "eu-west-1"
				b.config(fmt.Sprintf("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: mine, default: a-model}\n"+
					"providers:\n  mine: {base_url: %s, api_key: a-key, protocol: %s}\n", s.URL, name))
				_, conv := b.begin()
				end, waits := hurried(t, conv, "note it")
				mu.Lock()
				defer mu.Unlock()
				wantWaits, wantText := 1, "All noted."
				if stays {
					wantWaits, wantText = 2, "All All All"
				}
				if len(waits) != wantWaits || len(bodies) != wantWaits+1 {
					t.Fatalf("%d waits and %d requests", len(waits), len(bodies))
				}
				for i, w := range waits {
					if in := w.Until.Sub(w.At).Round(100 * time.Millisecond); w.Reason != c.reason || in < c.least || w.Attempt != i+2 || w.Max != 3 {
						t.Errorf("wait %d is %v: %+v", i, in, w)
					}
				}
				if !strings.Contains(bodies[1], "All ") {
					t.Errorf("the text that had arrived is not in the second request: %s", bodies[1])
				}
				if stays != (end.Outcome == event.TurnFailed) || stays && !strings.Contains(end.Explain, c.final) {
					t.Errorf("the turn ended %+v", end)
				}
				blocks := conv.State().Root().Blocks
				var said []string
				for _, x := range blocks {
					if x.Kind == event.BlockAnswer {
						said = append(said, x.Text.String())
					}
				}
				if len(said) != 1 || said[0] != wantText {
					t.Errorf("it says %q", said)
				}
			})
		}
	}
}

// hurried has a turn in which no wait is waited out, and gives its end and the waits.
func hurried(t *testing.T, c Conversation, text string) (end *event.TurnFinished, waits []*event.RetryScheduled) {
	t.Helper()
	if _, err := c.Submit(text); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		all, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			switch e := e.(type) {
			case *event.RetryScheduled:
				waits = append(waits, e)
				c.Hurry(c.State().Root().ID)
			case *event.TurnFinished:
				return e, waits
			}
		}
	}
}
