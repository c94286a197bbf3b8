package providers

import (
	"encoding/json"
	"testing"
)

// TestUsageOfGateways reads the figures of gateways that count differently.
func TestUsageOfGateways(t *testing.T) {
	for in, want := range map[string]Usage{
		`{"prompt_tokens":120,"completion_tokens":50,"total_tokens":90170,"cache_read_input_tokens":90000}`:                    {Input: 120, Output: 50, CacheRead: 90000},
		`{"prompt_tokens":120,"completion_tokens":50,"cache_read_input_tokens":90000}`:                                         {Input: 120, Output: 50, CacheRead: 90000},
		`{"prompt_tokens":13559,"prompt_tokens_details":{"cached_tokens":13000},"completion_tokens":122,"total_tokens":13681}`: {Input: 559, Output: 122, CacheRead: 13000},
		`{"input_tokens":200,"output_tokens":30,"total_tokens":230}`:                                                           {Input: 200, Output: 30},
		`{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":400,"cache_creation_input_tokens":100}`:                {Input: 10, Output: 5, CacheRead: 400, CacheWrite: 100},
	} {
		if got := NormaliseUsage(UsageChat, json.RawMessage(in)); got != want {
			t.Errorf("%s: got %+v", in, got)
		}
	}
}
