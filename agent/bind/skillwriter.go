package bind

import (
	"context"
	"strings"

	"hermes-tui/agent/prompt"
	"hermes-tui/store/skillguard"
	"hermes-tui/store/skills"
	"hermes-tui/tools/patch"
	"hermes-tui/tools/skill"
)

// NewSkillWriter changes the skills of a home, for agents.
func NewSkillWriter(o SkillsOptions) *skills.Writer {
	return &skills.Writer{
		Home: o.Home, Now: o.Now, Scan: func(text string) []string { return prompt.Scan(text, prompt.ScopeStrict) },
		Guard: func(file, text string) (dangers []string) {
			for _, f := range SkillGuard().Text(skillguard.File{Name: file, Data: []byte(text)}) {
				if f.Severity == skillguard.Critical && f.Category != skillguard.Injection { // of which Scan knows
					dangers = append(dangers, f.String())
				}
			}
			return dangers
		},
		Replace: func(body, before, after string, all bool) (string, error) {
			r, err := patch.Replace(body, before, after, all)
			return r.Body, err
		},
	}
}

// Writer changes skills for the agents of the conversation.
func (s *Skills) Writer() skill.Writer { return skillWriter{s, NewSkillWriter(s.o)} }

type skillWriter struct {
	s *Skills
	w *skills.Writer
}

func editOf(c skill.Change) skills.Edit {
	return skills.Edit{
		Action: strings.TrimSuffix(c.Action, "_file"), Name: c.Name, Content: c.Content, Old: c.Old, New: c.New, All: c.All,
		Category: c.Category, File: c.File, Text: c.Text, Absorbed: c.Absorbed,
	}
}

func (w skillWriter) planned(p skills.Plan) skill.Planned {
	r := skill.Planned{Message: p.Message(), Path: p.Path, Diff: p.Diff(), Advice: p.Advice, Before: p.Before}
	switch {
	case len(p.Dangers) > 0 && skillguard.Decide(skillguard.Agent, skillguard.Dangerous) == skillguard.Ask:
		r.Ask = "looks dangerous: " + strings.Join(p.Dangers, "; ")
	case p.Foreign:
		r.Ask = "changes a skill that was installed, which keeps it from updates"
	case w.s.o.Approve:
		r.Ask = "changes how agents work in all later sessions"
	}
	return r
}

// Plan implements [skill.Writer].
func (w skillWriter) Plan(_ context.Context, c skill.Change) (skill.Planned, error) {
	p, err := w.w.Plan(w.s.Index(), editOf(c))
	return w.planned(p), err
}

// Apply implements [skill.Writer].
func (w skillWriter) Apply(ctx context.Context, c skill.Change, before *string) (skill.Planned, error) {
	p, err := w.w.Apply(ctx, w.s.Index, editOf(c), before)
	return w.planned(p), err
}

// Stage implements [skill.Writer].
func (w skillWriter) Stage(_ context.Context, c skill.Change, _ skill.Planned) (string, error) {
	p, err := w.w.Plan(w.s.Index(), editOf(c))
	if err != nil {
		return "", err
	}
	s, err := skills.Stage(w.s.o.Pending, p, w.s.o.Now())
	return s.ID, err
}
