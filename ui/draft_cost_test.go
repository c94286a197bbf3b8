package ui

import (
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
)

// TestKeysAreCheapInALongDraft types into a draft of a megabyte: what a key allocates
// does not depend on how much there is.
func TestKeysAreCheapInALongDraft(t *testing.T) {
	const keys, most = 200, 32 << 10
	m := newBenchModel(&event.State{}, 100, 30)
	m.composer.Insert(strings.Repeat("a line of the draft of fifty characters or nearly\n", 20_000))
	m.saved, m.savedAt = m.composer.Draft(), m.composer.Edits()
	x := tea.KeyPressMsg{Code: 'x', Text: "x"}
	m.Update(x)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range keys {
		m.draftDue = false // as after each time it was stored
		m.Update(x)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / keys; each > most {
		t.Errorf("a key allocates %d bytes, more than %d", each, most)
	}
}
