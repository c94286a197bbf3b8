package agent_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/anthropic"
	"hermes-tui/providers/transport"
)

// binder is a service that signs thoughts with what was said before them, and refuses
// those before which something else is said now.
type binder struct {
	mu       sync.Mutex
	requests int
	refused  []string
	thoughts int // in the newest request
	blind    bool
}

func (b *binder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	raw, err := io.ReadAll(r.Body)
	var body struct {
		System, Tools json.RawMessage
		Messages      []struct {
			Role    string
			Content []map[string]json.RawMessage
		}
	}
	if err != nil || json.Unmarshal(raw, &body) != nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	b.requests++
	b.thoughts = 0
	sum := sha256.New()
	now := func() string { return hex.EncodeToString(sum.Sum(nil)) }
	plain := func(raw json.RawMessage) []byte {
		return bytes.ReplaceAll(raw, []byte(`,"cache_control":{"type":"ephemeral"}`), nil)
	}
	sum.Write(plain(body.System))
	sum.Write(plain(body.Tools))
	for i, m := range body.Messages {
		before := now()
		for _, block := range m.Content {
			delete(block, "cache_control")
			if string(block["type"]) == `"thinking"` {
				b.thoughts++
				if got := strings.Trim(string(block["signature"]), `"`); got != before || b.blind {
					b.refused = append(b.refused, fmt.Sprint("request ", b.requests, " message ", i))
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.%d.content.0: Invalid %ssignature%s in %sthinking%s block. The block is bound to a different conversation."}}`, i, "`", "`", "`", "`")
					return
				}
			}
		}
		rest, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		sum.Write(rest)
	}
	thinkAloud(w, now(), b.requests)
}

// thinkAloud answers with a thought and a text.
func thinkAloud(w http.ResponseWriter, signature string, n int) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range [][2]string{
		{"message_start", `"message":{"id":"m","type":"message","role":"assistant","content":[],"model":"model","usage":{"input_tokens":1,"output_tokens":1}}`},
		{"content_block_start", `"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`},
		{"content_block_delta", `"index":0,"delta":{"type":"thinking_delta","thinking":"So <it> is."}`},
		{"content_block_delta", `"index":0,"delta":{"type":"signature_delta","signature":"` + signature + `"}`}, {"content_block_stop", `"index":0`},
		{"content_block_start", `"index":1,"content_block":{"type":"text","text":""}`},
		{"content_block_delta", fmt.Sprintf(`"index":1,"delta":{"type":"text_delta","text":"Answer %d.%s"}`, n, strings.Repeat(" And more of it.", 60))},
		{"content_block_stop", `"index":1`},
		{"message_delta", `"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}`}, {"message_stop", `"x":0`},
	} {
		fmt.Fprintf(w, "event: %s\ndata: {\"type\":\"%s\",%s}\n\n", e[0], e[0], e[1])
	}
}

// boundTo starts a conversation with a model whose thoughts are bound.
func boundTo(t *testing.T, service http.Handler, name string, opts ...option) *rig {
	t.Helper()
	srv := httptest.NewServer(service)
	t.Cleanup(srv.Close)
	tr := transport.New(transport.Options{Version: "test"})
	t.Cleanup(tr.CloseIdle)
	client, err := anthropic.New(anthropic.Config{Service: transport.Service{
		Endpoint: providers.Endpoint{Provider: "anthropic", BaseURL: srv.URL, Key: "k"}, Transport: tr,
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: t.TempDir(), ids: event.SystemSource()}
	r.openStore()
	return converse(t, r, srv.URL, append([]option{withMode(event.ModeOff), compressing(1_000_000), func(cfg *agent.Config) {
		cfg.Runtime.Client = client
		cfg.Runtime.Model.Name, cfg.Runtime.Model.Provider = name, "anthropic"
	}}, opts...)...)
}

// Thoughts before which the program changed something itself are not sent, so that
// nothing is refused, and those behind it are.
func TestThoughtsBoundToWhatWasBefore(t *testing.T) {
	for _, model := range []string{"claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5-5"} {
		t.Run(model, func(t *testing.T) {
			b := &binder{}
			r := boundTo(t, b, model)
			turns := 0
			steps := func(n int) {
				for range n {
					turns++
					r.submit(fmt.Sprintf("step %d", turns))
					r.idle(turns)
				}
			}
			steps(16)
			if b.requests != 16 || b.thoughts != 15 {
				t.Fatalf("%d requests, %d thoughts in the last one, of 16 steps: %v", b.requests, b.thoughts, b.refused)
			}
			steps(6)
			if changed, err := r.conv.Compress(t.Context(), ""); err != nil || !changed {
				t.Fatalf("compressed %v, %v", changed, err)
			}
			before := b.requests
			steps(6)
			if made := b.requests - before; made != 6 || len(b.refused) > 0 {
				t.Errorf("6 steps behind a compression made %d requests; refused: %v", made, b.refused)
			}
			if b.thoughts != 5 {
				t.Errorf("%d thoughts are sent, of 5 behind the compression", b.thoughts)
			}
			before = b.requests
			if err := r.conv.Drop(t.Context(), r.piece(api.PieceTurn, "step 24").ID); err != nil {
				t.Fatal(err)
			}
			steps(3)
			if _, err := r.conv.Uncompress(t.Context()); err != nil {
				t.Fatal(err)
			}
			steps(3)
			if made := b.requests - before; made != 6 || len(b.refused) > 0 {
				t.Errorf("6 steps behind a dropped turn and a compression taken back made %d requests; refused: %v", made, b.refused)
			}
		})
	}
}

// TestRefusedThoughtsAreRemembered holds that a refusal is not repeated in a session.
func TestRefusedThoughtsAreRemembered(t *testing.T) {
	b := &binder{}
	r := boundTo(t, b, "claude-opus-4-8") // which is not known to be so strict
	for n := range 4 {
		r.submit("go on")
		r.idle(n + 1)
	}
	b.blind = true
	r.submit("now")
	r.idle(5)
	b.blind = false
	for n := range 4 {
		r.submit("go on")
		r.idle(n + 6)
	}
	if len(b.refused) != 1 || b.requests != 10 || b.thoughts != 4 {
		t.Errorf("%d requests of 9 steps, refused %v; %d thoughts in the last", b.requests, b.refused, b.thoughts)
	}
}

// A service that refuses an effort is asked for the nearest that it takes, which is said
// once.
func TestRefusedEffort(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Output struct {
				Effort string `json:"effort"`
			} `json:"output_config"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		asked = append(asked, body.Output.Effort)
		mu.Unlock()
		if body.Output.Effort == "max" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config.effort: 'max' is not supported; supported values: low, medium, high"}}`)
			return
		}
		thinkAloud(w, "s", 1)
	}))
	defer srv.Close()
	r := boundTo(t, srv.Config.Handler, "claude-opus-4-8", func(cfg *agent.Config) { cfg.Runtime.Model.Effort = "max" })
	for n := range 3 {
		r.submit("go on")
		r.idle(n + 1)
	}
	if got := strings.Join(asked, " "); got != "max high high high" {
		t.Errorf("asked for %s", got)
	}
	said := 0
	for _, e := range r.log {
		if n, ok := e.(*event.NoticeRaised); ok && strings.Contains(n.Text, "refuses the reasoning effort max, so it is asked for high") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}
