package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	bundled "hermes-tui/skills"
	"hermes-tui/store/skills"
	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// openSkills gets ready to find skills, and looks for them before they are needed.
func (a *App) openSkills() {
	home := a.place.Info().Home
	w := skills.Where{Home: a.o.Home.Skills(), User: home}
	if _, err := os.Lstat(a.o.Home.NoBundledSkills()); err != nil {
		w.Bundled = bundled.Files()
	}
	for _, dir := range a.config().Skills.ExternalDirs {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(dir) {
			a.notices = append(a.notices, "The folder "+dir+" of skills.external_dirs is not absolute and was ignored.")
			continue
		}
		w.External = append(w.External, dir)
	}
	a.disabled = a.config().Skills.Disabled
	a.consents = bind.NewConsents(bind.SkillKind, a.db, a.o.IDs, a.seal, func(err error) { a.log.Warn("skills", "err", err) })
	a.instructions = bind.NewConsents(bind.InstructionKind, a.db, a.o.IDs, a.seal, func(err error) { a.log.Warn("instructions", "err", err) })
	a.skills = skills.Open(skills.Options{
		Roots: skills.Roots(w), More: a.pluginSkills, Bundles: a.o.Home.SkillBundles(), Cache: a.o.Home.SkillIndex(), Now: a.o.IDs.Now, Allowed: a.consents.Allowed,
		Disabled: func() []string {
			a.mu.Lock()
			defer a.mu.Unlock()
			return a.disabled
		},
		Scan: a.scanSkill,
	})
	a.background.run(func(context.Context) { a.skills.Index() })
}

// scanSkill names what in a skill reads like an attempt to take over the agent.
func (*App) scanSkill(text string) []string {
	return prompt.ScanInstructions(text, prompt.ScopeContext)
}

// skillsOf are the skills of a conversation: those of its project as well where it works
// on this machine.
func (a *App) skillsOf(c *conversation, session event.SessionID) *bind.Skills {
	o := bind.SkillsOptions{
		Library: a.skills, Home: a.o.Home.Skills(), Session: string(session), Pending: a.o.Home.PendingSkills(), Approve: a.config().Skills.WriteApproval, Percent: a.config().Skills.IndexPercent, Now: a.o.IDs.Now,
		Has: func(name string) bool {
			v, ok := tools.Variable(c.environ(), name)
			return ok && v != ""
		},
		Find: func(name string) bool { return found(c.place.FS(), c.environ(), name) },
		Warn: func(err error) { a.log.Warn("skills", "err", err) },
	}
	root := a.rootOf(c.dir)
	if c.remote == nil && a.config().Skills.Projects && !a.within(root, a.place.Info().Home) {
		o.Project = func() []skills.Root {
			roots := skills.ProjectRoots(c.root(c.dir), root, c.trusted())
			for i := range roots {
				roots[i].Taken = a.trustsOnce(root)
			}
			return roots
		}
	}
	return bind.NewSkills(o)
}

// tellHeldSkills says that skills wait for the user. What a folder holds that is not
// trusted is not spoken of.
func (c *conversation) tellHeldSkills() {
	var names []string
	for _, k := range c.skills.Index().Skills {
		if k.State == skills.Held && (k.Origin != skills.Project || c.trusted()) {
			names = append(names, k.Name)
		}
	}
	if n := len(names); n > 0 {
		c.Notify(event.LevelWarn, fmt.Sprintf("%s held back until you allow it: %s. See /skills.", tools.Plural(n, "skill is", "skills are"), strings.Join(names[:min(n, 5)], ", ")))
	}
}

// found reports whether there is a program in the PATH of an environment.
func found(fs place.FS, env []string, program string) bool {
	dirs, _ := tools.Variable(env, "PATH")
	return slices.ContainsFunc(filepath.SplitList(dirs), func(dir string) bool {
		info, err := fs.Stat(filepath.Join(dir, program))
		return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
	})
}
