package agent_test

import (
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestLayers maps a conversation: the parts of its prompt are byte for byte the
// prompt that was sent, the history stands by kind, what the cache holds is cheaper,
// and a conversation that was resumed has the same map.
func TestLayers(t *testing.T) {
	r := newRig(t, rounds(
		steps(counted(10, 0, 20_000), call("todo", map[string]any{})),
		steps(counted(100, 20_000, 1000), script.Text{Text: "Done."}),
	), cachedFor(5*time.Minute))
	if l := r.conv.Layers(t.Context()); l.Warm != 0 || len(l.List) == 0 || l.List[0].Kind != api.LayerTool {
		t.Errorf("before anything was sent: %+v", l)
	}
	r.submit("go")
	r.idle(1)
	l := r.conv.Layers(t.Context())
	var prompt []string
	sum, cost := 0, event.Money(0)
	items := map[string]int{}
	for _, layer := range l.List {
		if layer.Kind == api.LayerSystem {
			prompt = append(prompt, layer.Text)
		}
		if layer.Kind == api.LayerHistory {
			items[layer.Name] = layer.Items
		}
		if layer.Kind != api.LayerReserve {
			sum, cost = sum+layer.Tokens, cost+layer.Cost
		}
	}
	row, err := r.db.Session(t.Context(), string(r.conv.Session()))
	if err != nil || strings.Join(prompt, "\n\n") != row.SystemPrompt || len(prompt) < 3 {
		t.Errorf("%d parts are not the stored prompt: %v", len(prompt), err)
	}
	if items["user"] != 1 || items["answers"] != 2 || items["results of todo"] != 1 {
		t.Errorf("history: %v", items)
	}
	if sum != l.Tokens || l.Warm == 0 || !l.Priced || cost == 0 || cost > l.Cost {
		t.Errorf("%d tokens of %d, %d warm, cost %d of %d", sum, l.Tokens, l.Warm, cost, l.Cost)
	}
	warm := l.Cost
	past := r.revive()
	if got := past.State.Root().Prompt; len(got) != len(prompt) {
		t.Errorf("stored parts: %v", got)
	}
	r.conv.Close(t.Context())
	r.start(past, func(c *agent.Config) { c.Runtime.Price = cents })
	again := r.conv.Layers(t.Context())
	var resumed []string
	for _, layer := range again.List {
		if layer.Kind == api.LayerSystem {
			resumed = append(resumed, layer.Text)
		}
	}
	if strings.Join(resumed, "\n\n") != row.SystemPrompt || len(resumed) != len(prompt) {
		t.Errorf("resumed: %d parts, want %d", len(resumed), len(prompt))
	}
	if warm == 0 || again.Tokens == 0 {
		t.Errorf("resumed: %+v", again)
	}
}
