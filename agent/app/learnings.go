package app

import (
	"context"

	"hermes-tui/agent/lessons"
	"hermes-tui/agent/prompt"
	"hermes-tui/store/learnings"
)

// Learning is what was learnt from a call that failed.
type Learning = learnings.Entry

// openLearnings makes the store of learnings; its file is read when it is needed.
func (a *App) openLearnings() *learnings.Store {
	return learnings.New(learnings.Options{
		Path: a.o.Home.Learnings(), Limit: a.config().Learnings.MaxEntries, Mask: a.masker().Text, Now: a.o.IDs.Now,
		Scan: func(text string) []string { return prompt.Scan(text, prompt.ScopeStrict) },
	})
}

// lessons say how a conversation about a project learns.
func (a *App) lessons(project string) lessons.Options {
	c := a.config().Learnings
	if !c.Capture && !c.Apply {
		return lessons.Options{}
	}
	return lessons.Options{
		Store: a.learnings, Capture: c.Capture, Apply: c.Apply, Project: project,
		Warn: func(err error) { a.log.Warn("learnings", "err", err) },
	}
}

// Learnings lists what was learnt, the newest first, and counts the lines of the file
// that cannot be read.
func (a *App) Learnings() (list []Learning, unread int, err error) { return a.learnings.List() }

// ForgetLearning deletes a learning, RestoreLearning puts it back as it was, and
// EditLearning puts another one into the place of the one with its id.
func (a *App) ForgetLearning(ctx context.Context, id string) error {
	return a.learnings.Forget(ctx, id)
}

// RestoreLearning puts a learning back that was forgotten.
func (a *App) RestoreLearning(ctx context.Context, l Learning) error {
	return a.learnings.Restore(ctx, l)
}

// EditLearning changes the texts of a learning.
func (a *App) EditLearning(ctx context.Context, l Learning) error {
	return a.learnings.Replace(ctx, l)
}
