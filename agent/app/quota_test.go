package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hermes-tui/agent/event"
)

// TestNearLimitIsSaid says once that an allowance is nearly used up.
func TestNearLimitIsSaid(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("x-ratelimit-limit-tokens", "1000")
		h.Set("x-ratelimit-remaining-tokens", "150")
		h.Set("x-ratelimit-reset-tokens", "12s")
		h.Set("x-ratelimit-limit-requests", "1000")
		h.Set("x-ratelimit-remaining-requests", "900")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	b := newBox(t)
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL + "}\n")
	_, c := b.begin()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var told []string
	for turns := 0; turns < 2 || len(told) == 0; {
		if turns < 2 {
			if _, err := c.Submit("hello"); err != nil {
				t.Fatal(err)
			}
		}
		for ended := false; !ended; {
			events, err := c.Next(ctx)
			if err != nil {
				t.Fatalf("the user was told %q", told)
			}
			for _, e := range events {
				switch e := e.(type) {
				case *event.NoticeRaised:
					told = append(told, e.Text)
					ended = ended || turns >= 2
				case *event.TurnFinished:
					turns++
					ended = true
				}
			}
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "85 % of the limit is used (tokens per minute); it resets in 12s.") {
		t.Errorf("the user was told %q", told)
	}
}
