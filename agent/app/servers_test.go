package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// modelServer answers paths with fixed texts and chat completions with a word; it
// keeps the bodies of the latter.
func modelServer(t *testing.T, answers map[string]string) (url string, bodies func() string) {
	t.Helper()
	var mu sync.Mutex
	var all strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := answers[r.URL.Path]; ok {
			fmt.Fprint(w, text)
			return
		}
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		all.Write(body)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
}

// TestOllamaSaysItsContext takes the context window that Ollama serves a model with,
// and says so where it is too small.
func TestOllamaSaysItsContext(t *testing.T) {
	url, _ := modelServer(t, map[string]string{
		"/v1/models": `{"data":[{"id":"qwen3:8b"}]}`,
		"/api/show":  `{"model_info":{"qwen3.context_length":40960},"parameters":"num_ctx 8192","capabilities":["completion","tools"]}`,
	})
	b := newBox(t)
	b.config("probe: {local_servers: false}\nmodel: {provider: ollama, default: 'qwen3:8b'}\nproviders:\n  ollama: {base_url: " + url + "}\n")
	_, c := b.begin()
	if m := model(c); m.ContextMax != 8192 {
		t.Errorf("the model is %+v", m)
	}
	if got := notices(c); !strings.Contains(got, "8192 tokens") || !strings.Contains(got, "ollama_num_ctx: 65536") {
		t.Errorf("the user was told %q", got)
	}
}

// TestLMStudioIsAskedForWhatItLists asks for no effort of reasoning that the server
// does not list.
func TestLMStudioIsAskedForWhatItLists(t *testing.T) {
	url, bodies := modelServer(t, map[string]string{
		"/api/v1/models": `{"models":[{"key":"qwen/qwen3-8b","type":"llm","max_context_length":100000,"capabilities":{"vision":false,"trained_for_tool_use":true,"reasoning":{"allowed_options":["off","low"],"default":"low"}}}]}`,
	})
	b := newBox(t)
	b.config("probe: {local_servers: false}\nagent: {reasoning_effort: high, auto_title: false}\nmodel: {provider: lmstudio, default: qwen/qwen3-8b}\nproviders:\n  lmstudio: {base_url: " + url + "}\n")
	_, c := b.begin()
	say(t, c, "hello")
	if got := bodies(); !strings.Contains(got, `"reasoning_effort":"low"`) {
		t.Errorf("the server was asked %.400s", got)
	}
	if m := model(c); m.ContextMax != 100_000 {
		t.Errorf("the model is %+v", m)
	}
}
