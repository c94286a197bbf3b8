// Package extend has the points of a turn at which features of the program act, without the
// conversation knowing them: memory, the files and skills that a message names, the turns that
// are kept for training.
package extend

import (
	"context"
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/tools"
)

// Extension acts at points of a turn. Functions that are nil are skipped; the others are called
// on the goroutine of the agent, one after the other.
type Extension struct {
	// Began is called when a turn of the root agent begins with a text of the user, and returns
	// what goes to the model with it. sent reports whether the model has a text already, with a
	// message of the user.
	Began func(ctx context.Context, in event.Queued, sent func(string) bool) Beside
	// Answered is called after a turn of the root agent that a text of the user began and that
	// was completed. It must return at once.
	Answered func(said, answer string)
	// Compressing is called before messages are left out, and returns what a summary of them
	// should keep.
	Compressing func(ctx context.Context, left []providers.Message) string
	// Reported is called when a subagent has ended, with its task and its report.
	Reported func(task, report string)
	// Ended is called after each turn of the root agent, when that is stored. The next turn
	// waits for it.
	Ended func(t Trajectory)
}

// Beside goes to the model with a text of the user.
type Beside struct {
	Texts []tools.Attached
	// Named is what the text names with an @, Warn what the user is told about it; empty for
	// nothing.
	Named []event.Named
	Warn  string
	// Strangers names what comes from outside the workspace.
	Strangers []string
}

// Trajectory is the course of a turn.
type Trajectory struct {
	Model     string // the one that the turn began with
	Completed bool
	Tools     []providers.ToolDef
	// Messages are those that the model gets of the session now. They must not be kept.
	Messages []providers.Message
}

// List holds extensions in the order in which they act.
type List []Extension

// Began joins what the extensions return. A text that one of them adds counts as sent for the
// next.
func (l List) Began(ctx context.Context, in event.Queued, sent func(string) bool) Beside {
	var all Beside
	had := func(text string) bool {
		return sent(text) || slices.ContainsFunc(all.Texts, func(t tools.Attached) bool { return t.Text == text })
	}
	for _, e := range l {
		if e.Began == nil {
			continue
		}
		b := e.Began(ctx, in, had)
		all.Texts, all.Named, all.Strangers = append(all.Texts, b.Texts...), append(all.Named, b.Named...), append(all.Strangers, b.Strangers...)
		if b.Warn != "" {
			all.Warn = strings.TrimPrefix(all.Warn+"\n"+b.Warn, "\n")
		}
	}
	return all
}

// Answered calls the functions of that name.
func (l List) Answered(said, answer string) {
	for _, e := range l {
		if e.Answered != nil {
			e.Answered(said, answer)
		}
	}
}

// Compressing joins what the extensions return, a line between.
func (l List) Compressing(ctx context.Context, left []providers.Message) string {
	var notes []string
	for _, e := range l {
		if e.Compressing == nil {
			continue
		}
		if note := e.Compressing(ctx, left); note != "" {
			notes = append(notes, note)
		}
	}
	return strings.Join(notes, "\n\n")
}

// Reported calls the functions of that name.
func (l List) Reported(task, report string) {
	for _, e := range l {
		if e.Reported != nil {
			e.Reported(task, report)
		}
	}
}

// Ended calls the functions of that name.
func (l List) Ended(t Trajectory) {
	for _, e := range l {
		if e.Ended != nil {
			e.Ended(t)
		}
	}
}
