package app

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
)

// TestCompressionFromTheSettings checks that every setting arrives.
func TestCompressionFromTheSettings(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		want   compress.Config
	}{
		"none": {"", compress.Config{GivenOpen: prompt.DeeperOpen, Enabled: true, Threshold: 0.50, TargetRatio: 0.20, ProtectFirst: 3, ProtectLast: 20}},
		"all": {"compression: {enabled: false, threshold: 0.7, target_ratio: 0.3, protect_last_n: 9, protect_first_n: 1}\n",
			compress.Config{GivenOpen: prompt.DeeperOpen, Threshold: 0.7, TargetRatio: 0.3, ProtectFirst: 1, ProtectLast: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.config(c.config)
			if got := b.open().compression(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestCompressionOfAConversation writes more than the model has room for.
func TestCompressionOfAConversation(t *testing.T) {
	for _, enabled := range []bool{true, false} {
		t.Run(fmt.Sprint("enabled ", enabled), func(t *testing.T) {
			server := serve(t, "m")
			b := newBox(t)
			b.config(fmt.Sprintf("model: {provider: custom, base_url: %q, default: m, context_length: 20000}\ncompression: {enabled: %v}\n", server.URL(), enabled))
			_, c := b.begin()
			for n := range 14 {
				say(t, c, fmt.Sprint(n, " ", strings.Repeat("many words ", 800)))
			}
			compressed := 0
			for _, b := range c.State().Root().Blocks {
				if b.Kind == event.BlockCompact {
					compressed++
				}
			}
			if (compressed > 0) != enabled {
				t.Errorf("compressed %d times", compressed)
			}
			all := server.Requests()
			if short := len(all[len(all)-1].Body) < 80_000; short != enabled {
				t.Errorf("the last request has %d bytes", len(all[len(all)-1].Body))
			}
		})
	}
}
