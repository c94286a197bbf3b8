package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// skillShelf is what the screen knows of skills.
type skillShelf struct {
	list     []app.Skill
	problems []app.SkillProblem
	changes  []app.SkillChange // that wait
	archived []app.ArchivedSkill
	at       time.Time // when they were read; zero for not yet
	loading  bool
	window   *skillsWindow // opened last
}

// skillsMsg brings the skills of a conversation, and a command that waits for them.
type skillsMsg struct {
	gen      int
	list     []app.Skill
	problems []app.SkillProblem
	changes  []app.SkillChange
	archived []app.ArchivedSkill
	err      error
	command  string
}

// skillsWindow lists the skills. Acts on the marked one are asked for by keys of its own.
type skillsWindow struct {
	*overlay.Picker
	gen uint64 // of its entries
}

// skillMsg asks for something to be done with a skill of the list.
type skillMsg struct {
	id string // its path, or that of a problem
	do keys.Action
}

// skillDoneMsg says that it was done, or why not.
type skillDoneMsg struct {
	said string
	err  error
}

// Contexts are where the window has keys of its own.
func (*skillsWindow) Contexts() []keys.Context { return []keys.Context{keys.InSkills} }

// Act implements [overlay.Box].
func (w *skillsWindow) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Use, keys.Allow, keys.Pin, keys.Disable, keys.Uninstall:
		if it, ok := w.Selected(); ok {
			return skillMsg{it.ID, a}
		}
		return nil
	case keys.Install, keys.Find, keys.Update, keys.Check:
		it, _ := w.Selected()
		return skillElsewhereMsg{it.ID, w.Query(), a}
	}
	return w.Picker.Act(a)
}

// skillsAge is how old the list may be for completing a name.
const skillsAge = 2 * time.Second

// loadSkills reads the skills; command is run when they are there.
func (m *Model) loadSkills(command string) tea.Cmd {
	if m.conv == nil {
		return nil
	}
	m.skills.loading = true
	a, conv, ctx, gen := m.app, m.conv, m.ctx, m.gen
	return m.do(func() tea.Msg {
		list, problems, err := conv.Skills(ctx)
		changes, e := conv.SkillChanges()
		archived, x := a.ArchivedSkills()
		return skillsMsg{gen, list, problems, changes, archived, errors.Join(err, e, x), command}
	})
}

func (msg skillsMsg) handle(m *Model) tea.Cmd {
	s := &m.skills
	s.loading = false
	if msg.gen != m.gen {
		s.at = time.Time{} // those of another conversation
		return nil
	}
	s.list, s.problems, s.changes, s.archived, s.at = msg.list, msg.problems, msg.changes, msg.archived, m.now()
	var cmds []tea.Cmd
	if msg.err != nil {
		cmds = append(cmds, m.fail(msg.err))
	}
	if w := s.window; w != nil && m.box == w {
		w.SetItems(w.gen, s.items())
		m.dirty = true
		cmds = append(cmds, m.dispatch(w.Search()))
	}
	if msg.command != "" && msg.command == m.composer.Value() {
		return tea.Batch(append(cmds, m.commandWith(msg.command, true))...)
	}
	if q, ok := m.composer.Completion(); ok && q.Kind == composer.SlashQuery {
		m.dirty = true
		cmds = append(cmds, m.completing())
	}
	return tea.Batch(cmds...)
}

// commands are the skills that the user can call.
func (s *skillShelf) commands() []slash.Command {
	var list []slash.Command
	for _, k := range s.list {
		if k.Callable {
			args := k.Arguments
			if args == "" {
				args = "[text]"
			}
			list = append(list, slash.Command{Name: slash.Name(k.Name), Args: args, Help: k.Description, Busy: true, Skill: true})
		}
	}
	return list
}

// moreCommands are the commands besides those of the table.
func (m *Model) moreCommands() []slash.Command {
	return append(m.skills.commands(), m.servers.commands()...)
}

// freshSkills reads the skills again for completing a name, when that is due.
func (m *Model) freshSkills() tea.Cmd {
	if m.skills.loading || m.now().Sub(m.skills.at) < skillsAge {
		return nil
	}
	return m.loadSkills("")
}

// callSkill sends a message that calls skills by their names.
func (m *Model) callSkill() tea.Cmd {
	if a := m.main(); a != nil && a.Parent != "" {
		return m.tell("Skills are called by the main agent only: go back to it.")
	}
	return m.submit(m.takeDraft(), false)
}

// openSkills lists the skills, those first that a text is found in.
func (m *Model) openSkills(search string) tea.Cmd {
	hints := m.windowHints("read", m.hints(keys.InSkills, keys.Use, keys.Allow, keys.Pin, keys.Disable), m.hints(keys.InSkills, keys.Install, keys.Find, keys.Update)...)
	w := &skillsWindow{Picker: overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Skills · tokens in the prompt + to read", Empty: "There are no skills: a folder with a SKILL.md in ~/.hermes/skills makes one, /skills install brings one from elsewhere.", Hints: hints,
		Chosen: func(it overlay.Item) overlay.Request { return skillMsg{it.ID, keys.Open} },
	})}
	w.gen = w.Load()
	m.skills.window = w
	m.show(w)
	cmd := m.loadSkills("")
	if search != "" {
		return tea.Batch(cmd, m.dispatch(w.Type(search)))
	}
	return cmd
}

// The headers of the list, in their order.
var skillGroups = []struct{ state, origin, title string }{
	{"held", "", "Held back until you allow them"},
	{problemID, "", "Could not be read"},
	{"ready", "project", "Of this project"},
	{"ready", "home", "Yours"},
	{"ready", "personal", "Yours, for several programs (.agents, .claude)"},
	{"ready", "external", "From other folders"},
	{"ready", "bundle", "Several at once"},
	{"ready", "bundled", "Part of this program"},
	{"shadowed", "", "Hidden by another one of the same name"},
	{"disabled", "", "Switched off"},
	{"unsupported", "", "For other systems"},
}

// changeID begins the ids of rows about changes that wait.
const changeID = "change"

// problemID begins the ids of rows about what could not be read.
const problemID = "problem"

// items are the rows of the window.
func (s *skillShelf) items() []overlay.Item {
	var items []overlay.Item
	for _, c := range s.changes {
		items = append(items, overlay.Item{ID: changeID + c.ID, Label: c.Name, Detail: c.Action + " " + c.Path, Group: "Changes by agents that need your decision"})
	}
	for _, g := range skillGroups {
		for _, k := range s.list {
			if k.State != g.state || g.origin != "" && k.Origin != g.origin {
				continue
			}
			it := overlay.Item{ID: k.Path, Label: k.Name, Detail: k.Description, Group: g.title, Right: skillCosts(k)}
			if k.Category != "" {
				it.Label = k.Category + "/" + k.Name
			}
			if k.Why != "" {
				it.Detail = k.Why
			}
			items = append(items, it)
		}
		if g.state != problemID {
			continue
		}
		for i, p := range s.problems {
			items = append(items, overlay.Item{ID: problemID + strconv.Itoa(i), Label: lastOf(p.Path), Detail: p.Text, Group: g.title})
		}
	}
	for _, k := range s.archived {
		items = append(items, overlay.Item{ID: k.Path, Label: k.Name, Detail: k.Description, Group: "In the archive, not used (allow brings one back)", Right: "archived " + format.Ago(s.at.Sub(k.At))})
	}
	return items
}

// lastOf is the end of a path, by which it is known among others.
func lastOf(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(parts[max(len(parts)-2, 0):], "/")
}

// skillCosts says what a skill costs and how much it is used, in a few words.
func skillCosts(k app.Skill) string {
	var words []string
	if n := len(k.Problems); n > 0 {
		words = append(words, format.Count(n, "remark", "remarks"))
	}
	if k.Installed {
		words = append(words, "from elsewhere")
	}
	if k.Pinned {
		words = append(words, "pinned")
	}
	if k.Uses > 0 {
		words = append(words, fmt.Sprintf("used %d×", k.Uses))
	}
	cost := format.Tokens(int64(k.Text))
	if k.Offered {
		cost = format.Tokens(int64(k.Listed)) + "+" + cost
	}
	return strings.Join(append(words, cost), " · ")
}

// handle does what was asked for. The window stays open, but for a message that calls
// the skill.
func (msg skillMsg) handle(m *Model) tea.Cmd {
	if c := slices.IndexFunc(m.skills.changes, func(c app.SkillChange) bool { return changeID+c.ID == msg.id }); c >= 0 {
		return m.decideSkillChange(m.skills.changes[c], msg.do)
	}
	if i := slices.IndexFunc(m.skills.archived, func(k app.ArchivedSkill) bool { return k.Path == msg.id }); i >= 0 {
		return m.archivedSkill(m.skills.archived[i], msg.do)
	}
	i := slices.IndexFunc(m.skills.list, func(k app.Skill) bool { return k.Path == msg.id })
	if i < 0 {
		return m.openSkillProblem(msg.id)
	}
	k, conv, ctx := m.skills.list[i], m.conv, m.ctx
	done := func(said string, do func() error) tea.Cmd {
		return m.do(func() tea.Msg { return skillDoneMsg{said, do()} })
	}
	switch msg.do {
	case keys.Use:
		if !k.Callable {
			return m.say("This skill cannot be called now: " + k.Name + ".")
		}
		m.show(nil)
		m.setFocus(focusComposer)
		m.composer.Set("/" + k.Name + " ")
		return nil
	case keys.Allow:
		if k.State != "held" {
			return m.say("This skill does not wait to be allowed.")
		}
		return done(k.Name+" is allowed as it is now; when it changes you are asked again.", func() error { return conv.AllowSkill(ctx, k) })
	case keys.Pin:
		if k.Origin == "bundle" {
			return m.say("Nothing but you changes bundles: there is nothing to pin.")
		}
		said := "Pinned: agents do not delete or archive " + k.Name + "."
		if k.Pinned {
			said = "No longer pinned: " + k.Name + "."
		}
		return done(said, func() error { return conv.PinSkill(ctx, k.Name, !k.Pinned) })
	case keys.Disable:
		off, said := k.State != "disabled", "Switched off: "+k.Name+"."
		if !off {
			said = "Switched on: " + k.Name + "."
		}
		return done(said, func() error { return conv.DisableSkill(ctx, k.Name, off) })
	case keys.Uninstall:
		return m.askUninstall(k)
	}
	return m.readSkill(k)
}

// decideSkillChange makes a change that waits, drops it, or shows it.
func (m *Model) decideSkillChange(c app.SkillChange, do keys.Action) tea.Cmd {
	conv, ctx := m.conv, m.ctx
	switch do {
	case keys.Allow:
		return m.do(func() tea.Msg {
			return skillDoneMsg{"Changed: " + c.Name + ".", conv.DecideSkillChange(ctx, c.ID, true)}
		})
	case keys.Disable:
		return m.do(func() tea.Msg {
			return skillDoneMsg{"Dropped: the change of " + c.Name + ".", conv.DecideSkillChange(ctx, c.ID, false)}
		})
	case keys.Open:
		m.showOver(overlay.NewPager(m.styles, c.Action+" "+c.Name, c.Diff, m.readHints()))
	}
	return nil
}

func (msg skillDoneMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.fail(msg.err)
	}
	if w := m.skills.window; w != nil && m.box == w {
		w.gen = w.Load()
	}
	return tea.Batch(m.say(msg.said), m.loadSkills(""))
}

// openSkillProblem shows what could not be read.
func (m *Model) openSkillProblem(id string) tea.Cmd {
	i, err := strconv.Atoi(strings.TrimPrefix(id, problemID))
	if err != nil || i >= len(m.skills.problems) {
		return nil
	}
	p := m.skills.problems[i]
	m.showOver(overlay.NewPager(m.styles, "Could not be read", p.Path+"\n\n"+p.Text+"\n", m.readHints()))
	return nil
}

// readSkill shows a skill with what is known of it.
func (m *Model) readSkill(k app.Skill) tea.Cmd {
	conv, styles, out := m.conv, m.styles, m.box
	hints := m.readHints()
	return m.do(func() tea.Msg {
		text, files, findings, err := conv.ReadSkill(k)
		if err != nil && text == "" {
			return failedMsg{err}
		}
		return pagerMsg{overlay.NewPager(styles, k.Name, skillText(k, text, files, findings), hints), out}
	})
}

// skillText is all about a skill, above its file.
func skillText(k app.Skill, text string, files, findings []string) string {
	head := []string{k.Path, fmt.Sprintf("About %s tokens to read; %s for its line in the system prompt.", format.Tokens(int64(k.Text)), format.Tokens(int64(k.Listed)))}
	if k.Why != "" {
		head = append(head, "Not used: "+k.Why)
	}
	if len(findings) > 0 {
		head = append(head, "Reads like an attempt to take over the agent: "+strings.Join(findings, ", ")+".")
	}
	head = append(append(head, k.Problems...), k.Notes...)
	if len(files) > 0 {
		head = append(head, "Other files: "+strings.Join(slices.Compact(files), ", ")+".")
	}
	return strings.Join(head, "\n") + "\n\n" + text
}
