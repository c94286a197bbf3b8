package feature

import (
	"context"
	"fmt"
	"path"
	"slices"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
)

// memoryView is what the views of memory have in common.
func memoryView(name, title, empty string, load func(context.Context, Host, string) (List, error)) Feature {
	return Feature{
		Name: "memory " + name, Title: "Memory · " + title, One: "entry", Many: "entries", Named: "id", Empty: empty,
		Short: title, Show: "Show all of an entry", Load: load, Read: readMemory,
	}
}

func memoryHistory() Feature {
	f := memoryView("history", "what was written · enter takes it back", "Nothing was written yet.", func(_ context.Context, h Host, _ string) (List, error) {
		list, err := h.Memory.MemoryHistory()
		var l List
		for _, w := range list {
			e := Entry{
				ID: w.ID, Label: changed(texts(w.Removed), texts(w.Added)), State: w.Target, Right: w.Target + " · " + format.Ago(h.Now().Sub(w.At)),
				More: []string{"by " + w.By}, Enter: "undo", Value: w,
			}
			switch {
			case w.Undone:
				e.Right += " · taken back"
				e.More[0] += ", taken back"
			case w.Undoes != "":
				e.More[0] += ", takes back " + w.Undoes
			}
			l.Entries = append(l.Entries, e)
		}
		return l, err
	})
	f.Takes, f.Closes = "take it back", true
	f.Actions = []Action{{Verb: "undo", Help: "Take back a write", Do: undoMemory}}
	return f
}

func texts(list []api.MemoryText) (out []string) {
	for _, t := range list {
		out = append(out, t.Text)
	}
	return out
}

func memoryArchive() Feature {
	f := memoryView("archive", "archive · enter puts an entry back", "Nothing had to make room yet.", func(_ context.Context, h Host, _ string) (List, error) {
		list, err := h.Memory.MemoryArchive()
		var l List
		for _, r := range list {
			e := memoryEntry(r, h.Now())
			e.Enter = "back"
			l.Entries = append(l.Entries, e)
		}
		return l, err
	})
	f.Takes, f.Closes = "put it back", true
	f.Actions = []Action{{
		Verb: "back", Help: "Remember an entry again", Label: "Put it back", Note: func(Entry) string { return "it is remembered again, as it was" },
		Do: func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
			return said(h.Memory.PutBackMemory(ctx, e.Value.(api.Memory)))
		},
	}}
	return f
}

func memoryWaiting() Feature {
	f := memoryView("waiting", "changes by agents that need your decision", "No change waits.", func(_ context.Context, h Host, _ string) (List, error) {
		list, err := h.Memory.MemoryPending()
		entries := memoryChanges(list, h.Now())
		for i := range entries {
			entries[i].Aside, entries[i].More = "", []string{list[i].Diff}
		}
		return List{Entries: entries}, err
	})
	f.Menu, f.Actions = true, slices.DeleteFunc(memoryEntryActions(), func(a Action) bool { return a.Verb != "take" && a.Verb != "drop" })
	return f
}

func memorySearch() Feature {
	f := memoryView("search", "search", "Nothing was found.", func(ctx context.Context, h Host, words string) (List, error) {
		found, err := h.Here.SearchMemory(ctx, words)
		l := List{Title: fmt.Sprintf("Memory · %s for “%s”", format.Count(len(found), "text", "texts"), line(words))}
		if meaning, _ := h.Here.Meaningful(); !meaning {
			l.Title += " · by words only"
		}
		for i, f := range found {
			l.Entries = append(l.Entries, foundEntry(i, f, h))
		}
		return l, err
	})
	f.Words, f.Session, f.Named = "WORD", true, "name"
	f.Actions = []Action{{
		Verb: "open", Help: "Go to the session of a message",
		Not: func(e Entry) string {
			if e.Is != nil {
				return "That was not said in a session."
			}
			return ""
		},
		Do: func(_ context.Context, _ Host, e Entry, _ string) (Outcome, error) {
			m := e.Value.(api.MemoryFound)
			return Outcome{Session: m.Session, Message: m.Message}, nil
		},
	}}
	return f
}

// foundEntry is a text that was found, an entry of what it was found in.
func foundEntry(i int, f api.MemoryFound, h Host) Entry {
	e := Entry{ID: fmt.Sprint(i + 1), Label: line(f.Text), State: f.From, Right: f.From, Value: f, Enter: "open"}
	if f.Project != "" {
		e.Right += " · only in " + path.Base(f.Project)
	}
	if f.When != "" {
		e.Right += " · " + f.When
	}
	is := func(of string, one Entry) { e.Of, e.Is = of, &one }
	switch {
	case f.Memory != nil:
		is("memory", memoryEntry(*f.Memory, h.Now()))
	case f.Archived != nil:
		is("memory archive", memoryEntry(*f.Archived, h.Now()))
	case f.Learning != nil:
		is("learnings", learningEntry(*f.Learning, h.Now()))
	}
	return e
}
