package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
)

// permissions are what the open window lists.
type permissions struct {
	gen  uint64
	list []app.Permission
	log  []app.Decided
	back map[int]bool // those that were taken back while it was open
}

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
	hints := append([]status.Hint{{Key: "enter", Text: "take back, give again"}}, m.hints(inOverlay, actEscape)...)
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Permissions", Empty: "Nothing is allowed beforehand, and nothing was decided yet.", Hints: hints,
	})
	gen := p.Load()
	m.show(p, boxPermissions)
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		list, log, err := conv.Permissions(ctx)
		return permissionsMsg{permissions{gen, list, log, map[int]bool{}}, err}
	})
}

func (m *Model) onPermissions(msg permissionsMsg) tea.Cmd {
	p, ok := m.box.(*overlay.Picker)
	if !ok || m.boxKind != boxPermissions {
		return nil
	}
	m.dirty = true
	if msg.err != nil {
		p.Fail(msg.gen, msg.err.Error())
		return nil
	}
	m.permissions = msg.permissions
	p.SetItems(msg.gen, m.permissions.items(m.state.Work.Home, time.Now()))
	return m.boxChanged()
}

// permissionGroups are the headers above the kinds of permissions.
var permissionGroups = map[app.PermissionKind]string{
	app.PermissionSession: "Allowed until this session ends",
	app.PermissionAlways:  "Allowed always",
	app.PermissionFolder:  "Folders",
	app.PermissionRule:    "Settings",
	app.PermissionProject: "Rules of the project",
}

// items are the rows of the window.
func (l *permissions) items(home string, now time.Time) []overlay.Item {
	var items []overlay.Item
	for i, p := range l.list {
		it := overlay.Item{ID: strconv.Itoa(i), Label: p.Text, Group: permissionGroups[p.Kind]}
		switch {
		case l.back[i]:
			it.Detail = "taken back · enter gives it again"
		case p.Kind == app.PermissionFolder:
			it.Label, it.Detail = status.ShortDir(p.Text, home), p.Example
		case p.Example != p.Text:
			it.Detail = p.Example
		}
		switch {
		case !p.Used.IsZero():
			it.Right = "used " + format.Ago(now.Sub(p.Used))
		case !p.Since.IsZero():
			it.Right = "since " + format.Ago(now.Sub(p.Since))
		case p.Kind != app.PermissionSession:
			it.Right = "not used yet"
		}
		items = append(items, it)
	}
	for i, d := range l.log {
		detail := decidedBy[d.Outcome+" "+d.By]
		if detail == "" {
			detail = d.Outcome + " by " + d.By
		}
		if d.Why != "" {
			detail += ": " + d.Why
		}
		items = append(items, overlay.Item{
			ID: "log" + strconv.Itoa(i), Label: d.Subject, Detail: detail, Right: format.Ago(now.Sub(d.At)), Group: "Decided in this session",
		})
	}
	return items
}

// decidedBy says who decided what, where the plain words would not be understood.
var decidedBy = map[string]string{
	"allow person": "you allowed it", "deny person": "you denied it", "edit person": "you changed it",
	"allow judge": "no question needed", "blocked judge": "always blocked", "deny judge": "refused by the model that looks first",
	"allow grant": "allowed before", "allow place": "harmless here", "allow mode": "allowed by the mode", "deny mode": "refused by the mode",
	"deny timeout": "no one answered in time", "deny policy": "no one was there to answer",
}

// permissionAccept takes the marked permission back, or gives it again. The window
// stays open.
func (m *Model) permissionAccept(p *overlay.Picker) tea.Cmd {
	item, ok := p.Accept()
	if !ok {
		return nil
	}
	i, err := strconv.Atoi(item.ID)
	if err != nil {
		return m.say("What was decided stays in the log.")
	}
	l := &m.permissions
	if k := l.list[i].Kind; k == app.PermissionRule || k == app.PermissionProject {
		return m.say("This stands in a file: change it there (approvals in config.yaml, or the project's rules).")
	}
	conv, ctx, one, gen, back := m.conv, m.ctx, l.list[i], l.gen, !l.back[i]
	return m.do(func() tea.Msg { return revokedMsg{gen, i, back, conv.Revoke(ctx, one, !back)} })
}

func (m *Model) onRevoked(msg revokedMsg) tea.Cmd {
	p, ok := m.box.(*overlay.Picker)
	switch {
	case msg.err != nil:
		return m.say(sentence(msg.err))
	case !ok || m.boxKind != boxPermissions || msg.gen != m.permissions.gen:
		return nil
	}
	m.dirty = true
	m.permissions.back[msg.i] = msg.back
	m.permissions.gen = p.Load()
	p.SetItems(m.permissions.gen, m.permissions.items(m.state.Work.Home, time.Now()))
	return m.boxChanged()
}
