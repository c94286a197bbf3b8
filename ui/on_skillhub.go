package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
)

// commandSkills opens the window of skills, or installs, updates or checks those from
// elsewhere.
func (m *Model) commandSkills(args string) tea.Cmd {
	verb, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	a := m.app
	switch {
	case verb == "install" && rest == "":
		return m.say("Say where from: /skills install SOURCE, a folder, an archive, a git repository, OWNER/NAME or a web site.")
	case verb == "install":
		return m.fetchSkills("Skills of "+rest, func(ctx context.Context) ([]*app.SkillOffer, []string, error) {
			o, err := a.FetchSkills(ctx, rest)
			if err != nil {
				return nil, nil, err
			}
			return []*app.SkillOffer{o}, o.Notes, nil
		})
	case verb == "update" && rest == "":
		return m.fetchSkills("What is new of your skills", a.NewSkills)
	case verb == "audit" && rest == "":
		return m.auditSkills()
	case verb == "find":
		return m.findSkills(rest)
	case verb == "uninstall" && rest != "":
		return m.askUninstall(app.Skill{Name: rest, Installed: true})
	}
	return m.openSkills(args)
}

// skillOffersMsg brings skills from elsewhere.
type skillOffersMsg struct {
	title  string
	offers []*app.SkillOffer
	notes  []string
	err    error
}

// fetchSkills fetches skills and shows them.
func (m *Model) fetchSkills(title string, fetch func(ctx context.Context) ([]*app.SkillOffer, []string, error)) tea.Cmd {
	ctx := m.ctx
	return tea.Batch(m.say("Fetching …"), m.do(func() tea.Msg {
		offers, notes, err := fetch(ctx)
		return skillOffersMsg{title, offers, notes, err}
	}))
}

// offeredMsg asks to install a skill; when it is sure, it does.
type offeredMsg struct {
	offer *app.SkillOffer
	skill app.SkillCandidate
	sure  bool
}

func (msg skillOffersMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.fail(msg.err)
	}
	m.note = "" // that it is being fetched
	var items []overlay.Item
	var all []offeredMsg
	for _, n := range msg.notes {
		items = append(items, overlay.Item{Label: n, Group: "Worth knowing", Disabled: n})
	}
	for _, o := range msg.offers {
		for _, c := range o.Skills {
			it := overlay.Item{ID: fmt.Sprint(len(all)), Label: c.Name, Detail: c.Description, Group: "From " + o.Source.String(), Right: c.Verdict + " · " + format.Count(len(c.Files), "file", "files")}
			if len(c.Changed) > 0 {
				it.Right = c.Verdict + " · " + format.Count(len(c.Changed), "change", "changes")
			}
			if it.Disabled = c.Refused; c.Refused != "" {
				it.Detail = "not installed: " + c.Refused
			}
			items, all = append(items, it), append(all, offeredMsg{offer: o, skill: c})
		}
	}
	if len(all) == 0 {
		return m.say(strings.Join(append(msg.notes, "There is nothing new."), " "))
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: msg.title, Hints: m.windowHints("read", nil),
		Chosen: func(it overlay.Item) overlay.Request {
			for i, one := range all {
				if it.ID == fmt.Sprint(i) {
					return one
				}
			}
			return nil
		},
	})
	m.show(p)
	p.SetItems(p.Load(), items)
	return m.dispatch(p.Search())
}

// handle asks whether a skill is to be installed, and installs it.
func (msg offeredMsg) handle(m *Model) tea.Cmd {
	c, ctx := msg.skill, m.ctx
	if msg.sure {
		return tea.Batch(m.closeBox(), m.do(func() tea.Msg {
			_, err := msg.offer.Install(ctx, []string{c.Name}, c.Verdict == app.SkillDangerous)
			said := "Installed: " + c.Name + ". New sessions are told of it."
			if c.Verdict == app.SkillDangerous {
				said = "Installed: " + c.Name + ". It is held back until you allow it under /skills."
			}
			return skillDoneMsg{said, err}
		}))
	}
	lines := []overlay.Line{{Text: c.Description}, {Text: "Looked through: " + c.Verdict + ". Its source: " + sourceTrust(c.Trust) + ".", Warn: c.Verdict == app.SkillDangerous}}
	for _, text := range c.Findings {
		lines = append(lines, overlay.Line{Text: text, Warn: true})
	}
	for _, text := range c.Problems {
		lines = append(lines, overlay.Line{Text: text, Warn: true})
	}
	if len(c.Changed) > 0 {
		lines = append(lines, overlay.Line{Text: "Changes: " + strings.Join(c.Changed, ", ")})
	}
	lines = append(lines, overlay.Line{Text: "Files: " + strings.Join(c.Files, ", ")})
	ask := overlay.NewConfirm(m.styles, "Install "+c.Name+"?", lines, m.questionHints("install", "cancel"))
	msg.sure = true
	ask.Yes = msg
	m.showOver(ask)
	return nil
}

// sourceTrust says in words how far a source is trusted.
func sourceTrust(trust string) string {
	switch trust {
	case "local":
		return "this disk"
	case "trusted":
		return "known for its skills"
	}
	return "anyone's, so read it first"
}

// auditSkills shows what became of the skills from elsewhere.
func (m *Model) auditSkills() tea.Cmd {
	a, styles, out := m.app, m.styles, m.box
	hints := m.readHints()
	return m.do(func() tea.Msg {
		all, err := a.AuditSkills()
		if err != nil {
			return failedMsg{err}
		}
		if len(all) == 0 {
			return saidMsg{"No skill was installed from elsewhere."}
		}
		var b strings.Builder
		for _, k := range all {
			fmt.Fprintf(&b, "%s: %s\n  from %s\n", k.Name, k.Is(), k.Source)
			for _, f := range k.Findings {
				b.WriteString("  " + f + "\n")
			}
		}
		return pagerMsg{overlay.NewPager(styles, "Skills from elsewhere", b.String(), hints), out}
	})
}
