package app

import (
	"context"

	"hermes-tui/agent/api"
	"hermes-tui/agent/lessons"
	"hermes-tui/agent/prompt"
	"hermes-tui/store/learnings"
)

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

// Learnings implements [api.Learnings].
func (a *App) Learnings() (list []api.Learning, unread int, err error) {
	kept, unread, err := a.learnings.List()
	for _, e := range kept {
		list = append(list, api.Learning{
			ID: e.ID, Failed: e.Pattern, Error: e.ErrorType, Output: e.Context, Fix: e.Fix, Project: e.Project, Tags: e.Tags,
			Used: e.TimesUsed, UsedAt: e.UsedAt, At: e.CreatedAt, Seen: e,
		})
	}
	return list, unread, err
}

// EditLearning implements [api.Learnings].
func (a *App) EditLearning(ctx context.Context, l api.Learning) error {
	return a.learnings.Replace(ctx, learningOf(l))
}

// ForgetLearning implements [api.Learnings].
func (a *App) ForgetLearning(ctx context.Context, id string) error {
	return a.learnings.Forget(ctx, id)
}

// RestoreLearning implements [api.Learnings].
func (a *App) RestoreLearning(ctx context.Context, l api.Learning) error {
	return a.learnings.Restore(ctx, learningOf(l))
}

// learningOf returns the entry as it was read, with the texts of l.
func learningOf(l api.Learning) learnings.Entry {
	e, _ := l.Seen.(learnings.Entry)
	e.ID, e.Pattern, e.Fix = l.ID, l.Failed, l.Fix
	return e
}
