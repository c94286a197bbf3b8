package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/store/skills"
	"hermes-tui/tools"
)

// Skill is a skill as the user sees it.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Category    string `json:"category,omitempty"`
	// Origin is project, home, personal, external, bundled, or bundle for a name of several
	// skills that are called together; State ready, held,
	// disabled, shadowed or unsupported, and Why explains any but the first.
	Origin    string   `json:"origin"`
	State     string   `json:"state"`
	Why       string   `json:"why,omitempty"`
	Path      string   `json:"path"`
	Arguments string   `json:"arguments,omitempty"` // a hint
	Problems  []string `json:"problems,omitempty"`
	Notes     []string `json:"notes,omitempty"`
	// Listed is what its line in the system prompt costs, Text what reading it does, in
	// tokens as estimated by length.
	Listed int `json:"listed_tokens"`
	Text   int `json:"text_tokens"`
	// Uses counts how often it was read or called.
	Uses   int  `json:"uses"`
	Pinned bool `json:"pinned"`
	// Installed says that it came from elsewhere.
	Installed bool `json:"installed"`
	// Callable says that the user can call it with a slash, Offered that the model is
	// told of it.
	Callable bool `json:"callable"`
	Offered  bool `json:"offered"`

	skill  skills.Skill
	bundle skills.Bundle // of origin bundle
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
func (c *conversation) Skills(context.Context) ([]Skill, []SkillProblem, error) {
	return c.app.shown(c.skills.Index())
}

// AllSkills are those of this machine, without those of projects.
func (a *App) AllSkills() ([]Skill, []SkillProblem, error) { return a.shown(a.skills.Index()) }

func (a *App) shown(ix *skills.Index) ([]Skill, []SkillProblem, error) {
	used, err := skills.Usage(a.o.Home.Skills())
	installed, err2 := a.skillHub().Installed()
	if err == nil {
		err = err2
	}
	list := make([]Skill, 0, len(ix.Skills)+len(ix.Bundles))
	for _, k := range ix.Skills {
		u := used[k.Name]
		list = append(list, Skill{
			Name: k.Name, Description: k.Description, Category: k.Category, Origin: string(k.Origin), State: string(k.State), Why: k.Why,
			Path: k.Path(), Arguments: k.Head.Arguments, Problems: k.Problems, Notes: k.Notes,
			Listed: tokensOf(len(k.Name) + len(k.Description) + 5), Text: tokensOf(int(k.Size)),
			Uses: u.Views + u.Uses, Pinned: u.Pinned, Installed: k.Origin == skills.Home && installed[k.Name], Callable: k.Callable(), Offered: k.Offered(), skill: k,
		})
	}
	for _, b := range ix.Bundles {
		list = append(list, Skill{
			Name: b.Name, Description: b.Description, Origin: skills.BundleOrigin, State: string(b.State), Why: b.Why, Path: b.Path,
			Text: tokensOf(len(b.Instruction)), Callable: b.State == skills.Ready, bundle: b,
		})
	}
	problems := make([]SkillProblem, len(ix.Problems))
	for i, p := range ix.Problems {
		problems[i] = SkillProblem(p)
	}
	return list, problems, err
}

// ReadSkill implements [Conversation].
func (c *conversation) ReadSkill(s Skill) (text string, files, findings []string, err error) {
	if s.Origin == skills.BundleOrigin {
		text, err = s.bundle.Raw()
		return text, nil, c.app.scanSkill(text), err
	}
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
	if s.Origin == skills.BundleOrigin { // one that changes later has another hash
		return c.app.consents.Allow(ctx, s.bundle.Path, s.bundle.Hash)
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
	if err := a.write(ctx, "skills.disabled", list); err != nil {
		return err
	}
	a.mu.Lock()
	a.disabled = list
	a.mu.Unlock()
	return nil
}
