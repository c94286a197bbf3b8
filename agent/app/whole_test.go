package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// wholes are answers in one piece, in the protocols that have them.
var wholes = map[string]string{
	"chat": `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"All noted."},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":100,"completion_tokens":7}}`,
	"anthropic": `{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"All noted."}],"stop_reason":"end_turn",` +
		`"usage":{"input_tokens":100,"output_tokens":7}}`,
	"bedrock": `{"output":{"message":{"role":"assistant","content":[{"text":"All noted."}]}},"stopReason":"end_turn",` +
		`"usage":{"inputTokens":100,"outputTokens":7,"totalTokens":107}}`,
	"responses": `{"id":"r","object":"response","status":"completed","output":[{"type":"message","id":"i","role":"assistant","status":"completed",` +
		`"content":[{"type":"output_text","text":"All noted.","annotations":[]}]}],"usage":{"input_tokens":100,"output_tokens":7}}`,
}

// TestServiceThatDoesNotStream asks a service that refuses to stream for answers in
// one piece, and does not ask it for a stream again.
func TestServiceThatDoesNotStream(t *testing.T) {
	for name, answer := range wholes {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var asked []bool // whether a stream was asked for
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				raw, err := io.ReadAll(r.Body)
				if err != nil || !strings.Contains(r.URL.Path, strings.TrimSuffix(tongues[name].path, "-stream")) {
					http.Error(w, "there is nothing at "+r.URL.Path, http.StatusNotFound)
					return
				}
				var body struct {
					Stream  bool
					Options json.RawMessage `json:"stream_options"`
				}
				if err := json.Unmarshal(raw, &body); err != nil || !body.Stream && body.Options != nil {
					t.Errorf("%v: %s", err, raw)
				}
				if name == "bedrock" { // whose path says it
					body.Stream = strings.HasSuffix(r.URL.Path, "-stream")
				}
				mu.Lock()
				asked = append(asked, body.Stream)
				mu.Unlock()
				w.Header().Set("Content-Type", "application/json")
				if body.Stream {
					if name == "bedrock" {
						w.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
						w.WriteHeader(http.StatusForbidden)
						fmt.Fprint(w, `{"message":"User is not authorized to perform: bedrock:InvokeModelWithResponseStream"}`)
						return
					}
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprint(w, `{"error":{"type":"invalid_request_error","message":"streaming is not supported for this model"}}`)
					return
				}
				fmt.Fprint(w, answer)
			}))
			t.Cleanup(s.Close)
			b := newBox(t)
			b.env["AWS_REGION"] = "eu-west-1"
			b.config(fmt.Sprintf("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: mine, default: a-model}\n"+
				"providers:\n  mine: {base_url: %s, api_key: a-key, protocol: %s}\n", s.URL, name))
			_, conv := b.begin()
			say(t, conv, "note it")
			blocks := conv.State().Root().Blocks
			if last := blocks[len(blocks)-1]; last.Text.String() != "All noted." {
				t.Errorf("it says %q", last.Text.String())
			}
			if u := conv.State().Root().Usage; u.Output != 7 || u.Prompt() != 100 {
				t.Errorf("it used %+v", u)
			}
			say(t, conv, "once more")
			mu.Lock()
			defer mu.Unlock()
			if fmt.Sprint(asked) != "[true false false]" {
				t.Errorf("asked for streams: %v", asked)
			}
		})
	}
}
