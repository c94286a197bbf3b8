package recovery

import (
	"strings"

	"hermes-tui/providers/failure"
	"hermes-tui/tools/lazyregexp"
)

// The phrase families that the classes of providers/failure do not tell apart,
// in small letters.

func encodingPhrases() []string {
	return []string{
		"surrogates not allowed", "lone surrogate", "unpaired surrogate", "invalid surrogate", "codec can't encode",
		"invalid utf-8", "invalid utf8", "not valid utf-8", "invalid unicode", "invalid header field value",
	}
}

func imagePhrases() []string {
	return []string{
		"does not support image", "doesn't support image", "do not support image", "not support image input",
		"image input is not supported", "image inputs are not supported", "images are not supported",
		"image content is not supported", "image_url is not supported", "image_url is only supported",
		"unknown variant `image_url`", "unsupported content type: image", "invalid content type: image",
		"no endpoints found that support image input", "vision is not supported", "does not support vision",
		"not a vision model", "not a multimodal model", "multimodal input is not supported",
		"only supports text input", "only text content is supported", "cannot process images",
	}
}

func usagePhrases() []string {
	return []string{"usage_limit_reached", "usage limit has been reached"}
}

func hasAny(s string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// streamWord is streaming itself: no option of it, and no upstream.
var streamWord = lazyregexp.New(`\bstream(?:ing)?\b`)

// refusesStream tells that streaming is refused, or that the account may not call
// the operation that streams.
func refusesStream(said string) bool {
	if hasAny(said, []string{"withresponsestream", "conversestream"}) && hasAny(said, []string{"not authorized", "accessdenied", "access denied"}) {
		return true
	}
	for _, at := range streamWord.FindAllStringIndex(said, -1) {
		const near = 60 // bytes between the word and its refusal
		around := said[max(0, at[0]-near):min(len(said), at[1]+near)]
		if hasAny(around, []string{"not supported", "unsupported", "not support", "n't support"}) {
			return true
		}
	}
	return false
}

// isAggregator tells services that route to many others and renew their
// connections themselves.
func isAggregator(provider string) bool {
	p := strings.ToLower(provider)
	return strings.Contains(p, "openrouter") || strings.Contains(p, "nous")
}

// isDeltaOnly tells services whose overflow errors state by how much the prompt
// is too long, or a code, and never the window.
func isDeltaOnly(c failure.Context) bool {
	return strings.Contains(strings.ToLower(c.Provider+" "+c.Model), "minimax")
}
