package slash

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/tools/spelling"
)

// ErrNoCommand says that a text is not meant as a command and should be sent.
var ErrNoCommand = errors.New("not a command")

// UnknownError says that a text has the form of a command and names none.
type UnknownError struct {
	// Name is what was typed, in lower case and without the slash. It is empty
	// for a slash alone.
	Name string
	// Nearest is the name that was probably meant, empty if none is close.
	Nearest string
	// Instead says, for a command of Hermes Agent, what there is in its place.
	Instead string
}

// Error is one sentence for the user with the next step.
func (e *UnknownError) Error() string {
	switch {
	case e.Name == "":
		return "A slash begins a command: type its name, or /help to see them all."
	case e.Instead != "":
		return "/" + e.Name + ": " + e.Instead
	case e.Nearest != "":
		return fmt.Sprintf("There is no command /%s: did you mean /%s?", e.Name, e.Nearest)
	}
	return fmt.Sprintf("There is no command /%s: see /help, or begin with a blank to send it as text.", e.Name)
}

// AmbiguousError says that a name fits several commands.
type AmbiguousError struct {
	Name string
	// Candidates are the names that begin with Name, in the order of the table.
	Candidates []string
}

// Error is one sentence for the user with the next step.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("/%s can be /%s: type more of it.", e.Name, strings.Join(e.Candidates, " or /"))
}

// blanks are the characters that end a name.
const blanks = " \t\r\n"

// nameBytes bounds the length of a name in bytes.
const nameBytes = 64

// IsCommand reports whether a text has the form of a command, known or not.
//
// The rule: the text begins with a slash, and what follows up to the first white
// space is empty or a name: a letter, then letters, digits, "-" or "_", all of
// them ASCII and at most 64. A second slash or a dot in that word, as in
// "/etc/hosts is wrong" or "/.profile", makes it a path, and the text is sent as
// it is. A text that begins with a blank is never a command.
func IsCommand(text string) bool {
	_, _, ok := split(text)
	return ok
}

// split takes a text of the form of a command apart.
func split(text string) (name, args string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	name = rest
	if i := strings.IndexAny(rest, blanks); i >= 0 {
		name, args = rest[:i], strings.Trim(rest[i:], blanks)
	}
	if len(name) > nameBytes {
		return "", "", false
	}
	if name == "" {
		return "", "", args == ""
	}
	for i := range len(name) {
		c := name[i] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || !(name[i] >= '0' && name[i] <= '9' || name[i] == '-' || name[i] == '_')) {
			return "", "", false
		}
	}
	return strings.ToLower(name), args, true
}

// Parse reads a text as a command with its arguments, which come without the
// white space around them. A name may be written in full, as an alias, or as
// any beginning that fits one command only; case does not matter. Behind these come the
// names that Hermes Agent has for them. more are commands
// besides those of the table, which win where both have a name or a beginning.
//
// It returns [ErrNoCommand] for text that is none (see [IsCommand]), an
// [*AmbiguousError] when several commands fit, and an [*UnknownError] when none
// does. Arguments are not judged.
func Parse(text string, more ...Command) (Command, string, error) {
	name, args, ok := split(text)
	if !ok {
		return Command{}, "", ErrNoCommand
	}
	table := Table()
	if name == "" {
		return Command{}, "", &UnknownError{}
	}
	for _, c := range slices.Concat(table, more) {
		if string(c.Name) == name || slices.Contains(c.Aliases, name) {
			return c, args, nil
		}
	}
	fits, candidates := beginning(table, name)
	if len(fits) == 0 {
		fits, candidates = beginning(more, name)
	}
	switch len(fits) {
	case 0:
		t, known := theirs[name]
		if i := slices.IndexFunc(table, func(c Command) bool { return c.Name == t.is }); i >= 0 {
			if table[i].Args == "" {
				args = ""
			}
			return table[i], cmp.Or(args, t.args), nil
		}
		if known {
			return Command{}, "", &UnknownError{Name: name, Instead: t.says}
		}
		return Command{}, "", &UnknownError{Name: name, Nearest: nearest(name, slices.Concat(table, more))}
	case 1:
		return fits[0], args, nil
	}
	return Command{}, "", &AmbiguousError{Name: name, Candidates: candidates}
}

// beginning finds the commands of which a name begins so, with those names.
func beginning(list []Command, name string) (fits []Command, candidates []string) {
	for _, c := range list {
		for _, n := range names(c) {
			if strings.HasPrefix(n, name) {
				fits, candidates = append(fits, c), append(candidates, n)
				break
			}
		}
	}
	return fits, candidates
}

// names are all names of a command, its own first.
func names(c Command) []string { return append([]string{string(c.Name)}, c.Aliases...) }

// nearest finds the name that differs least from what was typed: by a third of
// its letters at most, and one at least.
func nearest(typed string, table []Command) string {
	best, least := "", max(len(typed)/3, 1)+1
	for _, c := range table {
		for _, n := range names(c) {
			if d := spelling.Distance(typed, n, least); d < least {
				best, least = n, d
			}
		}
	}
	return best
}
