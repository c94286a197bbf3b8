package responses

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

func TestEffortKeepsTheCache(t *testing.T) {
	p := protocol()
	p.New = func(t *testing.T, baseURL string) providers.Client {
		c := newClient(t, baseURL, func(c *Config) { c.Key = protocoltest.Key })
		c.rules.steers = true
		return c
	}
	protocoltest.Steered(t, p, "gpt-6.2-sol")
}

// TestSteeredRequests holds where a change of the effort stands, and where there is none.
func TestSteeredRequests(t *testing.T) {
	user := func(s string) providers.Message {
		return providers.Message{Role: providers.User, Parts: providers.TextParts(s)}
	}
	answer := func(effort string) providers.Message {
		m := providers.Message{Role: providers.Assistant, Parts: providers.TextParts("ok")}
		m.Native = []providers.Item{*transport.Own(transport.ItemEffort, "acme", "gpt-6-sol", effort, 0)}
		return m
	}
	history := []providers.Message{user("a"), answer("low"), user("b"), answer("high"), user("c"), user("d")}
	for _, c := range []struct {
		name, base, effort, want string
	}{
		{"kept", "https://api.openai.com", "high", `low: user a, assistant ok, =high, user b, assistant ok, user c, user d`},
		{"changed", "https://api.openai.com", "low", `low: user a, assistant ok, =high, user b, assistant ok, =low, user c, user d`},
		{"to none", "https://api.openai.com", "none", `low: user a, assistant ok, =high, user b, assistant ok, =none, user c, user d`},
		{"to the usual", "https://api.openai.com", "", `: user a, assistant ok, user b, assistant ok, user c, user d`},
		{"at another server", "https://host.test", "high", `high: user a, assistant ok, user b, assistant ok, user c, user d`},
	} {
		body, err := newClient(t, c.base).body(providers.Request{Model: "gpt-6-sol", Effort: c.effort, Messages: history})
		if err != nil {
			t.Fatal(err)
		}
		if got := outline(t, body); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	body, err := newClient(t, "https://api.openai.com").body(providers.Request{Model: "gpt-6-sol-pro", Effort: "high", Messages: history})
	if got := outline(t, body); err != nil || strings.Contains(got, "=") {
		t.Errorf("a model that does not take changes: %s, %v", got, err)
	}
}

// outline is a request in short: its effort, and its items with changes of that.
func outline(t *testing.T, body []byte) string {
	var r struct {
		Reasoning struct{ Effort string }
		Input     []struct {
			Type, Role string
			Content    any
			Reasoning  struct{ Effort string }
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, i := range r.Input {
		switch list2, parts := i.Content.([]any); {
		case i.Type == "configuration_update":
			list = append(list, "="+i.Reasoning.Effort)
		case parts:
			list = append(list, i.Role+" "+list2[0].(map[string]any)["text"].(string))
		default:
			list = append(list, i.Role+" "+i.Content.(string))
		}
	}
	return r.Reasoning.Effort + ": " + strings.Join(list, ", ")
}

// TestKept is how long a prompt is kept at least, by service and model.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		base, model string
		want        time.Duration
	}{
		{"https://api.openai.com", "gpt-6.2-sol", 30 * time.Minute},
		{"https://api.openai.com", "gpt-5.6-luna", 30 * time.Minute},
		{"https://api.openai.com", "gpt-5.5", 5 * time.Minute},
		{"https://chatgpt.com/backend-api/codex", "gpt-6-sol", 30 * time.Minute},
		{"https://api.x.ai/v1", "gpt-6-sol", 0},
	} {
		if got := Protocol().Kept(newClient(t, c.base), c.model, time.Hour); got != c.want {
			t.Errorf("%s at %s: %v", c.model, c.base, got)
		}
	}
}
