package app

import (
	"context"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/store/memory"
)

// openMemory makes the store of what is remembered; its files are read when they are
// needed.
func (a *App) openMemory() *memory.Store {
	c := a.o.Config.Memory
	return memory.New(memory.Options{
		Dir: a.o.Home.Memories(), Limits: map[memory.Target]int{memory.Notes: c.Chars, memory.User: c.UserChars},
		Archive: true, Scan: scanMemory, Now: a.o.IDs.Now,
	})
}

// scanMemory names what in an entry reads like an attempt to take over the agent.
func scanMemory(text string) []string { return prompt.Scan(text, prompt.ScopeStrict) }

// memoryOf is what a conversation remembers, nil for nothing.
func (a *App) memoryOf(c *conversation, session event.SessionID) *bind.Memory {
	var targets []memory.Target
	if a.o.Config.Memory.Enabled {
		targets = append(targets, memory.Notes)
	}
	if a.o.Config.Memory.User {
		targets = append(targets, memory.User)
	}
	if len(targets) == 0 {
		return nil
	}
	project := a.rootOf(c.dir)
	if c.remote != nil {
		project = c.place.Info().Target + ":" + c.dir
	}
	return bind.NewMemory(bind.MemoryOptions{Store: a.memory, Targets: targets, Project: project, By: string(session), Scan: scanMemory})
}

// layers are the further parts of the prompts of a conversation.
func (*App) layers(c *conversation, box *bind.Tools) []prompt.Layer {
	list := []prompt.Layer{c.skills.Layer(box)}
	if c.memory != nil {
		list = append(list, c.memory.Layer())
	}
	return list
}

// Remembered is an entry of what is remembered.
type Remembered struct {
	memory.Entry
	Target memory.Target
}

// MemoryWrite is a write of what is remembered.
type MemoryWrite = memory.Written

// Memory gives what is remembered, and how full it is.
func (a *App) Memory() (list []Remembered, usage map[memory.Target]memory.Usage, err error) {
	usage = map[memory.Target]memory.Usage{}
	for _, t := range memory.Targets {
		entries, u, err := a.memory.List(t)
		if err != nil {
			return nil, nil, err
		}
		usage[t] = u
		for _, e := range entries {
			list = append(list, Remembered{e, t})
		}
	}
	return list, usage, nil
}

// byUser is who makes a write, in the history.
const byUser = "user"

// EditMemory puts a text into the place of an entry; empty forgets it.
func (a *App) EditMemory(ctx context.Context, r Remembered, text string) error {
	op := memory.Operation{Action: memory.Replace, OldText: r.Text, Content: text, Project: r.Project, Whole: true}
	if text == "" {
		op.Action = memory.Remove
	}
	_, err := a.memory.Apply(ctx, memory.Change{Target: r.Target, Operations: []memory.Operation{op}, By: byUser})
	return err
}

// AddMemory remembers a text.
func (a *App) AddMemory(ctx context.Context, t memory.Target, text string) error {
	_, err := a.memory.Apply(ctx, memory.Change{Target: t, Operations: []memory.Operation{{Action: memory.Add, Content: text}}, By: byUser})
	return err
}

// MemoryHistory gives the last writes, the newest first.
func (a *App) MemoryHistory() ([]MemoryWrite, error) { return a.memory.History() }

// MemoryArchive gives the entries that made room, the newest first.
func (a *App) MemoryArchive() ([]memory.Archived, error) { return a.memory.Archive() }

// UndoMemory takes back a write.
func (a *App) UndoMemory(ctx context.Context, id string) error {
	_, err := a.memory.Undo(ctx, id, byUser)
	return err
}
