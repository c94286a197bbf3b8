package config

import (
	"strings"
	"testing"
)

// Settings under the keys of Hermes Agent take effect.
func TestKeysOfHermesAgentCount(t *testing.T) {
	c, warnings, err := Load(Options{File: file(t, `
model: {model: m, api_mode: codex_responses, extra_headers: {X-A: b}}
providers:
  own: {base_url: "https://own.example/v1", api_mode: anthropic_messages, model: o}
custom_providers:
  - {name: Work Box, base_url: "https://work.example/v1", api_key: k, api_mode: chat_completions, model: w, models: {w: {context_length: 5}}}
  - {name: own, base_url: "https://other.example/v1"}
  - {base_url: "https://nameless.example/v1"}
  - {name: bad, base_url: nonsense}
`)})
	if err != nil {
		t.Fatal(err)
	}
	if c.Model.Default != "m" || c.Model.Protocol != "responses" || c.Model.DefaultHeaders["X-A"].Reveal() != "b" || !c.IsSet("model.protocol") {
		t.Errorf("model is %+v", c.Model)
	}
	if p := c.Providers["own"]; p.BaseURL != "https://own.example/v1" || p.Protocol != "anthropic" || p.Default != "o" {
		t.Errorf("own is %+v", p)
	}
	if p := c.Providers["Work-Box"]; p.BaseURL != "https://work.example/v1" || p.Protocol != "chat" || p.Default != "w" || p.APIKey.Reveal() != "k" {
		t.Errorf("the entry of the list is %+v", p)
	}
	if len(c.Providers) != 3 || len(warnings) != 2 || !strings.Contains(warnings[0].String(), "custom_providers.3 needs a name; it is ignored") ||
		!strings.Contains(warnings[1].String(), "base_url") {
		t.Errorf("%d providers, warnings %v", len(c.Providers), warnings)
	}
}

// A protocol that only Hermes Agent has is passed over, and said.
func TestForeignProtocolIsIgnored(t *testing.T) {
	c, warnings, err := Load(Options{File: file(t, "model: {api_mode: codex_app_server}\n")})
	if err != nil || c.Model.Protocol != "" || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "model.api_mode must be") {
		t.Errorf("%q, %v, %v", c.Model.Protocol, warnings, err)
	}
}
