package feature

import (
	"context"

	"hermes-tui/agent/api"
	"hermes-tui/ui/keys"
)

func instructions() Feature {
	return Feature{
		Name: "instructions", Title: "Instructions that were left out", One: "file", Many: "files", Named: "name",
		Short: "List instruction files that were left out because they read like an attack, and take one as it is",
		Empty: "None was left out in this session.",
		Load: func(_ context.Context, h Host, _ string) (List, error) {
			var l List
			for _, one := range h.Instructions.HeldInstructions() {
				l.Entries = append(l.Entries, Entry{ID: one.File, Label: one.Name, Detail: one.Why, State: "held", Waits: true, Value: one})
			}
			return l, nil
		},
		Show: "Read a file that was left out",
		Read: func(_ context.Context, _ Host, e Entry) (string, error) {
			one := e.Value.(api.HeldInstructions)
			return one.Name + ": " + one.Why + "\n\n" + one.Text, nil
		},
		Closes: true,
		Actions: []Action{{
			Verb: "take", Key: keys.Allow, Help: "Let a file count as it is now",
			Do: func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
				return said(e.Label+" counts as it is now, from the next turn on; those of deeper folders from the next session on. A change of it asks again.",
					h.Instructions.TakeInstructions(ctx, e.Value.(api.HeldInstructions)))
			},
		}},
	}
}
