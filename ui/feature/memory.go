package feature

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
)

func memory() Feature {
	return Feature{
		Name: "memory", Title: "Memory", One: "memory", Many: "memories", Named: "id", Lists: "show",
		Short: "Show, search and change what the agent remembers",
		Long:  "memory does what /memory does in a session. What is changed counts from the next session on.",
		Empty: "Nothing is remembered yet: see /memory add.",
		Load:  loadMemory,
		Show:  "Show all of an entry", Menu: true, Read: readMemory, Actions: append(memoryEntryActions(), memoryActions()...),
		Views: []View{
			{Verb: "search", Key: keys.Find, Help: "Find what is remembered, archived, learnt and was said", Of: memorySearch},
			{Verb: "history", Key: keys.Writes, Help: "List the last writes", Of: memoryHistory},
			{Verb: "archive", Key: keys.Archive, Help: "List what had to make room, or put it back", Of: memoryArchive},
			{Verb: "waiting", Help: "List the changes that agents wanted when no one was there to be asked", Of: memoryWaiting},
		},
	}
}

// memoryWaits reports whether an entry is a change that waits.
func memoryWaits(e Entry) bool {
	_, waits := e.Value.(api.MemoryChange)
	return waits
}

func memoryEntryActions() []Action {
	entry := func(e Entry) string {
		if memoryWaits(e) {
			return "Take the change first: it is no entry yet."
		}
		return ""
	}
	change := func(e Entry) string {
		if !memoryWaits(e) {
			return "That is no change that waits."
		}
		return ""
	}
	about := func(some bool) func(Entry) string {
		return func(e Entry) string {
			if not := entry(e); not != "" {
				return not
			}
			if (e.Value.(api.Memory).Project != "") != some {
				return "It is so already."
			}
			return ""
		}
	}
	text := func(e Entry) string { return e.Value.(api.Memory).Text }
	scope := func(project func(Host, string) string) func(context.Context, Host, Entry, string) (Outcome, error) {
		return func(ctx context.Context, h Host, e Entry, text string) (Outcome, error) {
			return said(h.Memory.ScopeMemory(ctx, e.ID, project(h, text)))
		}
	}
	decide := func(take bool) func(context.Context, Host, Entry, string) (Outcome, error) {
		return func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
			return said(h.Memory.DecideMemory(ctx, e.ID, take))
		}
	}
	undo := func(Entry) string { return "/memory undo takes it back" }
	return []Action{
		{
			Verb: "edit", Key: keys.Editor, Help: "Change an entry", Label: "Change it", Not: entry, Note: func(e Entry) string { return line(text(e)) },
			Text: &Text{Name: "TEXT", Ask: "Change it", Now: text, Editor: "Change it in your editor"},
			Do: func(ctx context.Context, h Host, e Entry, text string) (Outcome, error) {
				return said(h.Memory.EditMemory(ctx, e.ID, text))
			},
		},
		{
			Verb: "narrow", Session: true, Help: "Show an entry in this project only", Label: "Show it in this project only", Not: about(false),
			Note: func(Entry) string { return "other projects do not get it" }, Do: scope(func(h Host, _ string) string { return h.Here.Project() }),
		},
		{
			Verb: "everywhere", Help: "Show an entry in all projects", Label: "Show it in all projects", Not: about(true),
			Note: func(e Entry) string { return "it is about " + e.Value.(api.Memory).Project }, Do: scope(func(Host, string) string { return "" }),
		},
		{
			Verb: "project", Help: "Show an entry in another project only", Label: "Show it in another project only", Not: entry,
			Note: func(Entry) string { return "by its folder" },
			Text: &Text{Name: "FOLDER", Ask: "The folder of the project", Now: func(e Entry) string { return e.Value.(api.Memory).Project }},
			Do:   scope(func(_ Host, folder string) string { return folder }),
		},
		{Verb: "take", Help: "Make a change that waits", Label: "Take it", Note: undo, Not: change, Do: decide(true)},
		{
			Verb: "drop", Key: keys.Remove, Help: "Drop a change that waits", Label: "Drop it", Not: change,
			Note: func(Entry) string { return "nothing is changed" }, Do: decide(false),
		},
		{
			Verb: "forget", Key: keys.Remove, Help: "Forget an entry", Label: "Forget it", Note: undo, Not: entry,
			Do: func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
				return said(h.Memory.EditMemory(ctx, e.ID, ""))
			},
		},
	}
}

func memoryActions() []Action {
	add := func(user bool, project func(Host) string) func(context.Context, Host, Entry, string) (Outcome, error) {
		return func(ctx context.Context, h Host, _ Entry, text string) (Outcome, error) {
			return said(h.Memory.AddMemory(ctx, user, project(h), text))
		}
	}
	all := func(Host) string { return "" }
	text := &Text{Name: "TEXT", Ask: "What to remember"}
	return []Action{
		{Verb: "add", Whole: true, Help: "Remember a text", Text: text, Do: add(false, all)},
		{Verb: "user", Whole: true, Session: true, Help: "Remember a text about you", Text: text, Do: add(true, all)},
		{
			Verb: "here", Whole: true, Session: true, Help: "Remember a text about this project alone", Text: text,
			Do: add(false, func(h Host) string { return h.Here.Project() }),
		},
		{
			Verb: "undo", Whole: true, Key: keys.Undo, Help: "Take back a write, the last one or that of an id in history",
			Text: &Text{Name: "ID", Optional: true}, Do: undoMemory,
		},
		{
			Verb: "now", Whole: true, Session: true, Help: "Tell the model at once what is remembered",
			Do: func(_ context.Context, h Host, _ Entry, _ string) (Outcome, error) {
				h.Here.RenewPrompt()
				return Outcome{Said: "The next turn begins with what is remembered now."}, nil
			},
		},
	}
}

func undoMemory(ctx context.Context, h Host, e Entry, id string) (Outcome, error) {
	if w, ok := e.Value.(api.MemoryWrite); ok {
		id = w.ID
	}
	return said("Taken back, from the next session on.", h.Memory.UndoMemory(ctx, id))
}

func loadMemory(_ context.Context, h Host, _ string) (List, error) {
	list, use, err := h.Memory.Memory()
	waiting, err2 := h.Memory.MemoryPending()
	l := List{
		Title:   fmt.Sprintf("Memory · notes %d%% · you %d%%", use.Notes, use.User),
		Note:    fmt.Sprintf("Notes are %d%% full, what is about you %d%%", use.Notes, use.User),
		Entries: memoryChanges(waiting, h.Now()),
	}
	if h.Here != nil {
		if meaning, _ := h.Here.Meaningful(); !meaning {
			l.Title += " · searched by words only"
		}
	}
	for _, r := range list {
		e := memoryEntry(r, h.Now())
		if len(waiting) > 0 {
			e.Group = "Remembered"
		}
		l.Entries = append(l.Entries, e)
	}
	return l, errors.Join(err, err2)
}

// memoryEntry is an entry of memory, or of its archive.
func memoryEntry(r api.Memory, now time.Time) Entry {
	e := Entry{ID: r.ID, Label: line(r.Text), State: r.Target, Right: r.Target, Value: r}
	if r.Project != "" {
		e.Right += " · only in " + path.Base(r.Project)
		e.More = []string{"only in " + r.Project}
	}
	if !r.At.IsZero() {
		e.Right += " · " + format.Ago(now.Sub(r.At))
	}
	return e
}

// memoryChanges are the changes that wait.
func memoryChanges(list []api.MemoryChange, now time.Time) []Entry {
	entries := make([]Entry, len(list))
	for i, w := range list {
		entries[i] = Entry{
			ID: w.ID, Label: changed(w.Removed, w.Added), State: "waiting", Waits: true, Aside: "waiting", Group: "Changes by agents that need your decision",
			Right: w.Target + " · " + format.Ago(now.Sub(w.At)), Reads: "See what it changes", Value: w,
		}
	}
	return entries
}

// changed are texts that were removed, and those that were added, in a line.
func changed(removed, added []string) string {
	var parts []string
	for _, text := range removed {
		parts = append(parts, "- "+line(text))
	}
	for _, text := range added {
		parts = append(parts, "+ "+line(text))
	}
	return strings.Join(parts, "  ")
}

// readMemory returns all that is known of an entry.
func readMemory(_ context.Context, _ Host, e Entry) (string, error) {
	switch v := e.Value.(type) {
	case api.MemoryChange:
		return v.Diff, nil
	case api.MemoryFound:
		return v.Text + "\n", nil
	case api.Memory:
		text := v.Text + "\n\n"
		if v.Project != "" {
			text += "Only in " + v.Project + ".\n"
		}
		if v.Reason != "" {
			text += "It made room: " + v.Reason + ".\n"
		} else if !v.At.IsZero() {
			text += "Written on " + v.At.Local().Format(time.DateOnly) + ".\n"
		}
		return text, nil
	}
	return e.Label + "\n" + e.Right + "\n", nil
}
