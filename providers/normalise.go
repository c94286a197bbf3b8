package providers

import (
	"encoding/json"
	"math/big"
	"strings"
)

// UsageShape names the protocol whose usage object [NormaliseUsage] reads.
type UsageShape string

// The shapes of usage objects.
const (
	// UsageChat counts cached tokens inside prompt_tokens.
	UsageChat UsageShape = "chat_completions"
	// UsageResponses counts cached tokens inside input_tokens.
	UsageResponses UsageShape = "codex_responses"
	// UsageAnthropic counts cached tokens beside input_tokens.
	UsageAnthropic UsageShape = "anthropic_messages"
	// UsageBedrock counts cached tokens beside inputTokens.
	UsageBedrock UsageShape = "bedrock_converse"
)

// NormaliseUsage reads the usage object of a response. Counts that are missing,
// negative or unreadable are 0, and so is everything when raw is no object.
// Whole numbers sent as text count. Where a figure has several places, the
// first that is not 0 is taken. A cost is kept as it is written, one that is
// negative or no number is none.
func NormaliseUsage(shape UsageShape, raw json.RawMessage) Usage {
	var o usageObject
	if json.Unmarshal(raw, &o) != nil {
		return Usage{}
	}
	u := Usage{Charged: o.amount("cost"), Reasoning: first(
		o.in("completion_tokens_details").count("reasoning_tokens"),
		o.in("output_tokens_details").count("reasoning_tokens"),
		o.in("output_tokens_details").count("thinking_tokens"),
		o.count("reasoning_tokens"),
	)}
	switch shape {
	case UsageChat:
		prompt := first(o.count("prompt_tokens"), o.count("input_tokens"), o.count("promptTokens"))
		u.Output = first(o.count("completion_tokens"), o.count("output_tokens"), o.count("completionTokens"))
		details := o.in("prompt_tokens_details")
		if details == nil {
			details = o.in("input_tokens_details")
		}
		o.inside(&u, prompt, details)
		if o.beside(u, prompt, details) {
			u.Input = prompt
		}
	case UsageResponses:
		o.inside(&u, o.count("input_tokens"), o.in("input_tokens_details"))
		u.Output = o.count("output_tokens")
	case UsageAnthropic:
		u.Input, u.Output = o.count("input_tokens"), o.count("output_tokens")
		u.CacheRead, u.CacheWrite = o.count("cache_read_input_tokens"), o.count("cache_creation_input_tokens")
	case UsageBedrock:
		u.Input, u.Output = o.count("inputTokens"), o.count("outputTokens")
		u.CacheRead, u.CacheWrite = o.count("cacheReadInputTokens"), o.count("cacheWriteInputTokens")
	}
	return u
}

// usageObject is a usage object, or a part of one. Nil is an empty one.
type usageObject map[string]json.RawMessage

// inside fills in the input side where the prompt figure includes what a cache
// gave and took.
func (o usageObject) inside(u *Usage, prompt int64, details usageObject) {
	u.CacheRead = first(
		details.count("cached_tokens"),
		o.count("cache_read_input_tokens"),
		o.count("cached_tokens"),
		o.count("prompt_cache_hit_tokens"),
		o.count("cached_content_token_count"),
	)
	u.CacheWrite = first(
		details.count("cache_write_tokens"),
		details.count("cache_creation_tokens"),
		details.count("cache_creation_input_tokens"),
		o.count("cache_creation_input_tokens"),
		o.count("cache_write_tokens"),
	)
	// In two steps, so that huge figures cannot overflow.
	u.Input = max(0, max(0, prompt-u.CacheRead)-u.CacheWrite)
}

// beside reports whether a gateway counts what a cache gave beside the prompt, as its total
// shows, or that it gave more than there was.
func (o usageObject) beside(u Usage, prompt int64, details usageObject) bool {
	cached := u.CacheRead + u.CacheWrite
	if total := o.count("total_tokens"); cached > 0 && total > 0 {
		return total-u.Output-prompt == cached
	}
	return details.count("cached_tokens") == 0 && o.count("cache_read_input_tokens") > prompt
}

// in gives the object below a key, nil if there is none.
func (o usageObject) in(key string) usageObject {
	var inner usageObject
	if json.Unmarshal(o[key], &inner) != nil {
		return nil
	}
	return inner
}

// count reads a whole number that is not negative, 0 if there is none.
func (o usageObject) count(key string) int64 { return whole(o.figure(key)) }

// amount reads a number that is not negative, as it is written.
func (o usageObject) amount(key string) string {
	text := o.figure(key)
	if text == "" || text[0] == '-' || strings.Trim(text, "0123456789.eE+-") != "" || !json.Valid([]byte(text)) {
		return ""
	}
	return text
}

// figure is the text of a number, which may be sent as text. It is short, which
// keeps an exponent from growing into gigabytes.
func (o usageObject) figure(key string) string {
	text := string(o[key])
	var quoted string
	if json.Unmarshal(o[key], &quoted) == nil && quoted != "" {
		text = strings.TrimSpace(quoted)
	}
	if len(text) > 40 {
		return ""
	}
	return text
}

// whole reads decimal text. Forms like 12.0 and 1.2e3 are whole numbers too.
func whole(text string) int64 {
	for _, c := range text {
		if !strings.ContainsRune("0123456789.eE+-", c) {
			return 0
		}
	}
	f, ok := new(big.Float).SetPrec(128).SetString(text)
	if !ok || f.Sign() < 0 || !f.IsInt() {
		return 0
	}
	n, accuracy := f.Int64()
	if accuracy != big.Exact {
		return 0
	}
	return n
}

// first gives the first figure that is not 0.
func first(counts ...int64) int64 {
	for _, n := range counts {
		if n != 0 {
			return n
		}
	}
	return 0
}
