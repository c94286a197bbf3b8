package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// skillElsewhereMsg asks for something to do with skills from elsewhere.
type skillElsewhereMsg struct {
	id    string // of the marked row
	typed string
	do    keys.Action
}

func (msg skillElsewhereMsg) handle(m *Model) tea.Cmd {
	switch msg.do {
	case keys.Install:
		return m.beginSkills("install ")
	case keys.Find:
		if msg.typed == "" {
			return m.beginSkills("find ")
		}
		return m.findSkills(msg.typed)
	case keys.Check:
		return m.auditSkills()
	}
	i := slices.IndexFunc(m.skills.list, func(k app.Skill) bool { return k.Path == msg.id && k.Installed })
	if i < 0 {
		return m.commandSkills("update")
	}
	a, k, ctx := m.app, m.skills.list[i], m.ctx
	return tea.Batch(m.say("Fetching …"), m.do(func() tea.Msg {
		o, err := a.UpdateSkill(ctx, k.Name)
		if err != nil {
			return skillOffersMsg{err: err}
		}
		if len(o.Skills[0].Changed) == 0 {
			return said(o.Close(), k.Name+" is as it is there.")
		}
		return skillOffersMsg{"What is new of " + k.Name, []*app.SkillOffer{o}, o.Notes, nil}
	}))
}

// beginSkills begins a command about skills.
func (m *Model) beginSkills(verb string) tea.Cmd {
	if !m.composer.Empty() {
		return m.say("Send or delete what is typed first: the command is written in its place.")
	}
	m.show(nil)
	m.setFocus(focusComposer)
	m.composer.Set("/" + string(slash.Skills) + " " + verb)
	return nil
}

// skillsFoundMsg brings the skills that can be installed.
type skillsFoundMsg struct {
	words string
	list  []app.ListedSkill
	notes []string
	err   error
}

// findSkills looks for skills that can be installed.
func (m *Model) findSkills(words string) tea.Cmd {
	a, ctx := m.app, m.ctx
	return tea.Batch(m.say("Looking …"), m.do(func() tea.Msg {
		list, notes, err := a.FindSkills(ctx, words)
		return skillsFoundMsg{words, list, notes, err}
	}))
}

// installMsg asks for what is at a source of skills.
type installMsg struct{ source string }

func (msg installMsg) handle(m *Model) tea.Cmd { return m.commandSkills("install " + msg.source) }

func (msg skillsFoundMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.fail(msg.err)
	}
	m.note = "" // that it looks
	var items []overlay.Item
	for _, n := range msg.notes {
		items = append(items, overlay.Item{Label: n, Group: "Worth knowing", Disabled: n})
	}
	for i, k := range msg.list {
		items = append(items, overlay.Item{ID: fmt.Sprint(i), Label: k.Name, Detail: k.Description, Group: "From " + k.Index})
	}
	title := "Skills that can be installed"
	if msg.words != "" {
		title += ": " + msg.words
	}
	return m.pick(overlay.PickerOptions{
		Title: title, Empty: "No skill of the indexes has these words.",
		Chosen: func(it overlay.Item) overlay.Request {
			for i, k := range msg.list {
				if fmt.Sprint(i) == it.ID {
					return installMsg{k.Source}
				}
			}
			return nil
		},
	}, items)
}

// uninstallMsg removes a skill from elsewhere.
type uninstallMsg struct{ name string }

// askUninstall asks whether a skill is to be removed.
func (m *Model) askUninstall(k app.Skill) tea.Cmd {
	if !k.Installed {
		return m.say("This skill is not from elsewhere: delete its folder to remove it.")
	}
	ask := overlay.NewConfirm(m.styles, "Remove the skill "+k.Name+"?", []overlay.Line{{Text: "Its folder is deleted. It can be installed again from where it came."}}, m.questionHints("remove", "keep it"))
	ask.Yes = uninstallMsg{k.Name}
	m.showOver(ask)
	return nil
}

func (msg uninstallMsg) handle(m *Model) tea.Cmd {
	a, ctx := m.app, m.ctx
	return tea.Batch(m.closeBox(), m.do(func() tea.Msg {
		return skillDoneMsg{"Removed: " + msg.name + ".", a.UninstallSkill(ctx, msg.name)}
	}))
}
