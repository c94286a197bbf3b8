package transcript

import (
	"strings"
	"testing"

	"hermes-tui/agent/event"
)

// TestCompaction shows how the place looks where the context was shortened: as
// much as the width has room for.
func TestCompaction(t *testing.T) {
	all := &event.Compaction{Before: 128_000, After: 60_000, Results: 41, Calls: 2, Turns: 3, Messages: 9}
	for name, c := range map[string]struct {
		compact *event.Compaction
		w       int
		open    bool
		want    string
	}{
		"all":         {all, 150, false, "▸ context shortened: 41 tool results cut, 2 calls cut, 3 turns left out — 128k → 60k tokens; everything stays here and in the store"},
		"opened":      {all, 150, true, "▾ context shortened: 128k → 60k tokens"},
		"less room":   {all, 110, false, "▸ context shortened: 41 tool results cut, 2 calls cut, 3 turns left out — 128k → 60k tokens"},
		"little room": {all, 60, false, "▸ context shortened: 128k → 60k tokens"},
		"no room":     {all, 30, false, "▸ context shortened"},
		"one of each": {&event.Compaction{Before: 900, After: 800, Results: 1, Calls: 1, Turns: 1, Messages: 2}, 110, false,
			"▸ context shortened: 1 tool result cut, 1 call cut, 1 turn left out — 900 → 800 tokens"},
		"only turns": {&event.Compaction{Before: 9_000, After: 1_000, Turns: 2, Messages: 8}, 90, false, "▸ context shortened: 2 turns left out — 9k → 1k tokens"},
		"no figures": {nil, 90, false, "▸ context shortened"},
	} {
		t.Run(name, func(t *testing.T) {
			b := block(event.BlockCompact, "k1", "What was done.")
			b.Compact = c.compact
			v := newView()
			v.SetSize(c.w, 5)
			v.FoldAll(!c.open)
			v.Sync([]*event.Block{b})
			frame := v.Rows(nil, c.w, 5)
			checkFrame(t, frame, c.w, 5)
			text := plain(frame)
			row := text[strings.IndexAny(text, "▸▾"):]
			row, _, _ = strings.Cut(row, " ─")
			if row != c.want {
				t.Errorf("got %q, want %q", row, c.want)
			}
			if got := strings.Contains(text, "What was done."); got != c.open {
				t.Errorf("the text is shown: %v", got)
			}
		})
	}
}
