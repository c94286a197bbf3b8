package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/store/memory"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// openMemory makes the store of what is remembered; its files are read when they are
// needed.
func (a *App) openMemory() *memory.Store {
	c := a.config().Memory
	return memory.New(memory.Options{
		Dir: a.o.Home.Memories(), Pending: a.o.Home.PendingMemory(), Limits: map[memory.Target]int{memory.Notes: c.Chars, memory.User: c.UserChars},
		Archive: true, Scan: scanMemory, Now: a.o.IDs.Now,
	})
}

// scanMemory names what in an entry reads like an attempt to take over the agent.
func scanMemory(text string) []string { return prompt.Scan(text, prompt.ScopeStrict) }

// memoryOf is what a conversation remembers, nil for nothing.
func (a *App) memoryOf(c *conversation, session event.SessionID) *bind.Memory {
	var targets []memory.Target
	if a.config().Memory.Enabled {
		targets = append(targets, memory.Notes)
	}
	if a.config().Memory.User {
		targets = append(targets, memory.User)
	}
	if len(targets) == 0 {
		return nil
	}
	return bind.NewMemory(bind.MemoryOptions{Store: a.memory, Targets: targets, Project: c.Project(), By: string(session), Scan: scanMemory, Wrote: c.wroteMemory})
}

// layers are the further parts of the prompts of a conversation.
func (*App) layers(c *conversation, box *bind.Tools) []prompt.Layer {
	list := []prompt.Layer{c.skills.Layer(box)}
	for _, p := range c.providers {
		list = append(list, c.layerOf(p))
	}
	return list
}

// RenewPrompt implements [api.Recollection].
func (c *conversation) RenewPrompt() { c.renew() }

// Memory implements [api.Memories].
func (a *App) Memory() (list []api.Memory, use api.MemoryUse, err error) {
	for t, percent := range map[memory.Target]*int{memory.Notes: &use.Notes, memory.User: &use.User} {
		entries, u, err := a.memory.List(t)
		if err != nil {
			return nil, use, err
		}
		*percent = u.Percent()
		for _, e := range entries {
			list = append(list, api.Memory{ID: memory.ID(t, e), Target: string(t), Text: e.Text, Project: e.Project, At: e.At})
		}
	}
	slices.SortStableFunc(list, func(x, y api.Memory) int { return cmp.Compare(x.Target, y.Target) })
	return list, use, nil
}

// byUser is who makes a write, in the history.
const byUser = "user"

// EditMemory puts a text into the place of the entry with an id; empty forgets it. It
// returns a sentence on what came of it.
func (a *App) EditMemory(ctx context.Context, id, text string) (string, error) {
	r, err := a.entry(id)
	if err != nil {
		return "", err
	}
	op := memory.Operation{Action: memory.Replace, OldText: r.Text, Content: text, Whole: true, Of: r.Project}
	if text == "" {
		op.Action = memory.Remove
	}
	return a.changeMemory(ctx, memory.Target(r.Target), op)
}

// ScopeMemory says which project the entry with an id is about, empty for none. It returns
// a sentence on what came of it.
func (a *App) ScopeMemory(ctx context.Context, id, project string) (string, error) {
	r, err := a.entry(id)
	if err != nil {
		return "", err
	}
	project = a.projectNamed(project)
	return a.changeMemory(ctx, memory.Target(r.Target), memory.Operation{Action: memory.Replace, OldText: r.Text, Content: r.Text, Whole: true, Of: r.Project, Project: &project})
}

// projectNamed is how entries name the project that a user means with a folder. What is no
// folder of this machine is taken as it is, such as one of a remote place.
func (a *App) projectNamed(folder string) string {
	if rest, ok := strings.CutPrefix(folder, "~"); ok && (rest == "" || rest[0] == filepath.Separator) {
		folder = a.place.Info().Home + rest
	}
	if !filepath.IsAbs(folder) {
		return folder
	}
	return a.rootOf(folder)
}

// entry is the entry with an id.
func (a *App) entry(id string) (api.Memory, error) {
	list, _, err := a.Memory()
	if err != nil {
		return api.Memory{}, err
	}
	i := slices.IndexFunc(list, func(r api.Memory) bool { return r.ID == id })
	if i < 0 {
		return api.Memory{}, errors.New("the entry has changed meanwhile: /memory lists them")
	}
	return list[i], nil
}

// AddMemory remembers a text, of the user or among the notes, about a project or, where that
// is empty, about none. It returns a sentence on what came of it.
func (a *App) AddMemory(ctx context.Context, ofUser bool, project, text string) (string, error) {
	t := memory.Notes
	if ofUser {
		t = memory.User
	}
	return a.changeMemory(ctx, t, memory.Operation{Action: memory.Add, Content: text, Project: &project})
}

func (a *App) changeMemory(ctx context.Context, t memory.Target, op memory.Operation) (string, error) {
	p, err := a.memory.Apply(ctx, memory.Change{Target: t, Operations: []memory.Operation{op}, By: byUser})
	return written(p, err, map[string]string{memory.Add: "Saved", memory.Replace: "Changed", memory.Remove: "Forgotten"}[op.Action])
}

// PutBackMemory remembers an archived entry again, as it was. It returns a sentence on
// what came of it.
func (a *App) PutBackMemory(ctx context.Context, r api.Memory) (string, error) {
	e, _ := r.Seen.(memory.Archived)
	p, err := a.memory.PutBack(ctx, e, byUser)
	return written(p, err, "Put back")
}

// MemoryPending implements [api.Memories].
func (a *App) MemoryPending() (list []api.MemoryChange, err error) {
	staged, err := a.memory.Staged()
	for _, p := range staged {
		c := api.MemoryChange{ID: p.ID, At: p.At, Change: p.Change, Diff: p.Diff, Target: string(p.Change.Target)}
		for _, op := range p.Change.Operations {
			if op.OldText != "" {
				c.Removed = append(c.Removed, op.OldText)
			}
			if op.Content != "" {
				c.Added = append(c.Added, op.Content)
			}
		}
		list = append(list, c)
	}
	return list, err
}

// DecideMemory makes a change that waits, or drops it. It returns a sentence on what came
// of it; one that can no longer be made as it was seen goes on waiting, with an error.
func (a *App) DecideMemory(ctx context.Context, id string, take bool) (string, error) {
	if !take {
		return "Dropped: nothing was changed.", a.memory.Drop(ctx, id)
	}
	p, err := a.memory.Take(ctx, id)
	return written(p, err, "Taken")
}

// tellPendingMemory says that changes of memory wait for the user.
func (c *conversation) tellPendingMemory() {
	if list, err := c.app.memory.Staged(); err == nil && len(list) > 0 && !c.app.o.Unattended {
		c.Notify(event.LevelInfo, fmt.Sprintf("%s your decision. See /memory.", tools.Plural(len(list), "memory change needs", "memory changes need")))
	}
}

// maxNamed is how much of an entry that made room is named, in characters.
const maxNamed = 40

// written says what came of a change, which is done.
func written(p memory.Plan, err error, done string) (string, error) {
	switch {
	case err != nil:
		return "", err
	case p.Same():
		return "It is remembered already.", nil
	case len(p.Evicted) > 0:
		texts := make([]string, len(p.Evicted))
		for i, e := range p.Evicted {
			texts[i] = "“" + shorten.Line(e.Text, maxNamed) + "”"
		}
		return fmt.Sprintf("Saved, from the next session on. To make room, %s went to the archive: %s.", tools.Plural(len(texts), "entry", "entries"), strings.Join(texts, ", ")), nil
	}
	return done + ", from the next session on: /memory undo takes it back.", nil
}

// MemoryHistory implements [api.Memories].
func (a *App) MemoryHistory() (list []api.MemoryWrite, err error) {
	written, err := a.memory.History()
	for _, w := range written {
		list = append(list, api.MemoryWrite{
			ID: w.ID, At: w.At, By: w.By, Target: string(w.Target), Removed: places(w.Removed), Added: places(w.Added), Undoes: w.Undoes, Undone: w.Undone,
		})
	}
	return list, err
}

func places(list []memory.Place) (out []api.MemoryText) {
	for _, p := range list {
		out = append(out, api.MemoryText(p))
	}
	return out
}

// MemoryArchive implements [api.Memories].
func (a *App) MemoryArchive() (list []api.Memory, err error) {
	archived, err := a.memory.Archive()
	for _, e := range archived {
		list = append(list, api.Memory{ID: e.ID(), Target: string(e.Target), Text: e.Text, Project: e.Project, At: e.Moved, Reason: e.Reason, Seen: e})
	}
	return list, err
}

// UndoMemory takes back a write, the newest that was not taken back where no id is given.
func (a *App) UndoMemory(ctx context.Context, id string) error {
	if id == "" {
		list, err := a.memory.History()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(w memory.Written) bool { return w.Undoes == "" && !w.Undone })
		if i < 0 {
			return errors.New("nothing was written that could be undone")
		}
		id = list[i].ID
	}
	_, err := a.memory.Undo(ctx, id, byUser)
	return err
}
