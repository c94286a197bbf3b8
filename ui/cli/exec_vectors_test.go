package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"hermes-tui/store"
	"hermes-tui/store/recall"
)

// TestExecKeepsVectors runs three prompts with a server that takes its time for vectors:
// each run keeps those of what the runs before it said, and no text is sent twice.
func TestExecKeepsVectors(t *testing.T) {
	var mu sync.Mutex
	times := map[string]int{}
	vectors := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/v1/embeddings" {
			http.Error(w, r.URL.Path, http.StatusNotFound) // what models are there
			return
		}
		var data []any
		mu.Lock()
		for _, text := range asked.Input {
			times[text]++
			data = append(data, map[string]any{"embedding": []float32{0, 1}})
		}
		mu.Unlock()
		time.Sleep(500 * time.Millisecond) // the answers of the model come sooner
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(vectors.Close)
	b, _ := with(t, on("one", say("First.")), on("two", say("Second.")), on("three", say("Third.")))
	b.settings("memory: {prefetch_chars: 0}\nauxiliary: {embedding: {provider: custom, base_url: '" + vectors.URL + "', model: e}}\n")
	for i, prompt := range []string{"one", "two", "three"} {
		b.exec(prompt)
		if kept := vectorsOf(t, b, "e"); kept < 2*i {
			t.Errorf("after %q there are vectors of %d messages, want %d or more", prompt, kept, 2*i)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for text, n := range times {
		if n > 1 {
			t.Errorf("%q was sent %d times", text, n)
		}
	}
}

// vectorsOf returns how many messages have a vector of a model.
func vectorsOf(t *testing.T, b *box, model string) int {
	t.Helper()
	home, err := store.Find(store.Where{Dir: b.home})
	if err != nil {
		t.Fatal(err)
	}
	x, err := recall.Open(t.Context(), home.Recall())
	if err != nil {
		t.Fatal(err)
	}
	_, _, count, err := x.Reach(t.Context(), "past session", model)
	if err == nil {
		err = x.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return count
}
