package anthropic

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// TestSteeredRequests holds where a change of the effort stands, and where there is none.
func TestSteeredRequests(t *testing.T) {
	const model = "claude-opus-5"
	user := func(s string) providers.Message {
		return providers.Message{Role: providers.User, Parts: providers.TextParts(s)}
	}
	answer := func(effort string) providers.Message {
		m := providers.Message{Role: providers.Assistant, Parts: providers.TextParts("ok")}
		m.Native = []providers.Item{*transport.Own(transport.ItemEffort, "acme", model, effort, 0)}
		return m
	}
	history := []providers.Message{user("a"), answer(""), user("b"), answer("high"), user("c")}
	for _, c := range []struct {
		name, effort string
		elsewhere    bool
		want         string
	}{
		{"kept", "high", false, "adaptive : user assistant user system=high assistant user"},
		{"changed", "xhigh", false, "adaptive : user assistant user system=high assistant user system=xhigh"},
		{"to the usual", "", false, "adaptive : user assistant user assistant user"},
		{"to none", "none", false, "disabled : user assistant user assistant user"},
		{"at another server", "high", true, "adaptive high: user assistant user assistant user"},
	} {
		client := newClient(t, "https://api.anthropic.com")
		client.host.native = !c.elsewhere
		r := providers.Request{Model: model, Effort: c.effort, Messages: history, CacheFor: 1}
		body, keep, err := client.body(r)
		if err != nil {
			t.Fatal(err)
		}
		var p params
		if err := json.Unmarshal(body, &p); err != nil {
			t.Fatal(err)
		}
		got := p.Thinking.Type + " "
		if p.OutputConfig != nil {
			got += p.OutputConfig.Effort
		}
		got += ":"
		marks := 0
		for _, m := range p.Messages {
			got += " " + m.Role
			if m.OutputConfig != nil {
				got += "=" + m.OutputConfig.Effort
			}
			marks += strings.Count(brief(t, m), "cache_control")
		}
		h := http.Header{}
		client.setBetas(h, r, keep.changes)
		if got != c.want || marks != 3 || slices.Contains(strings.Split(h.Get("Anthropic-Beta"), ","), betaSteering) != strings.Contains(c.want, "=") {
			t.Errorf("%s: got %s, %d marks, betas %s; want %s", c.name, got, marks, h, c.want)
		}
	}
}

func brief(t *testing.T, v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
