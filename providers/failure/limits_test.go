package failure

import (
	"testing"

	"hermes-tui/providers"
)

// TestLimitsOfServers reads the window only from figures that the words tie to it.
func TestLimitsOfServers(t *testing.T) {
	for text, want := range map[string]struct {
		status, window, output int
		reason                 Reason
	}{
		`{"error":"Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"}`: {400, 7424, 0, ContextOverflow},
		`{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length"}`:                    {400, 4096, 0, ContextOverflow},
		`{"error":{"code":400,"message":"request (70494 tokens) exceeds the available context size (67584 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":70494,"n_ctx":67584}}`:   {400, 67584, 0, ContextOverflow},
		`{"error":{"message":"the prompt exceeded max context length by 1200 tokens"}}`:                                                                                                                             {400, 0, 0, ContextOverflow},
		`{"error":{"message":"prompt too long: 5012 + 1000 > 4096, context size exceeded"}}`:                                                                                                                        {400, 4096, 0, ContextOverflow},
		"{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5012 `inputs` tokens and 1000 `max_new_tokens`\",\"error_type\":\"validation\"}":                           {422, 4096, 0, ContextOverflow},
		`{"code":"InvalidParameter","message":"Range of input length should be [1, 4096]"}`:                                                                                                                         {400, 4096, 0, ContextOverflow},
		"{\"error\":{\"message\":\"input length and `max_tokens` exceed context limit: 150000 + 128000 > 200000, decrease input length or `max_tokens` and try again\"}}":                                           {400, 200000, 50000, ContextOverflow},
		`{"error":{"message":"max_tokens is too large: 128000. This model supports at most 16384 completion tokens, whereas you provided 128000.","param":"max_tokens"}}`:                                           {400, 0, 16384, FormatError},
		`{"error":{"message":"max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude"}}`:                                                                                       {400, 0, 64000, FormatError},
		"{\"error\":{\"message\":\"`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less than the `context_window` for this model\"}}":                                     {400, 0, 32768, FormatError},
		`{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"}}`:                                                                                                              {400, 0, 8192, FormatError},
		`{"message":"The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096."}`:                                                            {400, 0, 4095, FormatError},
		`{"error":{"message":"Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive)."}}`:                                     {400, 0, 65536, FormatError},
		`{"error":{"message":"Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 128000, but got 200000 instead."}}`:                                                                     {400, 0, 128000, FormatError},
		`{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 128000. This model's maximum context length is 32768 tokens and your request has 1200 input tokens (128000 > 32768 - 1200)."}}`: {400, 32768, 31568, ContextOverflow},
		`{"error":{"message":"This model's maximum context length is 128000 tokens. However, you requested 150000 tokens (22000 in the messages, 128000 in the completion)."}}`:                                     {400, 128000, 106000, ContextOverflow},
	} {
		window, output := Limits(text)
		if window != want.window || output != want.output {
			t.Errorf("%s: got %d, %d", text, window, output)
		}
		if got := Classify(&providers.Error{Kind: providers.ErrorStatus, Status: want.status, Body: []byte(text)}, Context{}); got.Reason != want.reason {
			t.Errorf("%s: %s", text, got.Reason)
		}
	}
	if n := Prompt("n_keep (15028) >= n_ctx (7424)", 7424); n != 15028 {
		t.Errorf("prompt %d", n)
	}
}
