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
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/ui/keys"
)

// Host is the program, as a front end has it open.
type Host struct {
	Hooks     api.Hooks
	Jobs      api.Jobs
	Servers   api.AllServers
	Project   api.Servers
	Plugins   api.Plugins
	Learnings api.Learnings
	Memory    api.Memories
	// Instructions and Permissions are those of the session.
	Instructions api.Instructions
	Permissions  api.Permissions
	Home         string // the home folder of the user, empty where it is not known
	// Here is the session, nil where there is none.
	Here api.Recollection
	Now  func() time.Time
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
	// Lists is the word of its subcommand that lists it, empty for "list".
	Lists string
	// Short is what its subcommand does, in a line; Long says more.
	Short, Long string
	// Empty is said where there is no entry.
	Empty string
	// Footer is said below the entries, empty for nothing.
	Footer string
	// Words is what can be looked for in a list that is found by it, empty for a list that is
	// shown whole.
	Words string
	// Load reads the entries; words are those that are looked for.
	Load func(ctx context.Context, h Host, words string) (List, error)
	// Read returns all about an entry.
	Read func(ctx context.Context, h Host, e Entry) (string, error)
	// Show is what Read does, in a line. Open is a key that does it as enter does.
	Show string
	Open keys.Action
	// Tail returns the end of what an entry says, to stand below the list; nil where nothing
	// does. A window with that has keys in place of a filter.
	Tail    func(ctx context.Context, h Host, e Entry) string
	Actions []Action
	// Menu reports whether a window offers what can be done with an entry when it is taken,
	// in place of reading it. Takes is the reminder of what it does, empty for the usual one.
	Menu  bool
	Takes string
	// Closes reports whether a window closes once something is done with an entry.
	Closes bool
	// Session reports whether it needs a session: Here is set then.
	Session bool
	// Filters reports whether further words of its command narrow the window down.
	Filters bool
	// Views are further lists of the feature.
	Views []View
}

// View is a further list of a feature, a feature by itself.
type View struct {
	// Verb names it in commands, Key is its action in the table of keys, empty for none.
	Verb string
	Key  keys.Action
	// Help is what it does, in a line.
	Help string
	// Swap reports whether a window shows it in place of the list it is opened from.
	Swap bool
	Of   func() Feature
}

// List is what a feature holds now.
type List struct {
	// Title is that of the window in place of that of the feature, empty for that; Note
	// stands below the list where there is no window.
	Title, Note string
	Entries     []Entry // those of a group together
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
	// Enter is the verb of what a window does when it is taken, empty for the usual. Reads
	// is the row of a menu that reads it, empty for the usual.
	Enter, Reads string
	// Is is the entry of another feature, Of, that it stands for; nil for none.
	Is *Entry
	Of string
	// Aside is the verb of the view that it is of where the command line leaves it out of this
	// list, empty where it does not.
	Aside string
	// Value is what it is made of, a struct that has a form in JSON.
	Value any
}

// All are the features, by name.
func All() []Feature {
	return []Feature{hooks(), instructions(), jobs(), learnings(), servers(), memory(), permissions(), plugins()}
}

// Named returns the feature of a name, or the view of the name of a feature and its verb.
func Named(name string) (Feature, bool) {
	name, verb, _ := strings.Cut(name, " ")
	all := All()
	i := slices.IndexFunc(all, func(f Feature) bool { return f.Name == name })
	switch {
	case i < 0:
		return Feature{}, false
	case verb == "":
		return all[i], true
	}
	v, ok := all[i].View(verb)
	if !ok {
		return Feature{}, false
	}
	return v.Of(), true
}

// Context returns where its keys mean something.
func (f Feature) Context() keys.Context { return cmp.Or(f.Keys, keys.Context(f.Name)) }

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

// line is a text without its line breaks.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// said makes an outcome of a sentence and an error.
func said(text string, err error) (Outcome, error) {
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Said: text}, nil
}
