package feature

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/ui/keys"
)

// Action is something that can be done with an entry, or with all of a list.
type Action struct {
	// Verb names it in commands; Also are other words for it.
	Verb string
	Also []string
	// Key is its action in the table of keys, empty where a window does not offer it.
	Key keys.Action
	// Help is what it does, in a line.
	Help string
	// Label is its row in a menu of what can be done with an entry, empty for none; Note
	// stands behind it, may be nil.
	Label string
	Note  func(e Entry) string
	// Slow reports whether it may take seconds, so that its start is told, in Starts or in
	// the usual words.
	// An Alone one ends what it still does of the time before.
	Slow, Alone bool
	Starts      string
	// Session reports whether it needs a session, as [Feature.Session].
	Session bool
	// Whole reports whether it is about the list: the entry is the zero one then.
	Whole bool
	// Not says why it cannot be done with an entry, empty where it can; nil where it always can.
	Not func(e Entry) string
	// Text is the text that it takes, nil for none.
	Text *Text
	// Twice is what its key does when it is pressed a second time, empty where the first does
	// it. Ask returns what the user has to agree to before it is done, nil for nothing.
	Twice string
	Ask   func(e Entry) *Question
	Do    func(ctx context.Context, h Host, e Entry, text string) (Outcome, error)
}

// Text is a text that an action takes. A window asks for it in a field or in the user's
// editor, commands take it as an argument.
type Text struct {
	Name string // as in the usage of a command: "TEXT"
	// Ask is the title of the field.
	Ask string
	// Now is the text as it is, nil where there is none.
	Now func(e Entry) string
	// Optional reports whether it may be left out: no field asks for it then.
	Optional bool
	// Editor is the row of a menu that asks for it in the user's editor, as the key of the
	// action does; empty for a field in any case.
	Editor string
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

// Asks returns what the user has to agree to before the action is done, nil for nothing.
func (a Action) Asks(e Entry) *Question {
	if a.Ask == nil {
		return nil
	}
	return a.Ask(e)
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
	// Draft begins the next message of the user, empty for none.
	Draft string
	// Session is to be shown, at a message of it, empty for none.
	Session, Message string
	// Undo takes it back, nil where that is not possible. Until the list is read again a
	// window keeps the entry, with Gone behind it.
	Undo func(ctx context.Context) (Outcome, error)
	Gone string
}

// Action returns the action that a word means.
func (f Feature) Action(word string) (Action, bool) {
	i := slices.IndexFunc(f.Actions, func(a Action) bool { return a.Verb == word || slices.Contains(a.Also, word) })
	if i < 0 {
		return Action{}, false
	}
	return f.Actions[i], true
}

// Keyed returns the action of a key for an entry, nil for no entry: of several the first that
// can be done. The error says why none can.
func (f Feature) Keyed(key keys.Action, e *Entry) (Action, error) {
	err := errors.New("no entry is marked")
	for _, a := range f.Actions {
		switch {
		case a.Key != key:
		case a.Whole:
			return a, nil
		case e != nil:
			not := a.Fits(*e)
			if not == nil {
				return a, nil
			}
			err = not
		}
	}
	return Action{}, err
}

// Fits returns why the action cannot be done with an entry, nil where it can.
func (a Action) Fits(e Entry) error {
	if a.Not == nil || a.Whole {
		return nil
	}
	if why := a.Not(e); why != "" {
		return errors.New(why)
	}
	return nil
}

// Run does an action, and refuses what it is not for.
func (a Action) Run(ctx context.Context, h Host, e Entry, text string) (Outcome, error) {
	if err := a.Fits(e); err != nil {
		return Outcome{}, err
	}
	if text = strings.TrimSpace(text); text == "" && a.Text != nil && !a.Text.Optional {
		return Outcome{}, fmt.Errorf("%s needs %s", a.Verb, a.Text.Name)
	}
	return a.Do(ctx, h, e, text)
}

// View returns the view that a word means.
func (f Feature) View(word string) (View, bool) {
	i := slices.IndexFunc(f.Views, func(v View) bool { return v.Verb == word })
	if i < 0 {
		return View{}, false
	}
	return f.Views[i], true
}

// Verbs are the words that a command of the feature takes.
func (f Feature) Verbs() (list []string) {
	for _, a := range f.Actions {
		list = append(list, a.Verb)
	}
	for _, v := range f.Views {
		list = append(list, v.Verb)
	}
	return list
}

// Acts are the actions in the table of keys that a window of the feature has: those about
// an entry, and those about the list.
func (f Feature) Acts() (entry, list []keys.Action) {
	for _, a := range f.Actions {
		switch {
		case a.Key == "" || slices.Contains(entry, a.Key) || slices.Contains(list, a.Key):
		case a.Whole:
			list = append(list, a.Key)
		default:
			entry = append(entry, a.Key)
		}
	}
	for _, v := range f.Views {
		if v.Key != "" {
			list = append(list, v.Key)
		}
	}
	return entry, list
}

// Enters is the reminder of what taking an entry does.
func (f Feature) Enters() string {
	if f.Menu {
		return cmp.Or(f.Takes, "open")
	}
	return cmp.Or(f.Takes, "read")
}

// Split returns the name of the entry and the text that the words behind the verb of a
// command are.
func (a Action) Split(words string) (name, text string) {
	switch {
	case a.Whole:
		return "", words
	case a.Text == nil:
		return words, ""
	}
	name, text, _ = strings.Cut(words, " ")
	return name, strings.TrimSpace(text)
}

// Takes is the text that the action takes, as the usage of a command has it.
func (a Action) Takes() string {
	switch {
	case a.Text == nil:
		return ""
	case a.Text.Optional:
		return "[" + a.Text.Name + "]"
	}
	return a.Text.Name
}
