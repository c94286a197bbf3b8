// Package feature describes, as data, the lists of the program that a user looks at and acts
// on: hooks, background jobs, MCP servers, plugins. Front ends draw them. The screen makes a window and a slash command of
// each, plain lines a command, the command line a subcommand with --json.
//
// A feature is one file here and one line in [All]. It reads and changes the program by the
// topics of package api alone, so it can be tried with any implementation of these. Texts may
// hold whatever files and other machines say: drawers make them safe.
package feature

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/ui/keys"
)

// Host is the program, as a front end has it open.
type Host struct {
	Hooks   api.Hooks
	Jobs    api.Jobs
	Servers api.AllServers
	Project api.Servers
	Plugins api.Plugins
	Now     func() time.Time
	// OpenPage shows an address in a browser on this machine, and reports whether one was
	// begun; nil where there is none.
	OpenPage func(address string) bool
}

// Feature is a list with what can be done with its entries.
type Feature struct {
	// Name is that of its slash command and its subcommand; Title that of its window. Keys is
	// its context of keys, empty for that of the name.
	Name, Title string
	Keys        keys.Context
	// One and Many name an entry and several: "hook", "hooks".
	One, Many string
	// Named is what an entry is named by on the command line: "id", which may be shortened,
	// or "name".
	Named string
	// Short is what its subcommand does, in a line; Long says more.
	Short, Long string
	// Empty is said where there is no entry.
	Empty string
	// Footer is said below the entries, empty for nothing.
	Footer string
	// Load reads the entries.
	Load func(ctx context.Context, h Host) (List, error)
	// Read returns all about an entry.
	Read func(ctx context.Context, h Host, e Entry) (string, error)
	// Show is what Read does, in a line. Open is a key that does it as enter does.
	Show string
	Open keys.Action
	// Tail returns the end of what an entry says, to stand below the list; nil where nothing
	// does. A window with that has keys in place of a filter.
	Tail    func(ctx context.Context, h Host, e Entry) string
	Actions []Action
}

// List is what a feature holds now.
type List struct {
	Entries []Entry // those of a group together
	// Problems say what could not be read.
	Problems []string
	// Changed is closed when the list has changed by itself, nil where it does not. Again is
	// after how long it is to be read again anyway, 0 for never.
	Changed <-chan struct{}
	Again   time.Duration
}

// Entry returns the entry of an id.
func (l List) Entry(id string) (Entry, bool) {
	i := slices.IndexFunc(l.Entries, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return Entry{}, false
	}
	return l.Entries[i], true
}

// Entry is a row of a list.
type Entry struct {
	// ID names it. Label is what it is; Detail and Right say more.
	ID, Label, Detail, Right string
	// State is one word; Group is the header that it stands below.
	State, Group string
	// More is said of it where there is room for lines.
	More []string
	// Waits reports whether the user has to decide about it, Live whether what it says grows.
	Waits, Live bool
	// Value is what it is made of, a struct that has a form in JSON.
	Value any
}

// Action is something that can be done with an entry.
type Action struct {
	// Verb names it in commands; Also are other words for it.
	Verb string
	Also []string
	// Key is its action in the table of keys, empty where a window does not offer it.
	Key keys.Action
	// Help is what it does, in a line.
	Help string
	// Slow reports whether it may take seconds, so that its start is told.
	// An Alone one ends what it still does of the time before.
	Slow, Alone bool
	// Not returns why it cannot be done with an entry, empty where it can; nil for always.
	Not func(e Entry) string
	// Twice is what its key does when it is pressed a second time, empty where the first does
	// it. Ask returns what the user has to agree to before it is done, nil for nothing.
	Twice string
	Ask   func(e Entry) *Question
	Do    func(ctx context.Context, h Host, e Entry) (Outcome, error)
}

// Question is what a user has to agree to. Commands of the command line, which say all
// themselves, are not asked.
type Question struct {
	Title, Yes string
	Lines      []Line
}

// Line is a paragraph of a [Question]. One that warns stands out.
type Line struct {
	Text string
	Warn bool
}

// Refuses returns why the action cannot be done with an entry, empty where it can.
func (a Action) Refuses(e Entry) string {
	if a.Not == nil {
		return ""
	}
	return a.Not(e)
}

// Run does it with an entry, if it can be done.
func (a Action) Run(ctx context.Context, h Host, e Entry) (Outcome, error) {
	if why := a.Refuses(e); why != "" {
		return Outcome{}, errors.New(why)
	}
	return a.Do(ctx, h, e)
}

// Asks returns what the user has to agree to before the action is done, nil for nothing.
func (a Action) Asks(e Entry) *Question {
	if a.Ask == nil {
		return nil
	}
	return a.Ask(e)
}

// Keyed returns the action that a key stands for at an entry: of several the first that can
// be done.
func (f Feature) Keyed(key keys.Action, e Entry) (a Action, ok bool) {
	for _, of := range f.Actions {
		if of.Key == key && key != "" && (!ok || a.Refuses(e) != "" && of.Refuses(e) == "") {
			a, ok = of, true
		}
	}
	return a, ok
}

// Outcome is what came of an action.
type Outcome struct {
	Said string // in a sentence, empty for nothing
	Text string // to be read, empty for none
	// Title stands above the text, empty for that of the entry. Copy is what is copied of it,
	// empty for all. End has it read from its end.
	Title, Copy string
	End         bool
	// Wait returns the rest of the outcome, for which the user does something elsewhere; nil
	// for none. The text is of use until then.
	Wait func() (Outcome, error)
}

// All are the features, by name.
func All() []Feature { return []Feature{hooks(), jobs(), servers(), plugins()} }

// Named returns the feature of a name.
func Named(name string) (Feature, bool) {
	all := All()
	if i := slices.IndexFunc(all, func(f Feature) bool { return f.Name == name }); i >= 0 {
		return all[i], true
	}
	return Feature{}, false
}

// Context returns where its keys mean something.
func (f Feature) Context() keys.Context { return cmp.Or(f.Keys, keys.Context(f.Name)) }

// Action returns the action that a word means.
func (f Feature) Action(word string) (Action, bool) {
	i := slices.IndexFunc(f.Actions, func(a Action) bool { return a.Verb == word || slices.Contains(a.Also, word) })
	if i < 0 {
		return Action{}, false
	}
	return f.Actions[i], true
}

// Find returns the entry that a name means, or the beginning of its id. The error says which
// command lists them.
func (f Feature) Find(l List, name, command string) (Entry, error) {
	var found []Entry
	for _, e := range l.Entries {
		switch {
		case strings.EqualFold(e.ID, name):
			return e, nil
		case f.Named == "id" && name != "" && strings.HasPrefix(e.ID, name) && (len(found) == 0 || found[0].ID != e.ID): // alike entries share one id
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, fmt.Errorf("there is no %s %s: %s shows them", f.One, name, command)
	case 1:
		return found[0], nil
	}
	return Entry{}, fmt.Errorf("more than one %s begins with %s: %s shows them", f.One, name, command)
}

// group is a state of entries with the header above them.
type group struct{ state, title string }

// grouped sorts entries by their state and heads them; those of other states are left out.
func grouped(entries []Entry, groups []group) []Entry {
	of := func(e Entry) int { return slices.IndexFunc(groups, func(g group) bool { return g.state == e.State }) }
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return of(e) < 0 })
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(of(a), of(b)) })
	for i := range entries {
		entries[i].Group = groups[of(entries[i])].title
	}
	return entries
}

// said makes an outcome of a sentence and an error.
func said(text string, err error) (Outcome, error) {
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Said: text}, nil
}
