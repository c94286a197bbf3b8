package ui

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// commandCurator shows what became of skills that no one uses, or has something done
// about them.
func (m *Model) commandCurator(args string) tea.Cmd {
	do, arg, _ := strings.Cut(args, " ")
	if do == "" {
		do = app.CuratorStatus
	}
	return m.curate(do, strings.TrimSpace(arg))
}

func (m *Model) curate(do, arg string) tea.Cmd {
	a, ctx, styles := m.app, m.ctx, m.styles
	hints := m.readHints()
	return m.do(func() tea.Msg {
		text, err := a.Curate(ctx, do, arg)
		if err == nil && do == app.CuratorStatus {
			return pagerMsg{overlay.NewPager(styles, "Curator of skills", text, hints), nil}
		}
		return skillDoneMsg{text, err}
	})
}

// archivedSkill brings a skill back from the archive.
func (m *Model) archivedSkill(k app.ArchivedSkill, do keys.Action) tea.Cmd {
	if do == keys.Allow {
		return m.curate(app.CuratorRestore, filepath.Base(k.Path))
	}
	return m.say(k.Name + " is in the archive: " + k.Path)
}
