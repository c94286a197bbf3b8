package auxiliary

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestEmbed asks the models that are set for vectors, with secrets masked, and never
// the one that answers.
func TestEmbed(t *testing.T) {
	w := newWorld(t)
	var asked string
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.URL.Path + " " + string(body)
		_ = json.NewEncoder(rw).Encode(map[string]any{"data": []any{map[string]any{"embedding": []float32{1, 2}}}, "usage": map[string]int{"prompt_tokens": 3}})
	}))
	t.Cleanup(func() { w.transport.CloseIdle(); srv.Close() })
	w.urls["vectors"], w.urls["main"] = srv.URL, srv.URL
	w.closed("gone")

	if _, _, err := w.client(nil).Embed(t.Context(), []string{"a"}); !errors.Is(err, ErrNoEmbedding) {
		t.Errorf("without a model: %v", err)
	}
	c := w.client(map[Task]Setting{Embedding: {Service: Service{Provider: "gone", Model: "e1"}, Fallbacks: []Service{{Provider: "vectors", Model: "e2"}}}})
	vectors, model, err := c.Embed(t.Context(), []string{"key ghp_0123456789abcdefghijklmnopqrstuvwxyz"})
	if err != nil || model != "e2" || len(vectors) != 1 || vectors[0][1] != 2 {
		t.Fatalf("got %v of %q, %v", vectors, model, err)
	}
	if !strings.Contains(asked, "/embeddings") || !strings.Contains(asked, "ghp_01") || strings.Contains(asked, "456789abcdef") {
		t.Errorf("asked %s", asked)
	}
	if len(w.spent) != 1 || w.spent[0].task != Embedding || w.spent[0].usage.Input != 3 {
		t.Errorf("spent %+v", w.spent)
	}
	asked = ""
	c = w.client(map[Task]Setting{Embedding: {Service: Service{Provider: "gone", Model: "e1"}}})
	if _, _, err := c.Embed(t.Context(), []string{"a"}); err == nil || asked != "" {
		t.Errorf("the model that answers was asked: %s, %v", asked, err)
	}
}
