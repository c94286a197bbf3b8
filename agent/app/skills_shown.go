package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hermes-tui/agent/bind"
	"hermes-tui/store/config"
	"hermes-tui/store/skills"
)

// Skill is a skill as the user sees it.
type Skill struct {
	Name, Description, Category string
	// Origin is project, home, personal, external or bundled; State ready, held,
	// disabled, shadowed or unsupported, and Why explains any but the first.
	Origin, State, Why string
	Path               string
	Arguments          string // a hint
	Problems           []string
	// Listed is what its line in the system prompt costs, Text what reading it does, in
	// tokens as estimated by length.
	Listed, Text int
	// Uses counts how often it was read or called.
	Uses   int
	Pinned bool
	// Callable says that the user can call it with a slash, Offered that the model is
	// told of it.
	Callable, Offered bool

	skill skills.Skill
}

// SkillProblem is something in a folder of skills that could not be read.
type SkillProblem struct{ Path, Text string }

// SkillChange is a change of a skill that an agent wanted when no one was there to be
// asked.
type SkillChange struct {
	ID, Name, Action, Path, Diff string
	At                           time.Time
}

// SkillChanges implements [Conversation].
func (c *conversation) SkillChanges() ([]SkillChange, error) {
	waiting, err := skills.Staged(c.app.o.Home.PendingSkills())
	var list []SkillChange
	for _, p := range waiting {
		list = append(list, SkillChange{ID: p.ID, Name: p.Edit.Name, Action: p.Edit.Action, Path: p.Path, Diff: p.Diff, At: p.At})
	}
	return list, err
}

// DecideSkillChange implements [Conversation].
func (c *conversation) DecideSkillChange(ctx context.Context, id string, yes bool) error {
	home := c.app.o.Home
	w := bind.NewSkillWriter(bind.SkillsOptions{Home: home.Skills(), Now: c.app.o.IDs.Now})
	return w.Decide(ctx, home.PendingSkills(), id, c.skills.Index, yes)
}

// tokensOf estimates tokens by the length of a text.
func tokensOf(chars int) int { return (chars + 3) / 4 }

// Skills implements [Conversation].
func (c *conversation) Skills(context.Context) ([]Skill, []SkillProblem, error) {
	ix := c.skills.Index()
	used, err := skills.Usage(c.app.o.Home.Skills())
	list := make([]Skill, len(ix.Skills))
	for i, k := range ix.Skills {
		u := used[k.Name]
		list[i] = Skill{
			Name: k.Name, Description: k.Description, Category: k.Category, Origin: string(k.Origin), State: string(k.State), Why: k.Why,
			Path: k.Path(), Arguments: k.Head.Arguments, Problems: k.Problems,
			Listed: tokensOf(len(k.Name) + len(k.Description) + 5), Text: tokensOf(int(k.Size)),
			Uses: u.Views + u.Uses, Pinned: u.Pinned, Callable: k.Callable(), Offered: k.Offered(), skill: k,
		}
	}
	problems := make([]SkillProblem, len(ix.Problems))
	for i, p := range ix.Problems {
		problems[i] = SkillProblem(p)
	}
	return list, problems, err
}

// ReadSkill implements [Conversation].
func (c *conversation) ReadSkill(s Skill) (text string, files, findings []string, err error) {
	if text, err = s.skill.Raw(); err != nil {
		return "", nil, nil, err
	}
	if files, err = s.skill.Files(); err != nil {
		return text, nil, nil, err
	}
	return text, files, c.app.scanSkill(text), nil
}

// AllowSkill implements [Conversation].
func (c *conversation) AllowSkill(ctx context.Context, s Skill) error {
	if err := c.app.writable(); err != nil {
		return err
	}
	hash, err := s.skill.ContentHash()
	if err != nil {
		return err
	}
	if s.skill.Hash != "" && hash != s.skill.Hash {
		return fmt.Errorf("the skill %s has changed since you looked: look again", s.Name)
	}
	return c.app.consents.Allow(ctx, s.skill.Dir, hash)
}

// PinSkill implements [Conversation].
func (c *conversation) PinSkill(ctx context.Context, name string, on bool) error {
	return skills.Note(ctx, c.app.o.Home.Skills(), name, func(u *skills.Use) { u.Pinned = on })
}

// DisableSkill implements [Conversation].
func (c *conversation) DisableSkill(ctx context.Context, name string, off bool) error {
	a := c.app
	a.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(a.disabled), func(n string) bool { return n == name })
	a.mu.Unlock()
	if off {
		list = append(list, name)
	}
	if err := config.Set(ctx, config.Options{File: a.o.Home.Config(), Env: a.o.Env}, "skills.disabled", list); err != nil {
		return err
	}
	a.mu.Lock()
	a.disabled = list
	a.mu.Unlock()
	return nil
}
