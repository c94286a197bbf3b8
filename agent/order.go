package agent

import (
	"slices"

	"hermes-tui/providers"
	"hermes-tui/providers/repair"
)

// ordered is a history in an order that providers accept: without results that
// answer no call, and with neighbouring user messages made one, their images
// included.
func ordered(history []providers.Message) []providers.Message {
	out, _ := repair.Messages(history)
	if !slices.ContainsFunc(out, hasImage) {
		return out
	}
	return joined(out)
}

// joined makes neighbouring user messages one where at least one of them shows
// something. The others are one already.
func joined(history []providers.Message) []providers.Message {
	out := make([]providers.Message, 0, len(history))
	for _, m := range history {
		last := len(out) - 1
		if last < 0 || m.Role != providers.User || out[last].Role != providers.User {
			out = append(out, m)
			continue
		}
		parts := slices.Clone(out[last].Parts)
		for i, p := range m.Parts {
			if i == 0 && p.Image == nil && len(parts) > 0 {
				p.Text = "\n\n" + p.Text
			}
			parts = append(parts, p)
		}
		out[last].Parts = parts
	}
	return out
}
