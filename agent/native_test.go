package agent

import (
	"encoding/json"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// TestSharedNative stores what four protocols want to see again, in the columns that
// the reference reads.
func TestSharedNative(t *testing.T) {
	item := func(kind, raw string) providers.Item { return providers.Item{Kind: kind, Raw: json.RawMessage(raw)} }
	for name, c := range map[string]struct {
		items []providers.Item
		want  sessions.Message
	}{
		"chat details": {[]providers.Item{item("reasoning_details", `[{"type":"reasoning.encrypted","data":"x"}]`)},
			sessions.Message{ReasoningDetails: `[{"type":"reasoning.encrypted","data":"x"}]`}},
		"chat text":  {[]providers.Item{item("reasoning_content", `"I think"`)}, sessions.Message{ReasoningContent: "I think"}},
		"chat plain": {[]providers.Item{item("reasoning", `"I think"`)}, sessions.Message{}},
		"anthropic": {[]providers.Item{item("thinking", `{"type":"thinking","thinking":"I","signature":"s"}`), item("hermes_order", `[]`), item("redacted_thinking", `{"data":"r"}`)},
			sessions.Message{ReasoningDetails: `[{"type":"thinking","thinking":"I","signature":"s"},{"data":"r"}]`}},
		"responses": {[]providers.Item{item("reasoning", `{"encrypted_content":"e"}`), item("message", `{"id":"m"}`), item("function_call", `{"call_id":"c"}`)},
			sessions.Message{CodexReasoningItems: `[{"encrypted_content":"e"}]`, CodexMessageItems: `[{"id":"m"}]`}},
		"another": {[]providers.Item{item("reasoningContent", `{}`)}, sessions.Message{}},
	} {
		rows := (&turnWriter{}).rows(providers.Message{ID: "m", Role: providers.Assistant, Native: c.items})
		got := sessions.Message{
			ReasoningDetails: rows[0].ReasoningDetails, ReasoningContent: rows[0].ReasoningContent,
			CodexReasoningItems: rows[0].CodexReasoningItems, CodexMessageItems: rows[0].CodexMessageItems,
		}
		if got.ReasoningDetails != c.want.ReasoningDetails || got.ReasoningContent != c.want.ReasoningContent ||
			got.CodexReasoningItems != c.want.CodexReasoningItems || got.CodexMessageItems != c.want.CodexMessageItems {
			t.Errorf("%s: stored %+v", name, got)
		}
		if rows[0].Native == "" {
			t.Errorf("%s: our own form is missing", name)
		}
	}
}
