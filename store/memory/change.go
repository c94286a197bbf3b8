package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Target names a file.
type Target string

// The targets.
const (
	Notes Target = "memory" // MEMORY.md, what the agent noted
	User  Target = "user"   // USER.md, who the user is
)

// Targets are all of them.
var Targets = []Target{Notes, User}

// File is the name of its file.
func (t Target) File() string { return strings.ToUpper(string(t)) + ".md" }

// The actions of operations.
const (
	Add     = "add"
	Replace = "replace"
	Remove  = "remove"
)

// Operation is one step of a change.
type Operation struct {
	Action string `json:"action"`
	// Content is the entry to add, or the whole of what takes the place of another.
	Content string `json:"content,omitempty"`
	// OldText is a part of the entry to replace or to remove that no other has.
	OldText string `json:"old_text,omitempty"`
	// Project is the folder that the entry is about from then on, empty for none. With nil
	// what takes the place of another is about the same.
	Project *string `json:"project,omitempty"`
	// At is when a new entry was written; zero means the present.
	At time.Time `json:"created_at,omitzero"`
	// Whole says that OldText is the whole entry, and Of the project that it is about,
	// empty for none.
	Whole bool   `json:"whole,omitempty"`
	Of    string `json:"of,omitempty"`
}

// Change is what is done to one target in one step.
type Change struct {
	Target     Target      `json:"target"`
	Operations []Operation `json:"operations"`
	// By says who makes it, for the history.
	By string `json:"by,omitempty"`
	// Project is what those work on who make it: a part of the text means no entry about
	// another project.
	Project string `json:"seen_from,omitempty"`
}

// Problem says why a change was refused.
type Problem string

// The problems.
const (
	MissingArgument Problem = "missing_argument"
	Empty           Problem = "empty"
	InvalidTarget   Problem = "invalid_target"
	UnknownAction   Problem = "unknown_action"
	Threat          Problem = "threat"
	OverLimit       Problem = "over_limit"
	NotFound        Problem = "not_found"
	Ambiguous       Problem = "ambiguous"
	Drift           Problem = "drift"
	Divided         Problem = "divided" // an entry holds what stands between entries
	Stale           Problem = "stale"   // what was to be undone has changed since
)

// Error is a change that was refused. Nothing was written.
type Error struct {
	Problem Problem
	Text    string   // a sentence for the model and the user
	Matches []string // the entries that it can mean, shortened
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

func refuse(p Problem, format string, args ...any) error {
	return &Error{Problem: p, Text: fmt.Sprintf(format, args...)}
}

// Check tells what is wrong with a change as such, whatever is stored.
func (s *Store) Check(c Change) error {
	if !slices.Contains(Targets, c.Target) {
		return refuse(InvalidTarget, "There is no target %q: it is memory or user.", c.Target)
	}
	if len(c.Operations) == 0 {
		return refuse(MissingArgument, "There is no operation.")
	}
	for _, op := range c.Operations {
		if err := s.check(op); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) check(op Operation) error {
	switch op.Action {
	case Add, Replace, Remove:
	default:
		return refuse(UnknownAction, "There is no action %q: it is add, replace or remove.", op.Action)
	}
	if op.Action != Add && op.OldText == "" {
		return refuse(MissingArgument, "%s needs old_text: a part of the entry that no other has.", op.Action)
	}
	if op.Project != nil && strings.ContainsFunc(*op.Project, unicode.IsControl) {
		return refuse(Divided, "The name of the project is not one line of text.")
	}
	if op.Action == Remove {
		return nil
	}
	if op.Content == "" {
		return refuse(MissingArgument, "%s needs content.", op.Action)
	}
	if strings.TrimSpace(op.Content) == "" {
		return refuse(Empty, "The content is empty.")
	}
	if !utf8.ValidString(op.Content) {
		return refuse(Divided, "The content is not text in UTF-8.")
	}
	if found := s.o.Scan(op.Content); len(found) > 0 {
		return refuse(Threat, "Blocked: the content reads as an attempt to take over the agent or to hide something (%s). Say it in other words.", strings.Join(found, ", "))
	}
	return nil
}

// apply makes the operations in memory, and gives them with the whole entries that they
// mean. fresh are the texts that they wrote.
func apply(entries []Entry, c Change, now time.Time) (after []Entry, fresh []string, whole []Operation, err error) {
	after = slices.Clone(entries)
	for _, op := range c.Operations {
		e := Entry{Text: strings.TrimSpace(op.Content), At: op.At}
		if e.At.IsZero() {
			e.At = now
		}
		if op.Project != nil {
			e.Project = *op.Project
		}
		if op.Action == Add {
			if !has(after, e) {
				after = append(after, e)
			}
		} else {
			i, err := find(after, op, c.Project)
			if err != nil {
				return nil, nil, nil, err
			}
			op.OldText, op.Whole, op.Of = after[i].Text, true, after[i].Project
			after = op.on(after, i, e)
		}
		if op.Action != Remove {
			fresh = append(fresh, e.Text)
		}
		whole = append(whole, op)
	}
	if !slices.Equal(split(join(lines(after))), lines(after)) {
		return nil, nil, nil, refuse(Divided, "An entry cannot hold a line with nothing but a section sign: it stands between entries.")
	}
	return after, fresh, whole, nil
}

// on removes the entry at i, or puts e into its place. What is there already is not there
// twice.
func (op Operation) on(entries []Entry, i int, e Entry) []Entry {
	old := entries[i]
	if op.Project == nil {
		e.Project = old.Project
	}
	if e.Text == old.Text {
		e.At = old.At
	}
	if op.Action == Remove || !e.same(old) && has(entries, e) {
		return slices.Delete(entries, i, i+1)
	}
	entries[i] = e
	return entries
}

// find gives the place of the entry that an operation means, as those see it who work on a
// project. Of several that are the same it is the first; of the same text about this project
// and about none, that about this one.
func find(entries []Entry, op Operation, project string) (int, error) {
	means := func(e Entry) bool { return e.Seen(project) && strings.Contains(e.Text, op.OldText) }
	if op.Whole {
		means = func(e Entry) bool { return e.same(Entry{Text: op.OldText, Project: op.Of}) }
	}
	at, several := -1, []string(nil)
	for i, e := range entries {
		if !means(e) {
			continue
		}
		if at < 0 || e.Text == entries[at].Text && entries[at].Project == "" && e.Project != "" {
			at = i
		}
		if !slices.Contains(several, e.Text) {
			several = append(several, e.Text)
		}
	}
	switch {
	case at < 0 && op.Whole:
		return 0, refuse(Stale, "The entry has changed since: %s", short(op.OldText))
	case at < 0:
		return 0, refuse(NotFound, "No entry holds %q.", short(op.OldText))
	case len(several) > 1:
		for i := range several {
			several[i] = short(several[i])
		}
		return 0, &Error{Problem: Ambiguous, Text: fmt.Sprintf("Several entries hold %q: give more of the one that is meant.", short(op.OldText)), Matches: several}
	}
	return at, nil
}

// maxPreview is how much of an entry an error shows, in characters.
const maxPreview = 80

func short(text string) string {
	if r := []rune(text); len(r) > maxPreview {
		return string(r[:maxPreview]) + "..."
	}
	return text
}
