package agent

import (
	"encoding/json"

	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// shareNative puts what providers want to see again, such as signed reasoning, into
// the columns from which the reference sends it. A kind that it does not know stays
// ours.
func shareNative(row *sessions.Message, items []providers.Item) {
	var details, thoughts, messages []json.RawMessage
	for _, item := range items {
		switch item.Kind {
		case "reasoning_details":
			row.ReasoningDetails = string(item.Raw)
		case "reasoning_content":
			var text string
			if json.Unmarshal(item.Raw, &text) == nil {
				row.ReasoningContent = text
			}
		case "thinking", "redacted_thinking":
			details = append(details, item.Raw)
		case "reasoning":
			if len(item.Raw) > 0 && item.Raw[0] == '{' { // a plain text is in its own column
				thoughts = append(thoughts, item.Raw)
			}
		case "message":
			messages = append(messages, item.Raw)
		}
	}
	for _, list := range []struct {
		of []json.RawMessage
		to *string
	}{{details, &row.ReasoningDetails}, {thoughts, &row.CodexReasoningItems}, {messages, &row.CodexMessageItems}} {
		if len(list.of) > 0 {
			*list.to = encode(list.of)
		}
	}
}
