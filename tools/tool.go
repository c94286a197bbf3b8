// Package tools is the contract between an agent and its tools: what a tool is,
// what it may ask of its surroundings, what it gives back, and which tools an
// agent is shown.
//
// A tool instance belongs to one agent and keeps that agent's state (a shell's
// directory, the stamps of files read, a task list); there is no state in
// packages. Run is called from several goroutines at once only for calls that
// [Parallel] allows to run side by side.
//
// The families live in packages below. A family may import this package, the
// place it acts in (tools/place) and, to run anything, the permit of
// tools/approval; families do not know each other.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"hermes-tui/tools/hunks"
)

// Class says how calls of a tool may be scheduled.
type Class int

// The classes. Exclusive is the zero value: what says nothing runs alone. What
// may run beside what is decided by [Parallel].
const (
	// Exclusive calls run alone, in order.
	Exclusive Class = iota
	// ReadOnly calls change nothing and run beside any others.
	ReadOnly
	// PathScoped calls change the path in their "path" argument, and run beside
	// calls that touch other paths.
	PathScoped
	// Interactive calls ask the user and run alone.
	Interactive
	// ReadsPath calls read the path in their "path" argument, and run beside
	// calls that touch other paths.
	ReadsPath
	// ReadsTree calls read what is below their "path" argument, the working
	// directory when it is absent, and run beside any calls but those that
	// change a path there.
	ReadsTree
	// Delegating calls hand work to subagents, and run beside each other only.
	Delegating
)

// Tool is one tool of one agent.
type Tool struct {
	Name    string
	Toolset string
	// Description is what the model sees of it.
	Description string
	// Parameters is a JSON Schema object, which the model sees as well.
	Parameters json.RawMessage
	// Guidance is a working rule for the system prompt, empty for none.
	Guidance string
	Class    Class
	// ReadsOnly marks a tool that plan mode allows: it changes nothing outside
	// the conversation.
	ReadsOnly bool
	// Changes reports whether a call of a tool that only reads changes something all
	// the same, which plan mode does not allow; nil for a tool without such calls.
	Changes func(args json.RawMessage) bool
	// MaxResult caps the result in characters: 0 is [DefaultMaxResult], a
	// negative value no cap, for tools that page by themselves.
	MaxResult int
	// Available tells why the tool cannot be offered just now; nil says it
	// always can. The answer is cached for 30 seconds.
	Available func(context.Context) error
	// Preview gives what a screen shows of a call before it runs. It must
	// accept any arguments.
	Preview func(args json.RawMessage) View
	// Action says what a call would do to the world, for the gate to judge;
	// nil for a tool that does nothing to it. An error is shown to the model
	// and the call does not run.
	Action func(args json.RawMessage) (Action, error)
	// Files says what a call would do to the texts of files, for the user to decide about
	// its parts beforehand; nil for a tool whose edits are not shown. Run gets what was
	// decided with its permit, see [ReviewOf].
	Files func(args json.RawMessage) ([]hunks.File, error)
	// Edit puts the text of an action as the user has changed it into the
	// arguments; nil for a tool whose actions cannot be edited.
	Edit func(args json.RawMessage, text string) (json.RawMessage, error)
	// Summarise says in a few words what a call did and what came of it, for the
	// line that takes the place of an old result in a long conversation. came is
	// empty when the result is not in the form that the tool gives. nil: the line
	// lists the arguments and the size of the result.
	Summarise func(args, result Members) (did, came string)
	// Again gives what of a result goes back before the model when a long conversation
	// is made shorter, false for nothing; nil for a tool of which nothing does. Of
	// several with one name the newest counts.
	Again func(args, result Members) (Attached, bool)
	// Protected says which results never become such a line.
	Protected Protection
	// Housekeeping marks a tool that only keeps the agent's own notes: text beside
	// its calls was the answer.
	Housekeeping bool
	// Refundable marks a tool that saves model calls: an answer that calls nothing
	// else counts against no budget.
	Refundable bool
	// Scripts says how scripts of the agent may call the tool, nil if they may not.
	Scripts *Scripts
	// Deferred names the group of a tool, such as the MCP server that it comes from,
	// whose definitions may be left out of requests: the model then searches for the
	// tool and calls it by its name. Empty for one that is always before the model.
	Deferred string
	// RootOnly marks a tool that is never handed down to subagents: it writes into what
	// all conversations share, or speaks for the user.
	RootOnly bool
	// Run does it. A failure that the model should hear of is a Result; an
	// error aborts the turn. When ctx ends, Run returns soon.
	Run func(ctx context.Context, c Call, h Host, out Sink) (Result, error)
}

// Scripts says how scripts may call a tool.
type Scripts struct {
	// Without are the arguments that scripts do not have. With any, "timeout" is
	// bounded for scripts as well.
	Without []string
}

// DefaultMaxResult is the cap of a result in characters.
const DefaultMaxResult = 100_000

// Sink takes the live output of a running call. Writes never block for long and
// never fail.
type Sink = io.Writer

// Call is one call, its arguments coerced to the schema.
type Call struct {
	// ID is the program's own id of the call.
	ID   string
	Name string
	Args json.RawMessage
	// Permit is what the gate gave for the tool's Action; nil without one.
	Permit Permit
	// By names the agent that makes it, for people.
	By string
}

// Decode reads the arguments into a struct. The error is written for the model:
// it names the argument and says what was wanted.
func (c Call) Decode(into any) error {
	err := json.Unmarshal(c.Args, into)
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mismatch) && mismatch.Field != "":
		return fmt.Errorf("argument %s of %s: %s is wanted, not %s",
			mismatch.Field, c.Name, goKind(mismatch.Type.Kind()), withArticle(mismatch.Value))
	}
	return fmt.Errorf("arguments of %s: %w", c.Name, err)
}

// goKind names the JSON value that a Go value is read from.
func goKind(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "an integer"
}

// withArticle turns the decoder's name of a value ("bool", "number 1.5") into
// words.
func withArticle(value string) string {
	switch {
	case value == "bool":
		return "a boolean"
	case strings.HasPrefix(value, "number "):
		return "the " + value
	case value == "array" || value == "object":
		return "an " + value
	}
	return "a " + value
}
