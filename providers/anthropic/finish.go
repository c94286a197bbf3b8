package anthropic

import (
	"strings"

	"hermes-tui/providers"
)

// finishOf maps a reason to stop. A turn that the server paused is not over, and
// goes on like an answer that reached its limit. A reason that is not known is an
// ordinary end.
func finishOf(reason string) providers.Finish {
	switch strings.ToLower(reason) {
	case "tool_use":
		return providers.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded", "pause_turn", "length":
		return providers.FinishLength
	case "refusal", "content_filter", "content_filtered", "sensitive":
		return providers.FinishFilter
	}
	return providers.FinishStop
}

// statusOf is the HTTP status that an error of a type has when it comes before an
// answer, 0 for a type that is not known.
func statusOf(kind string) int {
	switch kind {
	case "invalid_request_error":
		return 400
	case "authentication_error":
		return 401
	case "billing_error":
		return 402
	case "permission_error":
		return 403
	case "not_found_error":
		return 404
	case "request_too_large":
		return 413
	case "rate_limit_error":
		return 429
	case "api_error":
		return 500
	case "timeout_error":
		return 504
	case "overloaded_error":
		return 529
	}
	return 0
}
