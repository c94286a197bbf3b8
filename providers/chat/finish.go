package chat

import (
	"strings"

	"hermes-tui/providers"
)

// finishOf maps a finish reason, and reports whether it is one of an answer. The
// others say that the provider failed in the middle. A reason that is not known
// is an ordinary end.
func finishOf(reason string) (f providers.Finish, ok bool) {
	switch strings.ToLower(reason) {
	case "tool_calls", "tool_call", "tool_use", "function_call":
		return providers.FinishToolCalls, true
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return providers.FinishLength, true
	case "content_filter", "refusal", "safety", "sensitive", "blocklist", "prohibited_content", "recitation":
		return providers.FinishFilter, true
	case "error", "network_error", "abort", "insufficient_system_resource":
		return providers.FinishNone, false
	}
	return providers.FinishStop, true
}
