package feature

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
)

func learnings() Feature {
	return Feature{
		Name: "learnings", Title: "Learnings", One: "learning", Many: "learnings", Named: "id",
		Short: "List, change and forget what was learnt from calls that failed",
		Long:  "A learning is a call that failed, with what worked instead: the agent is told when a call fails in the same way.",
		Empty: "Nothing was learnt yet.",
		Load: func(_ context.Context, h Host, _ string) (List, error) {
			list, unread, err := h.Learnings.Learnings()
			var l List
			for _, one := range list {
				l.Entries = append(l.Entries, learningEntry(one, h.Now()))
			}
			if unread > 0 {
				l.Note = format.Count(unread, "line", "lines") + " of the file cannot be read"
				l.Title = "Learnings · " + l.Note
			}
			return l, err
		},
		Show: "Show all of a learning", Menu: true,
		Read: func(_ context.Context, _ Host, e Entry) (string, error) {
			return learningText(e.Value.(api.Learning)), nil
		},
		Actions: []Action{
			changeLearning("fix", "Change what to do", func(l *api.Learning) *string { return &l.Fix }),
			changeLearning("failed", "Change what failed", func(l *api.Learning) *string { return &l.Failed }),
			{
				Verb: "forget", Help: "Forget a learning", Label: "Forget it", Note: func(Entry) string { return "/learnings undo puts it back" },
				Do: forgetLearning,
			},
		},
	}
}

func changeLearning(verb, label string, of func(*api.Learning) *string) Action {
	now := func(e Entry) string {
		l := e.Value.(api.Learning)
		return *of(&l)
	}
	return Action{
		Verb: verb, Help: label, Label: label, Note: now, Text: &Text{Name: "TEXT", Ask: label, Now: now},
		Do: func(ctx context.Context, h Host, e Entry, text string) (Outcome, error) {
			l := e.Value.(api.Learning)
			*of(&l) = text
			return said("Changed.", h.Learnings.EditLearning(ctx, l))
		},
	}
}

func forgetLearning(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
	l := e.Value.(api.Learning)
	o, err := said("Forgotten: /learnings undo puts it back.", h.Learnings.ForgetLearning(ctx, l.ID))
	o.Undo = func(ctx context.Context) (Outcome, error) {
		return said("Put back: "+l.Failed, h.Learnings.RestoreLearning(ctx, l))
	}
	return o, err
}

func learningEntry(l api.Learning, now time.Time) Entry {
	e := Entry{ID: l.ID, Label: l.Failed, Detail: "→ " + l.Fix, Right: "not used yet", State: "kept", Value: l}
	if l.Used > 0 {
		e.Right = fmt.Sprintf("used %d×", l.Used)
		if !l.UsedAt.IsZero() {
			e.Right += ", " + format.Ago(now.Sub(l.UsedAt))
		}
	}
	return e
}

// learningText is all that is known of a learning.
func learningText(l api.Learning) string {
	var b strings.Builder
	for _, part := range [][2]string{
		{"Failed", l.Failed},
		{"What it said", l.Output},
		{"Kind of failure", l.Error},
		{"What worked", l.Fix},
		{"Only in", l.Project},
		{"Tags", strings.Join(l.Tags, ", ")},
	} {
		if part[1] != "" {
			b.WriteString(part[0] + ":\n" + part[1] + "\n\n")
		}
	}
	if !l.At.IsZero() {
		b.WriteString("Learnt on " + l.At.Local().Format(time.DateOnly) + ".\n")
	}
	return b.String()
}
