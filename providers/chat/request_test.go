package chat

import (
	"bytes"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// sends checks the exact body that a request becomes. The wanted JSON may be
// laid out freely; the order of keys counts.
func sends(t *testing.T, c *Client, s *server, r providers.Request, want string) {
	t.Helper()
	if _, err := collect(t, c, r); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatal(err)
	}
	if got := s.asked().body; got != compact.String() {
		t.Errorf("got\n%s\nwant\n%s", got, compact.String())
	}
}

func okServer(t *testing.T) *server {
	t.Helper()
	return serve(t, func(c net.Conn) { write(c, sseHead, sse(finish("stop"), "[DONE]")) })
}

// history holds every kind of message.
func history() []providers.Message {
	return []providers.Message{
		{ID: "m1", Role: providers.User, Parts: []providers.Part{{Text: "fix "}, {Text: "<it>"}}},
		{
			ID: "m2", Role: providers.Assistant, Reasoning: "I look first", Finish: providers.FinishToolCalls,
			Calls: []providers.Call{
				{ID: "k1", WireID: "call_a", Name: "read_file", Arguments: `{"path":"a"}`, Extra: json.RawMessage(`{"google":{"thought_signature":"s"}}`)},
				{ID: "k2", WireID: "call_a", Name: "terminal"},
				{ID: "k3", Name: "terminal", Arguments: `{"command":"ls"}`},
			},
			Native: []providers.Item{
				{Issuer: "acme", Model: "m-1", Kind: "reasoning_content", Raw: json.RawMessage(`"I look first"`)},
				{Issuer: "acme", Model: "m-1", Kind: "reasoning_details", Raw: json.RawMessage(`[{"type":"reasoning.encrypted","data":"x"}]`)},
				{Issuer: "acme", Model: "m-1", Kind: "unknown", Raw: json.RawMessage(`1`)},
			},
		},
		{ID: "m3", Role: providers.Tool, CallID: "k1", CallName: "read_file", Parts: providers.TextParts("text")},
		{ID: "m4", Role: providers.Tool, CallID: "k2", CallName: "terminal"},
		{ID: "m5", Role: providers.Tool, CallID: "k3", CallName: "terminal", Parts: providers.TextParts("é")},
		{
			ID: "m6", Role: providers.Assistant, Parts: providers.TextParts("done"),
			Native: []providers.Item{{Issuer: "other", Model: "m-1", Kind: "reasoning_content", Raw: json.RawMessage(`"secret of another"`)}},
		},
		{ID: "m7", Role: providers.User, Parts: providers.TextParts("thanks")},
		{ID: "m8", Role: providers.Assistant, Finish: providers.FinishInterrupted},
		{ID: "m9", Role: providers.User},
	}
}

const wireHistory = `
	{"role":"system","content":"be kind"},
	{"role":"user","content":"fix <it>"},
	{"role":"assistant","content":null,"tool_calls":[
		{"id":"call_a","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},
		{"id":"k2","type":"function","function":{"name":"terminal","arguments":"{}"}},
		{"id":"k3","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}
	],"reasoning_content":"I look first","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]},
	{"role":"tool","content":"text","tool_call_id":"call_a"},
	{"role":"tool","content":"","tool_call_id":"k2"},
	{"role":"tool","content":"é","tool_call_id":"k3"},
	{"role":"assistant","content":"done"},
	{"role":"user","content":"thanks"},
	{"role":"assistant","content":""},
	{"role":"user","content":""}`

func TestRequest(t *testing.T) {
	s := okServer(t)
	sends(t, newClient(t, s.url), s, providers.Request{
		Model: "m-1", System: "be kind", Messages: history(), MaxOutput: 4096, Effort: "high", Session: "s1",
		Tools: []providers.ToolDef{
			{Name: "now", Description: "The time."},
			{Name: "read_file", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"maximum":12345678901234567890}},"required":["path"]}`)},
		},
	}, `{
		"max_tokens":4096,
		"messages":[`+wireHistory+`],
		"model":"m-1",
		"reasoning_effort":"high",
		"stream":true,
		"stream_options":{"include_usage":true},
		"tools":[
			{"function":{"name":"now","description":"The time.","parameters":{"type":"object","properties":{}}},"type":"function"},
			{"function":{"name":"read_file","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"},"limit":{"maximum":12345678901234567890}},"required":["path"]}},"type":"function"}
		]}`)
	got := s.asked()
	for key, want := range map[string]string{
		"Authorization": "Bearer sk-secret-0123456789", "Accept": "text/event-stream",
		"Content-Type": "application/json", "User-Agent": "hermes-tui/test",
	} {
		if got.header.Get(key) != want {
			t.Errorf("%s: got %q, want %q", key, got.header.Get(key), want)
		}
	}
	if got.path != "/v1/chat/completions" {
		t.Errorf("path %q", got.path)
	}
}

func TestSmallRequest(t *testing.T) {
	s := okServer(t)
	sends(t, newClient(t, s.url), s, hello(),
		`{"messages":[{"role":"user","content":"hi"}],"model":"m-1","stream":true,"stream_options":{"include_usage":true}}`)
}

// What the library's own checks refuse, or would, goes through.
func TestModelsThatTheLibraryJudges(t *testing.T) {
	s := okServer(t)
	for _, model := range []string{"gpt-6-sol", "gpt-5", "o1-mini", "text-davinci-003", "gpt-3.5-turbo-instruct", ""} {
		r := hello()
		r.Model, r.MaxOutput, r.Effort = model, 10, "minimal"
		r.Tools = []providers.ToolDef{{Name: "f"}}
		if _, err := collect(t, newClient(t, s.url), r); err != nil {
			t.Errorf("%s: %v", model, err)
		}
		var body struct {
			Model string `json:"model"`
			Max   int    `json:"max_tokens"`
			Newer int    `json:"max_completion_tokens"`
		}
		if err := json.Unmarshal([]byte(s.asked().body), &body); err != nil || body.Model != model || body.Max+body.Newer != 10 {
			t.Errorf("got %+v, %v", body, err)
		}
	}
}

func TestExtraOfGemini(t *testing.T) {
	c := newClient(t, "https://host.test/v1")
	call := func(model string) string {
		r := providers.Request{Model: model, Messages: history()[1:2]}
		return string(c.messages(r, c.needs(model))[0].Calls[0].Extra)
	}
	if got := call("google/Gemini-3-pro"); got != `{"google":{"thought_signature":"s"}}` {
		t.Errorf("Gemini gets %q", got)
	}
	if got := call("gpt-4o"); got != "" {
		t.Errorf("others get %q", got)
	}
}

// Details are signed for a model, plain reasoning is for everyone at the
// issuer.
func TestReplayForAnotherModel(t *testing.T) {
	c := newClient(t, "https://host.test/v1")
	m := c.messages(providers.Request{Model: "m-2", Messages: history()[1:2]}, c.needs("m-2"))[0]
	if m.ReasoningDetails != nil || string(m.ReasoningContent) != `"I look first"` {
		t.Errorf("got details %s and reasoning %s", m.ReasoningDetails, m.ReasoningContent)
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct{ host, model, tokens, role string }{
		{"api.openai.com", "gpt-3.5-turbo", "max_completion_tokens", "system"},
		{"api.openai.com", "gpt-5.1-mini", "max_completion_tokens", "developer"},
		{"api.openai.com", "o3", "max_completion_tokens", "developer"},
		{"api.openai.com", "codex-mini-latest", "max_completion_tokens", "developer"},
		{"api.openai.com", "gpt-4o", "max_completion_tokens", "system"},
		{"me.openai.azure.com", "prod", "max_completion_tokens", "system"},
		{"openrouter.ai", "openai/GPT-5", "max_completion_tokens", "system"},
		{"openrouter.ai", "openai/o4-mini", "max_completion_tokens", "system"},
		{"openrouter.ai", "openai/gpt-4.1", "max_completion_tokens", "system"},
		{"openrouter.ai", "openai/gpt-4-turbo", "max_tokens", "system"},
		{"openrouter.ai", "anthropic/claude-opus-4.6", "max_tokens", "system"},
		{"localhost", "olmo-2", "max_tokens", "system"},
		{"localhost", "o1like", "max_tokens", "system"},
		{"api.openai.com.evil.test", "x", "max_tokens", "system"},
	} {
		if got := tokensKey(c.host, c.model); got != c.tokens {
			t.Errorf("%s %s: got %s, want %s", c.host, c.model, got, c.tokens)
		}
		if got := systemRole(c.host, c.model); got != c.role {
			t.Errorf("%s %s: got %s, want %s", c.host, c.model, got, c.role)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	for address, want := range map[string]string{
		"":                        "/v1/chat/completions",
		"/":                       "/v1/chat/completions",
		"/api/v1/":                "/api/v1/chat/completions",
		"/v1?api-version=1&k=a+b": "/v1/chat/completions?api-version=1&k=a+b",
		"?k=v":                    "/v1/chat/completions?k=v",
		"/a%2Fb":                  "/a%2Fb/chat/completions",
	} {
		s := okServer(t)
		if _, err := collect(t, newClient(t, s.url+address), hello()); err != nil {
			t.Fatal(err)
		}
		if got := s.asked().path; got != want {
			t.Errorf("%q: got %s, want %s", address, got, want)
		}
	}
	for _, bad := range []string{"", "localhost:1234", "host/v1", "ftp://host", "http://", "http://hunter2@%zz"} {
		_, err := New(Config{Service: transport.Service{Endpoint: providers.Endpoint{BaseURL: bad}, Transport: transport.New(transport.Options{})}})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

func TestKeysAndHeaders(t *testing.T) {
	s := okServer(t)
	c := newClient(t, s.url, func(c *Config) {
		c.Key = ""
		c.Headers = map[string]string{"X-Title": "hermes", "api-key": "k"}
	})
	if _, err := collect(t, c, hello()); err != nil {
		t.Fatal(err)
	}
	got := s.asked().header
	if got.Get("Authorization") != "" || got.Get("X-Title") != "hermes" || got.Get("Api-Key") != "k" {
		t.Errorf("got %v", got)
	}
	c = newClient(t, s.url, func(c *Config) { c.Key = " sk-pasted\n" })
	if _, err := collect(t, c, hello()); err != nil {
		t.Fatal(err)
	}
	if got := s.asked().header.Get("Authorization"); got != "Bearer sk-pasted" {
		t.Errorf("got %q", got)
	}
	_, err := New(Config{Service: transport.Service{Endpoint: providers.Endpoint{BaseURL: s.url, Key: "sk-one\nsk-two"}, Transport: transport.New(transport.Options{})}})
	if err == nil || strings.Contains(err.Error(), "sk-") {
		t.Errorf("got %v", err)
	}
}

func TestWhatACallerAddsIsAppliedLast(t *testing.T) {
	s := okServer(t)
	ctx := transport.WithCall(t.Context(), transport.Call{
		Headers: map[string]string{"X-Session": "1"},
		Extra:   map[string]any{"model": "override", "provider": map[string]any{"sort": "price"}},
	})
	st, err := newClient(t, s.url).Stream(ctx, hello())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := protocoltest.Drain(st); err != nil {
		t.Fatal(err)
	}
	want := `{"messages":[{"role":"user","content":"hi"}],"model":"override","provider":{"sort":"price"},"stream":true,"stream_options":{"include_usage":true}}`
	if got := s.asked(); got.body != want || got.header.Get("X-Session") != "1" {
		t.Errorf("got %s", got.body)
	}
}

func TestSchemasThatAreNoJSON(t *testing.T) {
	r := hello()
	r.Tools = []providers.ToolDef{{Name: "f", Parameters: json.RawMessage(`{`)}}
	_, err := collect(t, newClient(t, "http://127.0.0.1:1"), r)
	failure(t, err, providers.ErrorRequest, "")
}
