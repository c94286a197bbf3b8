package responses

import (
	"encoding/json"
	"testing"

	"hermes-tui/providers"
)

func TestThinking(t *testing.T) {
	for _, c := range []struct{ table, model, wanted, effort, summary, include string }{
		{"openai", "gpt-5", "", "", "auto", "yes"},
		{"openai", "gpt-5", "minimal", "low", "auto", "yes"},
		{"openai", "gpt-5", "none", "low", "auto", "yes"},
		{"openai", "gpt-5-mini-2025-08-07", "xhigh", "high", "auto", "yes"},
		{"openai", "gpt-5-pro", "low", "high", "auto", "yes"},
		{"openai", "gpt-5.1", "none", "none", "", "yes"},
		{"openai", "gpt-5.1", "xhigh", "high", "auto", "yes"},
		{"openai", "gpt-5.1-codex", "none", "low", "auto", "yes"},
		{"openai", "gpt-5.1-codex-max", "xhigh", "xhigh", "auto", "yes"},
		{"openai", "GPT-5.3-Codex", "minimal", "low", "auto", "yes"},
		{"openai", "gpt-5.2-pro", "low", "medium", "auto", "yes"},
		{"openai", "gpt-6-sol", "none", "none", "", "yes"},
		{"openai", "gpt-6-luna", "none", "none", "", "yes"},
		{"openai", "gpt-6-astra", "none", "low", "auto", "yes"},
		{"openai", "gpt-6.1-sol", "none", "low", "auto", "yes"},
		{"openai", "gpt-6.1-terra", "minimal", "low", "auto", "yes"},
		{"openai", "gpt-6.2-sol", "none", "low", "auto", "yes"},
		{"openai", "gpt-6.2-astra", "max", "max", "auto", "yes"},
		{"openai", "openai/gpt-6.2-sol", "ultra", "max", "auto", "yes"},
		{"openai", "gpt-5.6-terra", "max", "max", "auto", "yes"},
		{"openai", "gpt-5.5", "max", "xhigh", "auto", "yes"},
		{"openai", "gpt-7", "none", "low", "auto", "yes"},
		{"openai", "o3", "xhigh", "high", "auto", "yes"},
		{"openai", "o4-mini", "none", "low", "auto", "yes"},
		{"openai", "gpt-oss-120b", "medium", "medium", "auto", "yes"},
		{"openai", "gpt-4.1-mini", "high", "", "", ""},
		{"openai", "gpt-5-chat-latest", "high", "", "", ""},
		{"openai", "chatgpt-4o-latest", "high", "", "", ""},
		{"openai", "olmo-2", "", "", "", ""},
		{"openai", "olmo-2", "minimal", "low", "auto", "yes"},
		{"openai", "olmo-2", "max", "max", "auto", "yes"},
		{"openai", "", "", "", "", ""},
		{"xai", "grok-3-mini", "medium", "low", "", "yes"},
		{"xai", "grok-3-mini", "none", "low", "", "yes"},
		{"xai", "grok-3", "high", "", "", ""},
		{"xai", "grok-4", "high", "", "", "yes"},
		{"xai", "grok-4.20-multi-agent", "xhigh", "xhigh", "", "yes"},
		{"xai", "grok-4.20-reasoning", "high", "", "", "yes"},
		{"xai", "grok-4.20-non-reasoning", "high", "", "", ""},
		{"xai", "grok-4.3", "none", "none", "", "yes"},
		{"xai", "x-ai/grok-4.5", "none", "low", "", "yes"},
		{"xai", "grok-4.7", "xhigh", "high", "", "yes"},
	} {
		client := newClient(t, "http://host.test", func(o *Config) { o.Provider = provider(Variant(c.table)) })
		say, encrypted := client.reasoning(providers.Request{Model: c.model, Effort: c.wanted})
		effort, summary := "", ""
		if say != nil {
			effort, summary = say.Effort, say.Summary
		}
		if effort != c.effort || summary != c.summary || encrypted != (c.include != "") {
			t.Errorf("%s %q with %q: got %q, %q, %t", c.table, c.model, c.wanted, effort, summary, encrypted)
		}
	}
}

// TestUnreadableSchema refuses what cannot be sent.
func TestUnreadableSchema(t *testing.T) {
	for _, variant := range []Variant{OpenAI, XAI} {
		client := newClient(t, "http://host.test", func(o *Config) { o.Provider = provider(variant) })
		r := hello()
		r.Tools = []providers.ToolDef{{Name: "f", Parameters: json.RawMessage(`{"type":`)}}
		_, err := client.Stream(t.Context(), r)
		failure(t, err, providers.ErrorRequest, "cannot be written as JSON")
	}
}
