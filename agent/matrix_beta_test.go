package agent_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/anthropic"
	"hermes-tui/providers/transport"
)

// TestFaultMatrixOfTheBeta plays a service of Anthropic's protocol that asks for a beta for
// long contexts, and refuses it to this account: it is asked at once without, and so is it
// from then on. Where that is refused as well, the turn ends and says why. It is asked
// through a proxy on loopback, as who speaks to the host of such a service.
func TestFaultMatrixOfTheBeta(t *testing.T) {
	t.Parallel()
	for _, tool := range []bool{false, true} {
		for _, always := range []bool{false, true} {
			t.Run(fmt.Sprintf("behind a tool %v, refused without it %v", tool, always), func(t *testing.T) {
				t.Parallel()
				playBeta(t, tool, always)
			})
		}
	}
}

func playBeta(t *testing.T, tool, always bool) {
	var asked []string // per request: with or without the beta
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/anthropic/v1/messages" {
			t.Errorf("%s: %v", r.URL, err)
		}
		again := strings.Contains(string(body), "again")
		beta := strings.Contains(r.Header.Get("Anthropic-Beta"), "context-1m-")
		asked = append(asked, map[bool]string{true: "with", false: "without"}[beta])
		switch {
		case tool && !strings.Contains(string(body), `"tool_result"`):
			blockOf(w, `{"type":"tool_use","id":"w0","name":"terminal","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"command\":\"echo ran >> proof\"}"}`, "tool_use")
		case beta, always && !again:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"type":"error","error":{"type":"invalid_request_error","message":"The long context beta is not yet available for this subscription."}}`)
		default:
			blockOf(w, `{"type":"text","text":""}`, `{"type":"text_delta","text":"All done."}`, "end_turn")
		}
	}))
	defer service.Close()
	tr := transport.New(transport.Options{Version: "test", Env: func(key string) string {
		if key == "HTTP_PROXY" {
			return service.URL
		}
		return ""
	}})
	defer tr.CloseIdle()
	client, err := anthropic.New(anthropic.Config{Service: transport.Service{
		Endpoint: providers.Endpoint{Provider: "azure", BaseURL: "http://me.services.ai.azure.com/anthropic", Key: "k"}, Transport: tr,
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: t.TempDir(), ids: event.SystemSource()}
	r.openStore()
	r = converse(t, r, service.URL, withMode(event.ModeOff), withBudget(6), func(cfg *agent.Config) { cfg.Runtime.Client = client })

	r.submit("go")
	r.idle(1)
	want := "with without"
	if tool {
		want = "with " + want
	}
	if f := r.last(); always {
		if f.Outcome != event.TurnFailed || f.Reason != "oauth_long_context_beta_forbidden" || checkSentence(f.Explain) != nil || !strings.Contains(f.Explain, "/compress") {
			t.Errorf("the turn ended %+v", f)
		}
	} else if f.Outcome != event.TurnCompleted || f.Explain != "" {
		t.Errorf("the turn ended %+v", f)
	}
	r.submit("again")
	r.idle(2)
	if f := r.last(); f.Outcome != event.TurnCompleted || f.Explain != "" {
		t.Errorf("the next turn ended %+v", f)
	}
	r.wants("user again", "answer All done.")
	if got := strings.Join(asked, " "); got != want+" without" {
		t.Errorf("asked %s the beta, want %s and once more without", got, want)
	}
	if err := checkRows(r.messages()); err != nil {
		t.Error("stored history is not valid:", err)
	}
	if text, err := os.ReadFile(filepath.Join(r.work, "proof")); string(text) != map[bool]string{true: "ran\n"}[tool] || tool != (err == nil) {
		t.Errorf("the tool left %q, %v", text, err)
	}
}

// blockOf answers with one block of content and the reason why it ends.
func blockOf(w http.ResponseWriter, begin, delta, stop string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range [][2]string{
		{"message_start", `"message":{"id":"m","type":"message","role":"assistant","content":[],"model":"model","usage":{"input_tokens":1,"output_tokens":1}}`},
		{"content_block_start", `"index":0,"content_block":` + begin}, {"content_block_delta", `"index":0,"delta":` + delta}, {"content_block_stop", `"index":0`},
		{"message_delta", `"delta":{"stop_reason":"` + stop + `"},"usage":{"output_tokens":2}`}, {"message_stop", `"x":0`},
	} {
		fmt.Fprintf(w, "event: %s\ndata: {\"type\":\"%s\",%s}\n\n", e[0], e[0], e[1])
	}
}
