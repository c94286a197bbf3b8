package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
)

// permissions are what the open window lists.
type permissions struct {
	picker *overlay.Picker
	gen    uint64
	list   []app.Permission
	log    []app.Decided
	back   map[int]bool // those that were taken back while it was open
}

// permissionMsg asks to take one of them back, or to give it again, by its entry.
type permissionMsg struct{ id string }

// permissionsMsg brings them.
type permissionsMsg struct {
	permissions
	err error
}

// revokedMsg says that one of them was taken back, or given again.
type revokedMsg struct {
	gen  uint64
	i    int
	back bool
	err  error
}

// openPermissions lists what was decided beforehand, and what was decided lately.
func (m *Model) openPermissions() tea.Cmd {
	hints := m.windowHints("take back, give again", nil)
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Permissions", Empty: "Nothing is allowed beforehand, and nothing was decided yet.", Hints: hints,
		Chosen: func(it overlay.Item) overlay.Request { return permissionMsg{it.ID} },
	})
	gen := p.Load()
	m.show(p)
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		list, log, err := conv.Permissions(ctx)
		return permissionsMsg{permissions{p, gen, list, log, map[int]bool{}}, err}
	})
}

func (msg permissionsMsg) handle(m *Model) tea.Cmd {
	p := msg.picker
	if m.box != p {
		return nil
	}
	m.dirty = true
	if msg.err != nil {
		p.Fail(msg.gen, msg.err.Error())
		return nil
	}
	m.permissions = msg.permissions
	p.SetItems(msg.gen, m.permissions.items(m.state.Work.Home, m.now()))
	return m.dispatch(p.Search())
}

// permissionGroups are the headers above the kinds of permissions.
var permissionGroups = map[app.PermissionKind]string{
	app.PermissionSession: "Allowed until this session ends",
	app.PermissionAlways:  "Allowed always",
	app.PermissionFolder:  "Folders",
	app.PermissionRule:    "Settings",
	app.PermissionProject: "Rules of the project",
}

// items are the rows of the window: what holds, what does not any more, what was
// decided.
func (l *permissions) items(home string, now time.Time) []overlay.Item {
	var items, void []overlay.Item
	for i, p := range l.list {
		it := overlay.Item{ID: strconv.Itoa(i), Label: p.Text, Group: permissionGroups[p.Kind]}
		if p.Kind == app.PermissionFolder {
			it.Label = status.ShortDir(p.Text, home)
		}
		switch {
		case !p.Used.IsZero():
			it.Right = "used " + format.Ago(now.Sub(p.Used))
		case !p.Since.IsZero():
			it.Right = "since " + format.Ago(now.Sub(p.Since))
		case p.Kind != app.PermissionSession:
			it.Right = "not used yet"
		}
		switch {
		case l.back[i]:
			it.Detail = "taken back · enter gives it again"
		case p.Void != "":
			it.Right, it.Group = "void", "Void, "+p.Void
			if p.Example != "" && p.Kind != app.PermissionFolder {
				it.Label, it.Detail = p.Example, p.Text
			}
			void = append(void, it)
			continue
		case p.Example != p.Text:
			it.Detail = p.Example
		}
		items = append(items, it)
	}
	slices.SortStableFunc(void, func(a, b overlay.Item) int { return strings.Compare(a.Group, b.Group) })
	items = append(items, void...)
	for i, d := range l.log {
		items = append(items, overlay.Item{
			ID: logged + strconv.Itoa(i), Label: d.Subject, Detail: because(d) + " · " + outcome(d), Right: format.Ago(now.Sub(d.At)),
			Group: "What the agent wanted to do in this session",
		})
	}
	return items
}

// logged begins the ids of rows about what was decided.
const logged = "log"

// outcome says what became of something the agent wanted to do.
func outcome(d app.Decided) string {
	if text, ok := ranHow[d.Ran]; ok {
		return text
	}
	return outcomes[d.Outcome]
}

// because says who or what decided.
func because(d app.Decided) string {
	if text, ok := decidedBy[d.Outcome+" "+d.By]; ok {
		return text
	}
	return "decided by " + d.By
}

// decisionText says all that is known of a decision.
func decisionText(d app.Decided) string {
	text := d.Subject + "\n\nWhat became of it: " + outcome(d)
	switch d.Ran {
	case "confined":
		text += ": it could write only in the workspace and to temporary files, and reach only hosts that you allow"
	case "outside":
		text += ": it had all your rights"
	}
	if text += ".\nWhy: " + because(d); d.Why != "" {
		text += " (" + d.Why + ")"
	}
	return text + ".\n"
}

// ranHow says how something ran.
var ranHow = map[string]string{"confined": "ran confined", "outside": "ran outside", "plain": "ran", "not": "not done"}

// outcomes say what became of what does not run as a process, or was decided by an
// older program.
var outcomes = map[string]string{"allow": "done", "deny": "not done", "blocked": "not done", "edit": "not done"}

// decidedBy says who or what decided, and why.
var decidedBy = map[string]string{
	"allow person": "you allowed it", "deny person": "you did not allow it", "edit person": "you changed it",
	"allow judge": "no question needed", "blocked judge": "never allowed",
	"allow model": "the model that looks first let it pass", "deny model": "the model that looks first did not allow it",
	"allow rule": "a rule allows it", "deny rule": "a rule forbids it", "allow grant": "you allowed it before",
	"allow place": "no question needed", "allow mode": "the mode asks nothing", "deny mode": "plan mode only reads",
	"deny timeout": "no one answered in time", "deny policy": "no one was there to answer",
}

// handle takes the marked permission back, or gives it again. The window
// stays open.
func (msg permissionMsg) handle(m *Model) tea.Cmd {
	i, err := strconv.Atoi(msg.id)
	if err != nil {
		i, err := strconv.Atoi(strings.TrimPrefix(msg.id, logged))
		if err != nil {
			return nil
		}
		m.showOver(overlay.NewPager(m.styles, "Decision", decisionText(m.permissions.log[i]), m.readHints()))
		return nil
	}
	l := &m.permissions
	if k := l.list[i].Kind; k == app.PermissionRule || k == app.PermissionProject {
		return m.say("This stands in a file: change it there (approvals in config.yaml, or the project's rules).")
	}
	conv, ctx, one, gen, back := m.conv, m.ctx, l.list[i], l.gen, !l.back[i]
	return m.do(func() tea.Msg { return revokedMsg{gen, i, back, conv.Revoke(ctx, one, !back)} })
}

func (msg revokedMsg) handle(m *Model) tea.Cmd {
	p := m.permissions.picker
	switch {
	case msg.err != nil:
		return m.say(sentence(msg.err))
	case m.box != p || msg.gen != m.permissions.gen:
		return nil
	}
	m.dirty = true
	m.permissions.back[msg.i] = msg.back
	m.permissions.gen = p.Load()
	p.SetItems(m.permissions.gen, m.permissions.items(m.state.Work.Home, m.now()))
	return m.dispatch(p.Search())
}
