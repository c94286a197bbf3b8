package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fetch is a get as callers write it.
func fetch(ctx context.Context, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	return io.ReadAll(io.LimitReader(resp.Body, 1<<20))
}

func TestProbeHonoursOllamaHost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"nomic-embed-text"},{"id":"tiny"},{"id":"qwen3-coder:30b"}]}`)
	}))
	defer server.Close()
	get := func(ctx context.Context, url string) ([]byte, error) {
		if !strings.HasPrefix(url, server.URL) {
			return nil, errors.New("not for this test")
		}
		return fetch(ctx, url)
	}
	f, ok := one(Probe(t.Context(), false, get, env("OLLAMA_HOST="+strings.TrimPrefix(server.URL, "http://"))))
	if !ok || f.Server.ID != "ollama" || f.BaseURL != server.URL+"/v1" || f.Model != "qwen3-coder:30b" || len(f.Models) != 3 {
		t.Fatalf("got %+v, %v", f, ok)
	}
	c := f.Candidate()
	if c.Provider != "ollama" || c.BaseURL != f.BaseURL || c.Model != f.Model || c.Mode("") != Chat || c.Key != "" {
		t.Errorf("got %+v", c)
	}
}

// answers gives each port an answer after a delay.
func answers(list map[string]string, after map[string]time.Duration, open *atomic.Int32) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, url string) ([]byte, error) {
		open.Add(1)
		defer open.Add(-1)
		for port, body := range list {
			if strings.Contains(url, ":"+port+"/") {
				select {
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-time.After(after[port]):
					return []byte(body), nil
				}
			}
		}
		return nil, errors.New("refused")
	}
}

func TestProbe(t *testing.T) {
	const models = `{"data":[{"id":"a-model"}]}`
	never := time.Hour
	for _, c := range []struct {
		name  string
		list  map[string]string
		after map[string]time.Duration
		want  string
		took  time.Duration
	}{
		{"nobody", nil, nil, "", 0},
		{"last of the table", map[string]string{"8000": models}, nil, "vllm", 0},
		{"order of the table, not of the answers", map[string]string{"1234": models, "8000": models}, map[string]time.Duration{"1234": 200 * time.Millisecond}, "lmstudio", 200 * time.Millisecond},
		{"first answers first", map[string]string{"11434": models, "1234": models}, map[string]time.Duration{"1234": never}, "ollama", 0},
		{"too slow", map[string]string{"11434": models, "8080": models}, map[string]time.Duration{"11434": never}, "llamacpp", ProbeBudget},
		{"no models", map[string]string{"11434": `{"data":[]}`}, nil, "", 0},
		{"other shapes", map[string]string{"11434": `[]`, "1234": `<html>`, "8080": `{"data":[{"name":"x"}]}`, "8000": `{"data":[{"id":5}]}`}, nil, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var open atomic.Int32
				start := time.Now()
				f, ok := one(Probe(t.Context(), false, answers(c.list, c.after, &open), env()))
				if f.Server.ID != c.want || ok != (c.want != "") {
					t.Errorf("found %q, %v", f.Server.ID, ok)
				}
				if took := time.Since(start); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				if n := open.Load(); n != 0 {
					t.Errorf("%d requests are still under way", n)
				}
			})
		})
	}
}

func TestProbeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var open atomic.Int32
	if f, ok := one(Probe(ctx, false, answers(map[string]string{"11434": `{"data":[{"id":"x"}]}`}, map[string]time.Duration{"11434": time.Hour}, &open), env())); ok {
		t.Errorf("found %+v", f)
	}
}

// one is the only server that was looked for.
func one(found []Found) (Found, bool) {
	if len(found) == 0 {
		return Found{}, false
	}
	return found[0], true
}

// TestProbeAll waits for every server until the time is up, and gives them in their order.
func TestProbeAll(t *testing.T) {
	const models = `{"data":[{"id":"a-model"}]}`
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		start := time.Now()
		found := Probe(t.Context(), true, answers(map[string]string{"8080": models, "1234": models, "8000": models},
			map[string]time.Duration{"1234": time.Second / 10, "8000": time.Hour}, &open), env())
		var ids []string
		for _, f := range found {
			ids = append(ids, f.Server.ID)
		}
		if !slices.Equal(ids, []string{"lmstudio", "llamacpp"}) || time.Since(start) != ProbeBudget || open.Load() != 0 {
			t.Errorf("found %v after %v", ids, time.Since(start))
		}
	})
}

func FuzzModelIDs(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"x"},{"id":""}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		ids := modelIDs(b)
		if len(ids) > mostModels {
			t.Errorf("%d models", len(ids))
		}
		if len(ids) > 0 && pick([]string{"*x*"}, ids) == "" {
			t.Errorf("no model of %q", ids)
		}
	})
}
