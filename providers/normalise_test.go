package providers

import (
	"encoding/json"
	"math"
	"testing"

	"hermes-tui/internal/corpustest"
)

func TestUsageConformance(t *testing.T) {
	type counts struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cache_read"`
		CacheWrite int64 `json:"cache_write"`
		Reasoning  int64 `json:"reasoning"`
	}
	type testCase struct {
		ID    string
		Input struct {
			Mode  UsageShape      `json:"api_mode"`
			Usage json.RawMessage `json:"usage"`
		}
		Want counts
	}
	for _, c := range corpustest.Cases[testCase](t, "usage_normalise") {
		t.Run(c.ID, func(t *testing.T) {
			u := NormaliseUsage(c.Input.Mode, c.Input.Usage)
			if got := (counts{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning}); got != c.Want {
				t.Errorf("got %+v, want %+v", got, c.Want)
			}
		})
	}
}

func TestUsageForms(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      Usage
	}{
		{"no bytes", "", Usage{}},
		{"no object", `[1,2]`, Usage{}},
		{"no JSON", `{"prompt_tokens":`, Usage{}},
		{"negative", `{"prompt_tokens":-5,"completion_tokens":"-6"}`, Usage{}},
		{"fractions", `{"prompt_tokens":12.0,"completion_tokens":3.5}`, Usage{Input: 12}},
		{"exponents", `{"prompt_tokens":1.5e2,"completion_tokens":1e400}`, Usage{Input: 150}},
		{"giant exponent", `{"prompt_tokens":1e999999999}`, Usage{}},
		{"other types", `{"prompt_tokens":true,"completion_tokens":{"a":1}}`, Usage{}},
		{"padded text", `{"prompt_tokens":" 7 ","completion_tokens":"0x10"}`, Usage{Input: 7}},
		{"too big", `{"prompt_tokens":9223372036854775808,"completion_tokens":9223372036854775807}`, Usage{Output: math.MaxInt64}},
		{"details no object", `{"prompt_tokens":9,"prompt_tokens_details":"x","completion_tokens_details":[4]}`, Usage{Input: 9}},
		{"empty details fall back", `{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":0},"prompt_cache_hit_tokens":4}`, Usage{Input: 5, CacheRead: 4}},
		{"huge caches", `{"prompt_tokens":9,"cached_tokens":9223372036854775807,"cache_write_tokens":9223372036854775807}`,
			Usage{CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64}},
		{"OpenRouter", `{"prompt_tokens":194,"completion_tokens":2,"cost":0.00095150,"is_byok":false,"prompt_tokens_details":{"cached_tokens":100,"cache_write_tokens":14,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":1}}`,
			Usage{Input: 80, Output: 2, CacheRead: 100, CacheWrite: 14, Reasoning: 1, Charged: "0.00095150"}},
		{"nothing charged", `{"cost":0}`, Usage{Charged: "0"}},
		{"charged as text", `{"cost":"1.2e-05"}`, Usage{Charged: "1.2e-05"}},
		{"charged backwards", `{"prompt_tokens":1,"cost":-1}`, Usage{Input: 1}},
		{"charged nonsense", `{"prompt_tokens":1,"cost":"free"}`, Usage{Input: 1}},
		{"charged half a number", `{"prompt_tokens":1,"cost":"1e"}`, Usage{Input: 1}},
		{"charged an object", `{"prompt_tokens":1,"cost":{"usd":1}}`, Usage{Input: 1}},
		{"charged without end", `{"prompt_tokens":1,"cost":1.00000000000000000000000000000000000000001}`, Usage{Input: 1}},
		{"thinking", `{"completion_tokens":9,"output_tokens_details":{"thinking_tokens":4}}`, Usage{Output: 9, Reasoning: 4}},
		{"reasoning beside", `{"completion_tokens":9,"reasoning_tokens":4}`, Usage{Output: 9, Reasoning: 4}},
		{"DeepSeek", `{"prompt_tokens":100,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`, Usage{Input: 36, CacheRead: 64}},
		{"Kimi", `{"prompt_tokens":100,"cached_tokens":64}`, Usage{Input: 36, CacheRead: 64}},
		{"Gemini", `{"prompt_tokens":100,"cached_content_token_count":64}`, Usage{Input: 36, CacheRead: 64}},
		{"Qwen", `{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":60,"cache_creation_input_tokens":30}}`, Usage{Input: 10, CacheRead: 60, CacheWrite: 30}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := NormaliseUsage(UsageChat, json.RawMessage(c.raw)); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func FuzzNormaliseUsage(f *testing.F) {
	f.Add(`{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":150}}`)
	f.Add(`{"inputTokens":"1e3"}`)
	f.Add(`{"cost":"0.5"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		for _, shape := range []UsageShape{UsageChat, UsageResponses, UsageAnthropic, UsageBedrock, "other"} {
			u := NormaliseUsage(shape, json.RawMessage(raw))
			if u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Reasoning < 0 {
				t.Fatalf("negative count in %+v", u)
			}
			if u.Charged != "" && (u.Charged[0] == '-' || !json.Valid([]byte(u.Charged))) {
				t.Fatalf("charged %q", u.Charged)
			}
		}
	})
}
