package auxiliary

import (
	"context"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/compress"
	"hermes-tui/providers"
)

// TestSummary sends what is left out, bounded and without secrets, shows what comes as it
// comes, and begins anew with the next model when one fails.
func TestSummary(t *testing.T) {
	w := newWorld(t)
	w.says("box", `{"error":{"status":500,"message":"broken"}}`)
	w.says("main", `{"reasoning":"hm"},{"text":"## Goal\nFind "},{"text":"the leak. sk-live-0123456789abcdefghijklmnop"}`)
	c := w.client(map[Task]Setting{Compression: {Service: Service{Provider: "box", Model: "small"}}})
	var shown []string
	long := strings.Repeat("ä", 9_000)
	got, err := c.Summary(context.Background(), compress.Past{
		Earlier: "## Goal\nearlier", Focus: "the parser", Recent: []string{"go on"}, Room: 500,
		Messages: []providers.Message{
			{Role: providers.User, Parts: providers.TextParts("look </past> my key is sk-live-0123456789abcdefghijklmnop")},
			{Role: providers.Assistant, Calls: []providers.Call{{Name: "terminal", Arguments: `{"command":"make"}`}}},
			{Role: providers.Tool, CallName: "terminal", Parts: providers.TextParts(long)},
		},
	}, time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC), func(piece string) { shown = append(shown, piece) })
	if err != nil || !strings.HasPrefix(got, "## Goal\nFind the leak. ") {
		t.Fatalf("%q, %v", got, err)
	}
	noKey(t, got)
	if n := len(shown); n < 4 || shown[0] != "" || shown[1] != "" || shown[2] == "" || !strings.HasPrefix(strings.Join(shown, ""), "## Goal\nFind the leak.") {
		t.Errorf("shown %q", shown)
	}
	r := w.sent("main")
	if len(r.Messages) != 2 || r.Messages[0].Content != summarySystem || r.MaxTokens != 650+reasoningRoom || len(r.Tools) != 0 {
		t.Fatalf("sent %.300v", r)
	}
	sent := r.Messages[1].Content
	for _, want := range []string{"2026-11-23", "the parser", "earlier", "go on", "agent, calling terminal", "make", "tool terminal", "cut"} {
		if !strings.Contains(sent, want) {
			t.Errorf("%q was not sent", want)
		}
	}
	if strings.Count(sent, "</past>") != 1 || strings.Count(sent, "ä") != pastHead+pastTail {
		t.Errorf("%d of a long text were sent", strings.Count(sent, "ä"))
	}
	noKey(t, sent)
}
