package app

import (
	"context"

	"hermes-tui/agent/api"
	"hermes-tui/agent/prompt"
	"hermes-tui/store/config"
)

// Layers implements [Conversation].
func (c *conversation) Layers(ctx context.Context) Layers {
	l := c.Conversation.Layers(ctx)
	budget(&l, c.cfg)
	return l
}

// budget says what the layers of a request may take by the settings. Limits in
// characters are taken as tokens of four.
func budget(l *Layers, cfg *config.Config) {
	rooms := []struct {
		layer, setting string
		room           int
	}{
		{"memory", "memory.memory_char_limit", (cfg.Memory.Chars + cfg.Memory.UserChars) / 4},
		{"skills", "skills.index_percent", int(float64(l.Window) * cfg.Skills.IndexPercent / 100)},
		{"instructions", "context.instructions_percent", prompt.InstructionRoom(l.Window, cfg.Context.InstructionsPercent) / 4},
	}
	for i := range l.List {
		layer := &l.List[i]
		for _, r := range rooms {
			if layer.Kind == api.LayerSystem && layer.Name == r.layer && r.room > 0 {
				layer.Room, layer.Setting = r.room, r.setting
			}
		}
	}
}
