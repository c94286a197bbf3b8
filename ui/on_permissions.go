package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
)

// permissions are what the open window lists.
type permissions struct {
	*overlay.Picker
	all    bool // what was decided in other sessions is listed, too
	loaded bool
	gen    uint64
	list   []app.Permission
	log    []app.Decided
	back   map[int]bool // those that were taken back while it was open
}

// otherDecisionsMsg asks for the decisions of other sessions, too, or no longer.
type otherDecisionsMsg struct{ of *permissions }

// permissionMsg asks to take one of them back, or to give it again, by its entry.
type permissionMsg struct {
	of *permissions
	id string
}

// permissionsMsg brings them.
type permissionsMsg struct {
	of   *permissions
	list []app.Permission
	log  []app.Decided
	err  error
}

// revokedMsg says that one of them was taken back, or given again.
type revokedMsg struct {
	of   *permissions
	i    int
	back bool
	err  error
}

// Contexts are where the window has keys of its own.
func (*permissions) Contexts() []keys.Context { return []keys.Context{keys.InDecided} }

// Name is what the window is called by those opened out of it.
func (*permissions) Name() string { return "permissions" }

// Act implements [overlay.Box].
func (w *permissions) Act(a keys.Action) overlay.Request {
	if a == keys.Hidden {
		return otherDecisionsMsg{w}
	}
	return w.Picker.Act(a)
}

// openPermissions lists what was decided beforehand, and what was decided lately.
func (m *Model) openPermissions() tea.Cmd {
	w := &permissions{back: map[int]bool{}}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Empty:  "Nothing is allowed beforehand, and nothing was decided yet.",
		Hints:  m.windowHints("revoke, restore", nil, m.hints(keys.InDecided, keys.Hidden)...),
		Chosen: func(it overlay.Item) overlay.Request { return permissionMsg{w, it.ID} },
	})
	w.setTitle()
	w.gen = w.Load()
	m.show(w)
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		list, log, err := conv.Permissions(ctx)
		return permissionsMsg{w, list, log, err}
	})
}

// setTitle says what is listed.
func (w *permissions) setTitle() {
	title := "Permissions"
	if w.all {
		title += " · all sessions"
	}
	w.SetTitle(title)
}

func (msg permissionsMsg) handle(m *Model) tea.Cmd {
	w := msg.of
	if m.box != w {
		return nil
	}
	m.dirty = true
	if msg.err != nil {
		w.Fail(w.gen, msg.err.Error())
		return nil
	}
	w.list, w.log, w.loaded = msg.list, msg.log, true
	return m.listPermissions(w)
}

// listPermissions makes the entries of the window again.
func (m *Model) listPermissions(w *permissions) tea.Cmd {
	m.dirty = true
	w.SetItems(w.gen, w.items(m.state.Work.Home, m.now()))
	return m.dispatch(w.Search())
}

func (msg otherDecisionsMsg) handle(m *Model) tea.Cmd {
	w := msg.of
	w.all = !w.all
	w.setTitle()
	m.dirty = true
	if !w.loaded {
		return nil // what comes is listed so
	}
	w.gen = w.Load()
	return m.listPermissions(w)
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
func (w *permissions) items(home string, now time.Time) []overlay.Item {
	var items, void []overlay.Item
	for i, p := range w.list {
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
		case w.back[i]:
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
	for i, d := range w.log {
		it := overlay.Item{
			ID: logged + strconv.Itoa(i), Label: d.Subject, Detail: because(d) + " · " + outcome(d), Right: format.Ago(now.Sub(d.At)),
			Group: "What the agent wanted to do in this session",
		}
		if d.Session != "" {
			if !w.all {
				break // those of this session come first
			}
			it.Group, it.Detail = "What agents wanted to do in other sessions", d.Session+" · "+it.Detail
		}
		items = append(items, it)
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
	if text += ".\n"; d.Session != "" {
		text += "In the session: " + d.Session + "\n"
	}
	return text
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
		m.showOver(overlay.NewPager(m.styles, "Decision", decisionText(msg.of.log[i]), m.readHints()))
		return nil
	}
	l := msg.of
	if k := l.list[i].Kind; k == app.PermissionRule || k == app.PermissionProject {
		return m.say("This stands in a file: change it there (approvals in config.yaml, or the project's rules).")
	}
	conv, ctx, one, back := m.conv, m.ctx, l.list[i], !l.back[i]
	return m.do(func() tea.Msg { return revokedMsg{l, i, back, conv.Revoke(ctx, one, !back)} })
}

func (msg revokedMsg) handle(m *Model) tea.Cmd {
	w := msg.of
	if msg.err != nil {
		return m.say(sentence(msg.err))
	}
	w.back[msg.i] = msg.back
	if m.box != w {
		return nil
	}
	w.gen = w.Load()
	return m.listPermissions(w)
}
