package catalog_test

import (
	"testing"

	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
)

func TestMode(t *testing.T) {
	for _, c := range []struct {
		explicit             providers.Protocol
		provider, url, model string
		want                 providers.Protocol
	}{
		{"", "openai", "https://api.openai.com/v1", "gpt-4o", catalog.Responses},
		{"", "custom", "https://API.openai.com/v1/", "gpt-5.1", catalog.Responses},
		{catalog.Chat, "openai", "https://api.openai.com/v1", "gpt-5.1", catalog.Chat},
		{catalog.Anthropic, "custom", "https://example.com/v1", "gpt-5", catalog.Anthropic},
		{"", "openai-codex", "https://chatgpt.com/backend-api/codex", "gpt-5.2-codex", catalog.Responses},
		{"", "xai", "https://api.x.ai/v1", "grok-4.5", catalog.Responses},
		{"", "custom", "https://api.x.ai/v1", "grok-4.5", catalog.Responses},
		{"", "custom", "https://chatgpt.com/backend-api/codex", "any", catalog.Responses},
		{"", "custom", "https://chatgpt.com/elsewhere", "any", catalog.Chat},
		{"", "anthropic", "https://proxy.example/v1", "claude-opus-4.6", catalog.Anthropic},
		{"", "custom", "https://api.anthropic.com", "claude-opus-4.6", catalog.Anthropic},
		{"", "minimax", "https://api.minimax.io/anthropic/", "m3", catalog.Anthropic},
		{"", "custom", "https://example.com/anthropic/v1", "m3", catalog.Chat},
		{"", "bedrock", "", "anthropic.claude-opus-4-6-v1", catalog.Bedrock},
		{"", "custom", "https://bedrock-runtime.eu-west-1.amazonaws.com", "x", catalog.Bedrock},
		{"", "custom", "https://bedrock-runtime.amazonaws.com.evil.example", "x", catalog.Chat},
		{"", "openrouter", "https://openrouter.ai/api/v1", "openai/gpt-5.1", catalog.Responses},
		{"", "openrouter", "https://openrouter.ai/api/v1", "anthropic/claude-opus-4.6", catalog.Chat},
		{"", "nous", "https://inference-api.nousresearch.com/v1", "openai/gpt-5.1", catalog.Chat},
		{"", "custom", "https://my.openai.azure.com/v1", "gpt-5", catalog.Chat},
		{"", "custom", "http://localhost:8080/v1", "gpt-5-oss", catalog.Chat},
		{"", "custom", "http://[::1]:8080/v1", "gpt-5-oss", catalog.Chat},
		{"", "custom", "https://example.com/v1", "my-gpt-5", catalog.Chat},
		{"", "custom", "https://example.com/v1", "gpt-6.2-sol", catalog.Responses},
		{"", "custom", "https://example.com/v1", "openai/GPT-7-nova", catalog.Responses},
		{"", "custom", "https://example.com/v1", "gpt-oss-120b", catalog.Chat},
		{"", "custom", "https://example.com/v1", "gpt-4.1", catalog.Chat},
		{"", "", "", "", catalog.Chat},
		{"", "custom", "://", "gpt-4", catalog.Chat},
	} {
		if got := catalog.Mode(c.explicit, c.provider, c.url, c.model); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
