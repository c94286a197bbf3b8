package ui

import (
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
)

// TestKeysAreCheap types into a draft of a megabyte, and into one that begins a command,
// whose list is searched with each key: what a key allocates does not depend on how much
// there is, in the draft or in the documentation that a command may name.
func TestKeysAreCheap(t *testing.T) {
	const keys, most = 200, 64 << 10
	for name, draft := range map[string]string{
		"long":    strings.Repeat("a line of the draft of fifty characters or nearly\n", 20_000),
		"command": "/he",
	} {
		t.Run(name, func(t *testing.T) {
			m := newBenchModel(&event.State{}, 100, 30)
			m.composer.Insert(draft)
			m.saved, m.savedAt = m.composer.Draft(), m.composer.Edits()
			x, back := tea.KeyPressMsg{Code: 'x', Text: "x"}, tea.KeyPressMsg{Code: tea.KeyBackspace}
			m.Update(x)
			m.Update(back)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range keys / 2 {
				m.draftDue = false // as after each time it was stored
				m.Update(x)
				m.Update(back)
			}
			runtime.ReadMemStats(&after)
			if each := (after.TotalAlloc - before.TotalAlloc) / keys; each > most {
				t.Errorf("a key allocates %d bytes, more than %d", each, most)
			}
		})
	}
}
