package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/store/skills"
	"hermes-tui/tools"
)

// What can be asked of the curator of skills, see [App.Curate].
const (
	CuratorStatus   = "status"
	CuratorRun      = "run"
	CuratorPause    = "pause"
	CuratorResume   = "resume"
	CuratorPin      = "pin"
	CuratorUnpin    = "unpin"
	CuratorRestore  = "restore"
	CuratorRollback = "rollback"
)

func (a *App) curator() *skills.Curator {
	c := a.config().Curator
	return &skills.Curator{
		Writer:   bind.NewSkillWriter(bind.SkillsOptions{Home: a.o.Home.Skills(), Now: a.o.IDs.Now}),
		Interval: time.Duration(c.Interval) * time.Hour, Stale: time.Duration(c.Stale) * 24 * time.Hour, Old: time.Duration(c.Archive) * 24 * time.Hour,
	}
}

// curate runs the curator in the background when that is due and no one has worked for a
// time, and says what it archived.
func (a *App) curate() {
	if !a.config().Curator.Enabled || a.writable() != nil {
		return
	}
	a.background.run(func(ctx context.Context) {
		c, begun := a.curator(), a.o.IDs.Now()
		due, err := c.Due(ctx)
		if err == nil && due {
			due, err = a.idle(ctx, begun.Add(-time.Duration(a.config().Curator.Idle)*time.Hour), begun)
		}
		var archived []string
		if err == nil && due {
			archived, err = c.Run(ctx, func() *skills.Index { return a.skills.Index() }, false)
		}
		if err != nil {
			a.log.Warn("curator", "err", err)
		}
		if len(archived) > 0 {
			a.announce(archivedText(archived))
		}
	})
}

// idle reports whether no one has worked between two moments.
func (a *App) idle(ctx context.Context, from, to time.Time) (bool, error) {
	list, err := a.db.List(ctx, sessions.Filter{Limit: 10})
	busy := slices.ContainsFunc(list, func(i sessions.ConversationInfo) bool { return i.LastActive.After(from) && i.LastActive.Before(to) })
	return !busy, err
}

// announce tells the user something in the conversations that are open, or in the next.
func (a *App) announce(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.open {
		if c.Conversation != nil {
			c.Notify(event.LevelInfo, text)
		}
	}
	if len(a.open) == 0 {
		a.notices = append(a.notices, text)
	}
}

// archivedText says which skills went to the archive, and how to have them back.
func archivedText(names []string) string {
	more := ""
	if n := len(names) - 5; n > 0 {
		more, names = fmt.Sprintf(" and %d more", n), names[:5]
	}
	return fmt.Sprintf("No longer used, moved to the archive: %s%s. /curator restore NAME brings one back.", strings.Join(names, ", "), more)
}

// ArchivedSkills lists the archive, the newest first.
func (a *App) ArchivedSkills() ([]api.ArchivedSkill, error) {
	kept, err := skills.ArchivedSkills(a.o.Home.Skills())
	list := make([]api.ArchivedSkill, len(kept))
	for i, k := range kept {
		list[i] = api.ArchivedSkill{Name: k.Name, Description: k.Description, Path: k.Dir, At: k.At}
	}
	return list, err
}

// Curate does something with the curator of skills and says what it did; arg is the name
// of a skill, or the id of a change. The status is a text of several lines.
func (a *App) Curate(ctx context.Context, do, arg string) (string, error) {
	c, index := a.curator(), func() *skills.Index { return a.skills.Index() }
	if do == CuratorStatus {
		return a.curatorStatus(c, index())
	}
	if err := a.writable(); err != nil {
		return "", err
	}
	switch do {
	case CuratorRun:
		archived, err := c.Run(ctx, index, true)
		if err != nil || len(archived) == 0 {
			return "No skill was archived: agents made none that is unused for so long.", err
		}
		return archivedText(archived), nil
	case CuratorPause:
		return "The curator is paused: /curator resume has it run again.", c.Pause(ctx, true)
	case CuratorResume:
		return "The curator runs when it is due.", c.Pause(ctx, false)
	case CuratorPin, CuratorUnpin:
		k, _, found := index().Find(arg)
		if !found {
			return "", fmt.Errorf("there is no skill %q", arg)
		}
		on, said := do == CuratorPin, "No longer pinned: "
		if on {
			said = "Pinned: agents and the curator do not delete or archive "
		}
		return said + k.Name + ".", skills.Note(ctx, a.o.Home.Skills(), k.Name, func(u *skills.Use) { u.Pinned = on })
	case CuratorRestore:
		return "Back from the archive: " + arg + ".", c.Restore(ctx, index, arg)
	case CuratorRollback:
		done, err := c.Rollback(ctx, arg)
		return fmt.Sprintf("Taken back: %s of the skill %s.", done.Action, done.Name), err
	}
	return "", fmt.Errorf("/curator cannot %s", do)
}

// shownChanges is how many changes the status lists.
const shownChanges = 30

func (a *App) curatorStatus(c *skills.Curator, ix *skills.Index) (string, error) {
	conf, s := a.config().Curator, c.State()
	counts, err := c.Counts(ix)
	if err != nil {
		return "", err
	}
	kept, err := skills.ArchivedSkills(c.Home)
	if err != nil {
		return "", err
	}
	changes, err := skills.Ledger(c.Home)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	switch {
	case !conf.Enabled:
		b.WriteString("Switched off in the settings (curator.enabled).\n")
	case s.Paused:
		b.WriteString("Paused: /curator resume has it run again.\n")
	case s.Last != nil:
		fmt.Fprintf(&b, "Next run: at a start after %s, when no one has worked for %s.\n", s.Last.Add(c.Interval).Local().Format(minute), tools.Plural(conf.Idle, "hour", "hours"))
	}
	if s.Runs > 0 && s.Last != nil {
		fmt.Fprintf(&b, "Last run: %s (%s).\n", s.Last.Local().Format(minute), s.Summary)
	}
	fmt.Fprintf(&b, "Made by agents: %d active, %d stale after %d days without use; after %d days they are archived.\n", counts["active"], counts["stale"], conf.Stale, conf.Archive)
	fmt.Fprintf(&b, "\nArchived (/curator restore NAME): %d\n", len(kept))
	for _, k := range kept {
		fmt.Fprintf(&b, "  %s  %s\n", k.Name, strings.Join(strings.Fields(k.Description), " "))
	}
	if len(changes) > 0 {
		b.WriteString("\nChanges of skills, the newest first (/curator rollback ID takes one back):\n")
	}
	slices.Reverse(changes)
	for _, ch := range changes[:min(len(changes), shownChanges)] {
		note := ""
		if !ch.Holds {
			note = "  (changed since)"
		}
		fmt.Fprintf(&b, "  %s  %s  %s  %s %s%s\n", ch.ID, ch.At.Local().Format(minute), ch.Actor, ch.Action, ch.Path, note)
	}
	return b.String(), nil
}

// minute is how moments are written.
const minute = "2006-01-02 15:04"
