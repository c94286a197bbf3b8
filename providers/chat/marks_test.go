package chat

import (
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
)

// Each service with marks reads again what it was sent before.
func TestMarksKeepLoops(t *testing.T) {
	for _, at := range []struct{ provider, model string }{
		{"openrouter", "anthropic/claude-sonnet-4.6"},
		{"openrouter", "anthropic/claude-opus-5.5"},
		{"nous", "anthropic/claude-sonnet-4.6"},
		{"nous", "qwen/qwen3-coder"},
		{"dashscope", "qwen3.7-plus"},
		{"opencode", "qwen3-max"},
	} {
		t.Run(at.provider+" "+at.model, func(t *testing.T) {
			p := protocoltest.Protocol{
				New: func(t *testing.T, baseURL string) providers.Client {
					return newClient(t, baseURL, func(c *Config) { c.Provider = at.provider })
				},
				Encode: encode, ContentType: "text/event-stream",
			}
			protocoltest.Cached(t, p, at.model)
		})
	}
}
