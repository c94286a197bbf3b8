package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// TestProtocolsAnswer has a service of each protocol answer the program by its settings.
func TestProtocolsAnswer(t *testing.T) {
	for name, in := range dialects {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.env["AWS_REGION"] = "eu-west-1"
			b.settings(fmt.Sprintf("model: {provider: mine, default: a-model}\nproviders:\n"+
				"  mine: {base_url: %s, api_key: a-key-of-the-user, protocol: %s}\n", in.serve(t), name))
			if o := b.exec("hello"); o.code != exitOK || o.out != "Finis.\n" {
				t.Error(o)
			}
		})
	}
}

// dialect is how a protocol writes an answer.
type dialect struct {
	media string
	frame func(kind, body string) []byte
	text  [][2]string
}

// serve answers every request with the text.
func (in dialect) serve(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", in.media)
		for _, e := range in.text {
			_, _ = w.Write(in.frame(e[0], e[1])) // fails when the program has left
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// events writes events as text.
func events(kind, body string) []byte { return []byte("event: " + kind + "\ndata: " + body + "\n\n") }

// frames writes events as Amazon does.
func frames(kind, body string) []byte {
	var out bytes.Buffer
	m := eventstream.Message{Payload: []byte(body)}
	for name, value := range map[string]string{":message-type": "event", ":event-type": kind, ":content-type": "application/json"} {
		m.Headers.Set(name, eventstream.StringValue(value))
	}
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		panic(err)
	}
	return out.Bytes()
}

var dialects = map[string]dialect{
	"anthropic": {"text/event-stream", events, [][2]string{
		{"message_start", `{"type":"message_start","message":{"id":"m2","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":1}}}`},
		{"content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`},
		{"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Finis."}}`},
		{"content_block_stop", `{"type":"content_block_stop","index":0}`},
		{"message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`},
		{"message_stop", `{"type":"message_stop"}`},
	}},
	"responses": {"text/event-stream", events, [][2]string{
		{"response.created", `{"type":"response.created","response":{"id":"r2","status":"in_progress"}}`},
		{"response.output_item.added", `{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i1","role":"assistant","content":[]}}`},
		{"response.output_text.delta", `{"type":"response.output_text.delta","item_id":"i1","output_index":0,"content_index":0,"delta":"Finis."}`},
		{"response.output_item.done", `{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"i1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Finis."}]}}`},
		{"response.completed", `{"type":"response.completed","response":{"id":"r2","status":"completed","usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":80},"output_tokens":7}}}`},
	}},
	"bedrock": {"application/vnd.amazon.eventstream", frames, [][2]string{
		{"messageStart", `{"role":"assistant"}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Finis."}}`},
		{"contentBlockStop", `{"contentBlockIndex":0}`},
		{"messageStop", `{"stopReason":"end_turn"}`},
		{"metadata", `{"usage":{"inputTokens":20,"outputTokens":7,"totalTokens":107,"cacheReadInputTokens":80}}`},
	}},
}
