package app

import (
	"context"
	"fmt"
	"slices"

	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/store/skills"
	"hermes-tui/tools"
)

// SkillChanges implements [Conversation].
func (c *conversation) SkillChanges() ([]api.SkillChange, error) {
	waiting, err := skills.Staged(c.app.o.Home.PendingSkills())
	var list []api.SkillChange
	for _, p := range waiting {
		list = append(list, api.SkillChange{ID: p.ID, Name: p.Edit.Name, Action: p.Edit.Action, Path: p.Path, Diff: p.Diff, At: p.At})
	}
	return list, err
}

// tellPendingSkills says that changes of skills wait for the user.
func (c *conversation) tellPendingSkills() {
	if list, err := skills.Staged(c.app.o.Home.PendingSkills()); err == nil && len(list) > 0 && !c.app.o.Unattended {
		c.Notify(event.LevelInfo, fmt.Sprintf("%s your decision. See /skills.", tools.Plural(len(list), "skill change needs", "skill changes need")))
	}
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
func (c *conversation) Skills(context.Context) ([]api.Skill, []api.SkillProblem, error) {
	return c.app.shown(c.skills.Index())
}

// AllSkills are those of this machine, without those of projects.
func (a *App) AllSkills() ([]api.Skill, []api.SkillProblem, error) { return a.shown(a.skills.Index()) }

func (a *App) shown(ix *skills.Index) ([]api.Skill, []api.SkillProblem, error) {
	used, err := skills.Usage(a.o.Home.Skills())
	installed, err2 := a.skillHub().Installed()
	if err == nil {
		err = err2
	}
	list := make([]api.Skill, 0, len(ix.Skills)+len(ix.Bundles))
	for _, k := range ix.Skills {
		u := used[k.Name]
		list = append(list, api.Skill{
			Name: k.Name, Description: k.Description, Category: k.Category, Origin: string(k.Origin), State: string(k.State), Why: k.Why,
			Path: k.Path(), Arguments: k.Head.Arguments, Problems: k.Problems, Notes: k.Notes,
			Listed: tokensOf(len(k.Name) + len(k.Description) + 5), Text: tokensOf(int(k.Size)),
			Uses: u.Views + u.Uses, Pinned: u.Pinned, Installed: k.Origin == skills.Home && installed[k.Name], Callable: k.Callable(), Offered: k.Offered(), Seen: k,
		})
	}
	for _, b := range ix.Bundles {
		list = append(list, api.Skill{
			Name: b.Name, Description: b.Description, Origin: skills.BundleOrigin, State: string(b.State), Why: b.Why, Path: b.Path,
			Text: tokensOf(len(b.Instruction)), Callable: b.State == skills.Ready, Seen: b,
		})
	}
	problems := make([]api.SkillProblem, len(ix.Problems))
	for i, p := range ix.Problems {
		problems[i] = api.SkillProblem(p)
	}
	return list, problems, err
}

// ReadSkill implements [Conversation].
func (c *conversation) ReadSkill(s api.Skill) (text string, files, findings []string, err error) {
	if b, ok := s.Seen.(skills.Bundle); ok {
		text, err = b.Raw()
		return text, nil, c.app.scanSkill(text), err
	}
	k, _ := s.Seen.(skills.Skill)
	if text, err = k.Raw(); err != nil {
		return "", nil, nil, err
	}
	if files, err = k.Files(); err != nil {
		return text, nil, nil, err
	}
	return text, files, c.app.scanSkill(text), nil
}

// AllowSkill implements [Conversation].
func (c *conversation) AllowSkill(ctx context.Context, s api.Skill) error {
	if err := c.app.writable(); err != nil {
		return err
	}
	if b, ok := s.Seen.(skills.Bundle); ok { // one that changes later has another hash
		return c.app.consents.Allow(ctx, b.Path, b.Hash)
	}
	k, _ := s.Seen.(skills.Skill)
	hash, err := k.ContentHash()
	if err != nil {
		return err
	}
	if k.Hash != "" && hash != k.Hash {
		return fmt.Errorf("the skill %s has changed since you looked: look again", s.Name)
	}
	return c.app.consents.Allow(ctx, k.Dir, hash)
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
	if err := a.write(ctx, "skills.disabled", list); err != nil {
		return err
	}
	a.mu.Lock()
	a.disabled = list
	a.mu.Unlock()
	return nil
}
