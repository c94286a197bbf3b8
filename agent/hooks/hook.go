package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"hermes-tui/tools/lazyregexp"
)

// Hook is a command that is to run at an event.
type Hook struct {
	Event   Event
	Command string
	// Matcher says for which tools it runs, or for what else the event is about; empty is
	// all.
	Matcher string
	Timeout time.Duration
	// FailClosed has it refuse whenever it does not say otherwise.
	FailClosed bool
	// Background has no one wait for it, so that it decides nothing.
	Background bool
	// If is a condition on calls of tools in the form of Claude Code, empty for none.
	If string
	// Rewake has the model told what a hook in the background refuses.
	Rewake bool
	// Claude says that it is written for Claude Code: what it is told and how it matches.
	Claude bool
	// Failed has one of Claude Code for [PostToolCall] run after calls that failed, instead
	// of after those that went well.
	Failed bool
	// File is where it is written, From what it belongs to: empty for the settings, the
	// root of a folder, the name of a plugin.
	File, From string
	// Root is the folder that the command finds in CLAUDE_PROJECT_DIR and PLUGIN_ROOT.
	Root string
	// Problem is why it can never run, empty for none.
	Problem string
	// Accepted says that the settings have approved it.
	Accepted bool
	// Outside says that it is to run with all rights of the user.
	Outside bool
	// Confine starts it confined; nil where it runs with all rights of the user, since that
	// is asked for, or nothing can be confined.
	Confine Start
}

// ID names a hook, as long as what it says stays.
func (h Hook) ID() string { return h.digest()[:8] }

// When names the event of a hook.
func (h Hook) When() string {
	if h.Failed {
		return h.Event.String() + " (failed)"
	}
	return h.Event.String()
}

// place is under what its approval is kept. Entries that differ in what they run at are
// decided on one by one.
func (h Hook) place() string {
	place := strings.TrimSpace(h.From + " " + h.When() + " " + h.Command)
	if h.Matcher != "" {
		place += " at " + h.Matcher
	}
	if h.If != "" {
		place += " if " + h.If
	}
	return place
}

func (h Hook) digest(more ...string) string {
	if h.Outside {
		more = append([]string{"outside"}, more...)
	}
	if h.If != "" {
		more = append([]string{"if", h.If}, more...)
	}
	sum := sha256.New()
	for _, s := range append([]string{h.From, h.When(), h.Matcher, h.Command}, more...) {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(s), s) // a hash never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// isFor reports whether a hook runs after a call that ended as this one did.
func (h Hook) isFor(in Input) bool {
	if h.Event != PostToolCall || !h.Claude {
		return true
	}
	return in.More["status"] != "blocked" && h.Failed == (in.More["status"] != "ok")
}

// exact are matchers of Claude Code that list names.
var exact = lazyregexp.New(`^[A-Za-z0-9_\-, |]*$`)

// compiled reports whether a hook runs for one of some names.
type compiled func(names ...string) bool

// compile reads the matcher of a hook.
func (h Hook) compile() (compiled, error) {
	all := func(...string) bool { return true }
	if h.Matcher == "" || h.Matcher == "*" {
		return all, nil
	}
	if h.Claude && exact.MatchString(h.Matcher) {
		list := strings.FieldsFunc(h.Matcher, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
		return func(names ...string) bool {
			for _, n := range names {
				for _, l := range list {
					if n == l {
						return true
					}
				}
			}
			return false
		}, nil
	}
	text := h.Matcher
	if !h.Claude {
		text = `^(?:` + text + `)$`
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return all, fmt.Errorf("its matcher is no regular expression: %s", h.Matcher)
	}
	return func(names ...string) bool {
		for _, n := range names {
			if re.MatchString(n) {
				return true
			}
		}
		return false
	}, nil
}

// State says whether a hook may run.
type State string

// The states.
const (
	Approved State = "approved"
	Changed  State = "changed" // it, or a file that it runs, is not what was approved
	New      State = "new"     // never decided on
	Off      State = "off"     // refused
	Broken   State = "broken"  // it can never run
)

// Process is a program to start.
type Process struct {
	// Argv is the program, or Command, if that is not empty, a line for a shell.
	Argv    []string
	Command string
	Dir     string
	// Env are variables besides those that programs of the user get.
	Env       []string
	In        io.Reader
	Out, Errs io.Writer
}
