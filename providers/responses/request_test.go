package responses

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// history holds every kind of message. The native items are those of a model named
// m at the issuer acme.
func history(model string) []providers.Message {
	native := func(kind, raw string) providers.Item {
		return providers.Item{Issuer: "acme", Model: model, Kind: kind, Raw: json.RawMessage(raw)}
	}
	return []providers.Message{
		{ID: "m1", Role: providers.User, Parts: []providers.Part{{Text: "fix <it>"}, {Image: &providers.Image{MediaType: "image/png", Data: []byte("\x89PNG")}}}},
		{
			ID: "m2", Role: providers.Assistant, Reasoning: "I look first", Parts: providers.TextParts("I look."), Finish: providers.FinishToolCalls,
			Calls: []providers.Call{
				{ID: "k1", WireID: "call_a", Name: "read_file", Arguments: `{"path":"a"}`},
				{ID: "k2", WireID: "call_b", Name: "terminal"},
				{ID: "k3", WireID: "call_a", Name: "terminal", Arguments: `{"command":"ls"}`},
			},
			Native: []providers.Item{
				native("reasoning", `{"id":"rs_1","type":"reasoning","encrypted_content":"gA+1","summary":[{"type":"summary_text","text":"I look first"}]}`),
				native("message", `{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","annotations":[],"text":"I look."}]}`),
				native("function_call", `{"id":"fc_1","call_id":"call_a"}`),
				native("reasoning", `{"id":"rs_2","type":"reasoning","encrypted_content":"gA+2","summary":[]}`),
				native("function_call", `{"id":"fc_2","call_id":"call_b"}`),
				native("reasoning", `{"id":"rs_3","type":"reasoning","encrypted_content":"gA+3","summary":[]}`),
				native("unknown", `1`),
			},
		},
		{ID: "m3", Role: providers.Tool, CallID: "k1", CallName: "read_file", Parts: providers.TextParts("text")},
		{ID: "m4", Role: providers.Tool, CallID: "k2", CallName: "terminal"},
		{ID: "m5", Role: providers.Tool, CallID: "k3", CallName: "screenshot", Parts: []providers.Part{{Text: "é"}, {Image: &providers.Image{MediaType: "image/jpeg", Data: []byte{1}}}}},
		{
			ID: "m6", Role: providers.Assistant, Parts: providers.TextParts("done"),
			Native: []providers.Item{{Issuer: "other", Model: model, Kind: "reasoning", Raw: json.RawMessage(`{"encrypted_content":"of another"}`)}},
		},
		{ID: "m7", Role: providers.User, Parts: providers.TextParts("thanks")},
		{ID: "m8", Role: providers.Assistant, Finish: providers.FinishInterrupted},
		{ID: "m9", Role: providers.User},
	}
}

func tools() []providers.ToolDef {
	return []providers.ToolDef{
		{Name: "now", Description: "The time."},
		{Name: "read_file", Description: "Reads <files>.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","pattern":"^/","format":"path"},"as":{"enum":["text/plain","raw"]},"limit":{"maximum":12345678901234567890}},"required":["path"]}`)},
	}
}

// TestGoldens holds the exact body and the headers of every variant's request.
func TestGoldens(t *testing.T) {
	for _, c := range []struct {
		name    string
		variant Variant
		model   string
		effort  string
		path    string
		headers map[string]string
	}{
		{"openai", OpenAI, "gpt-5.2", "xhigh", "/v1/responses", map[string]string{"Originator": "", "Session_id": "", "ChatGPT-Account-ID": ""}},
		{"openai_plain", OpenAI, "gpt-4.1", "high", "/v1/responses", nil},
		{"chatgpt", ChatGPT, "gpt-5.2-codex", "minimal", "/backend-api/codex/responses", map[string]string{"Originator": "hermes-tui", "Session_id": "s1", "ChatGPT-Account-ID": "acc-1"}},
		{"xai", XAI, "grok-4.3", "none", "/v1/responses", map[string]string{"X-Grok-Conv-Id": "s1", "Originator": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, streams(sse(completed)))
			client := newClient(t, s.url, func(o *Config) {
				o.Provider, o.Key = provider(c.variant), ""
				o.Token = func(context.Context) (string, string, error) { return "sk-secret-login", "acc-1", nil }
			})
			if _, err := collect(t, client, providers.Request{
				Model: c.model, System: "be <kind>", Messages: from(provider(c.variant), history(c.model)), Tools: tools(),
				MaxOutput: 4096, Effort: c.effort, Session: "s1",
			}); err != nil {
				t.Fatal(err)
			}
			req, body := s.asked()
			golden(t, "request_"+c.name+".json", body)
			if req.URL.RequestURI() != c.path || req.Header.Get("Authorization") != "Bearer sk-secret-login" || req.Header.Get("User-Agent") != "hermes-tui/test" {
				t.Errorf("path %s, headers %v", req.URL, req.Header)
			}
			for k, v := range c.headers {
				if got := req.Header.Get(k); got != v {
					t.Errorf("%s: got %q, want %q", k, got, v)
				}
			}
		})
	}
}

// golden compares a body with a file, which is laid out for people. The order of keys
// counts. UPDATE_GOLDEN writes the file.
func golden(t *testing.T, name, body string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, []byte(body), "", "  "); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(pretty.Bytes(), '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, want); err != nil {
		t.Fatal(err)
	}
	if body != compact.String() {
		t.Errorf("got\n%s\nwant\n%s", body, compact.String())
	}
}

func TestSmallRequests(t *testing.T) {
	for _, c := range []struct {
		variant Variant
		model   string
		want    string
	}{
		{OpenAI, "gpt-4o", `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"model":"gpt-4o","store":false,"stream":true}`},
		{"", "house-model", `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"model":"house-model","store":false,"stream":true}`},
		{OpenAI, "openai/gpt-5", `{"include":["reasoning.encrypted_content"],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"model":"openai/gpt-5","reasoning":{"summary":"auto"},"store":false,"stream":true}`},
		{ChatGPT, "gpt-5", `{"include":["reasoning.encrypted_content"],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"instructions":"Do what the user asks.","model":"gpt-5","reasoning":{"summary":"auto"},"store":false,"stream":true}`},
		{XAI, "grok-4", `{"include":["reasoning.encrypted_content"],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"model":"grok-4","store":false,"stream":true}`},
	} {
		t.Run(string(c.variant)+" "+c.model, func(t *testing.T) {
			r := hello()
			r.Model = c.model
			body, err := newClient(t, "http://host.test", func(o *Config) { o.Provider = provider(c.variant) }).body(r)
			if err != nil || string(body) != c.want {
				t.Errorf("got\n%s, %v\nwant\n%s", body, err, c.want)
			}
		})
	}
	body, err := newClient(t, "http://host.test").body(providers.Request{Model: "gpt-4o"})
	if err != nil || string(body) != `{"input":[],"model":"gpt-4o","store":false,"stream":true}` {
		t.Errorf("got %s, %v", body, err)
	}
}

func TestVariantsByHost(t *testing.T) {
	for address, want := range map[string]Variant{
		"": OpenAI, "https://api.openai.com": OpenAI, "https://API.X.AI/v1": XAI, "https://chatgpt.com/backend-api/codex/": ChatGPT,
		"https://api.x.ai.evil.test/v1": OpenAI, "http://localhost:1234/v1": OpenAI,
	} {
		c := newClient(t, address)
		if c.rules.variant != want {
			t.Errorf("%q: got %s, want %s", address, c.rules.variant, want)
		}
	}
	for variant, want := range map[Variant]string{
		OpenAI: "https://api.openai.com/v1/responses", ChatGPT: "https://chatgpt.com/backend-api/codex/responses", XAI: "https://api.x.ai/v1/responses",
	} {
		if got := newClient(t, " ", func(c *Config) { c.Provider = provider(variant) }).endpoint(); got != want {
			t.Errorf("%s: got %s, want %s", variant, got, want)
		}
	}
}

func TestCallIDs(t *testing.T) {
	long := strings.Repeat("x", 70)
	ids := newCallIDs()
	var got []string
	for _, k := range []providers.Call{
		{ID: "k1", WireID: "call_1|fc_1"}, {ID: "k2", WireID: "call_1"}, {ID: "k3", WireID: "functions.f:0"}, {ID: "k4", WireID: long},
		{ID: "k5", WireID: long + "y"}, {Name: "f", Arguments: "{}"}, {Name: "f", Arguments: "{}"}, {ID: "ä ö"},
	} {
		id := ids.assign(k)
		got = append(got, id)
		if len(id) > 64 {
			t.Errorf("%q is too long", id)
		}
	}
	same(t, got, "call_1", "k2", "functions_f_0", strings.Repeat("x", 51)+"_"+digest(long), strings.Repeat("x", 51)+"_"+digest(long+"y"),
		"call_"+digest("f:{}:0"), "call_"+digest("f:{}:1"), "___")
	for own, want := range map[string]string{"k1": "call_1", "k2": "k2", "ä ö": "___", "gone|x": "gone"} {
		if id := ids.of(providers.Message{CallID: own}); id != want {
			t.Errorf("%s: got %s", own, id)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	for address, want := range map[string]string{
		"": "/v1/responses", "/": "/v1/responses", "/api/v1/": "/api/v1/responses", "/v1/responses": "/v1/responses",
		"/v1?api-version=1&k=a+b": "/v1/responses?api-version=1&k=a+b", "?k=v": "/v1/responses?k=v", "/a%2Fb": "/a%2Fb/responses",
	} {
		s := serve(t, streams(sse(completed)))
		if _, err := collect(t, newClient(t, s.url+address), hello()); err != nil {
			t.Fatal(err)
		}
		if req, _ := s.asked(); req.RequestURI != want {
			t.Errorf("%q: got %s, want %s", address, req.RequestURI, want)
		}
	}
	for _, bad := range []string{"localhost:1234", "host/v1", "ftp://host", "http://", "http://hunter2@%zz"} {
		if _, err := New(Config{Service: transport.Service{Endpoint: providers.Endpoint{BaseURL: bad}, Transport: transport.New(transport.Options{})}}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

func TestKeysAndHeaders(t *testing.T) {
	s := serve(t, streams(sse(completed)))
	c := newClient(t, s.url, func(c *Config) {
		c.Key, c.Provider = "", provider(ChatGPT)
		c.Headers = map[string]string{"originator": "mine", "X-Title": "t"}
	})
	r := hello()
	r.Session = "no\nheader"
	ctx := transport.WithCall(t.Context(), transport.Call{Extra: map[string]any{"service_tier": "flex"}})
	st, err := c.Stream(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	st.Close()
	req, body := s.asked()
	if h := req.Header; h.Get("Authorization") != "" || h.Get("Originator") != "mine" || h.Get("X-Title") != "t" || h.Get("Session_id") != "" {
		t.Errorf("got %v", h)
	}
	if !strings.Contains(body, `"service_tier":"flex"`) {
		t.Errorf("got %s", body)
	}
	c = newClient(t, s.url, func(c *Config) { c.Key = " sk-pasted\n" })
	if _, err := collect(t, c, hello()); err != nil {
		t.Fatal(err)
	}
	if req, _ := s.asked(); req.Header.Get("Authorization") != "Bearer sk-pasted" {
		t.Errorf("got %v", req.Header)
	}
	for _, config := range []Config{
		{Service: transport.Service{Endpoint: providers.Endpoint{Key: "sk-one\nsk-two"}, Transport: transport.New(transport.Options{})}},
		{Service: transport.Service{Endpoint: providers.Endpoint{Key: "sk-one"}}},
	} {
		if _, err := New(config); err == nil || strings.Contains(err.Error(), "sk-") {
			t.Errorf("got %v", err)
		}
	}
}

// The conversation, the account and the originator are no one else's business.
func TestRedirectToAnotherHost(t *testing.T) {
	s := serve(t, streams(sse(completed)))
	from := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.url+"/elsewhere", http.StatusTemporaryRedirect)
	})
	c := newClient(t, from.url, func(c *Config) {
		c.Provider = provider(ChatGPT)
		c.Token = func(context.Context) (string, string, error) { return "sk-secret-1", "acc-1", nil }
	})
	_, err := collect(t, c, hello())
	failure(t, err, providers.ErrorProtocol, "redirects to "+s.url+"/elsewhere, another server")
	if req, _ := s.asked(); req != nil {
		t.Errorf("the other server got %v", req.Header)
	}
}

// provider is a service that asks for what a variant does.
func provider(v Variant) string {
	for _, r := range variants() {
		if r.variant == v && len(r.providers) > 0 {
			return r.providers[0]
		}
	}
	return "openai"
}

// from gives what came of acme another origin.
func from(provider string, list []providers.Message) []providers.Message {
	for _, m := range list {
		for i := range m.Native {
			if m.Native[i].Issuer == "acme" {
				m.Native[i].Issuer = provider
			}
		}
	}
	return list
}
