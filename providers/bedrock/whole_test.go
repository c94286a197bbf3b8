package bedrock

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// TestWholeAnswers asks for answers in one piece where streams are not wanted, with a
// signature for that address.
func TestWholeAnswers(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"output":{"message":{"role":"assistant","content":[`+
			`{"reasoningContent":{"reasoningText":{"text":"hm","signature":"c2ln"}}},{"text":"I look."},`+
			`{"toolUse":{"toolUseId":"c1","name":"read_file","input":{"path":"a"}}}]}},"stopReason":"tool_use",`+
			`"usage":{"inputTokens":9,"outputTokens":7,"totalTokens":16}}`)
	})
	c := newClient(t, s.url+"?v=2", func(c *Config) { c.Guardrail = Guardrail{ID: "gr-1", Version: "DRAFT", Mode: "sync"} })
	var got []string
	deltas, err := readAll(t, c, providers.Request{Model: "anthropic.claude-opus-4-7-v1:0", Whole: true, Messages: []providers.Message{user("hi")}})
	for _, d := range deltas {
		if d.Kind != providers.DeltaItem {
			got = append(got, show(d))
		}
	}
	if err != nil || deltas[len(deltas)-1].Kind != providers.DeltaFinish || deltas[len(deltas)-1].Finish != providers.FinishToolCalls {
		t.Fatalf("%v, %v", got, err)
	}
	text := strings.Join(got, " · ")
	for _, want := range []string{"hm", "I look.", "read_file", `{"path":"a"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	asked := s.all()[0]
	if !strings.HasSuffix(asked.path, "/converse?v=2") || !strings.HasPrefix(asked.header.Get("Authorization"), "AWS4-HMAC-SHA256") || strings.Contains(asked.body, "streamProcessingMode") {
		t.Errorf("asked %s %v %s", asked.path, asked.header, asked.body)
	}
}
