package feature

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
)

func permissions() Feature { return permissionsOf(false) }

// permissionsOf lists what was decided beforehand and lately; all lists the decisions of other
// sessions, too.
func permissionsOf(all bool) Feature {
	f := Feature{
		Name: "permissions", Title: "Permissions", One: "permission", Many: "permissions", Named: "name",
		Short: "List what is allowed beforehand and what was decided, and take permissions back",
		Empty: "Nothing is allowed beforehand, and nothing was decided yet.", Takes: "revoke, restore",
		Load: func(ctx context.Context, h Host, _ string) (List, error) { return loadPermissions(ctx, h, all) },
		Show: "Show all of a permission or a decision", Read: readPermission,
		Actions: []Action{
			{Verb: "revoke", Help: "Take a permission back", Not: notRevoked, Do: revoke},
			{Verb: "again", Help: "Give a permission again that was taken back", Not: notRevoked, Do: giveAgain},
		},
		Views: []View{{
			Verb: "all", Key: keys.Hidden, Swap: true, Help: "List what was decided in other sessions, too",
			Of: func() Feature { return permissionsOf(!all) },
		}},
	}
	if all {
		f.Title += " · all sessions"
	}
	return f
}

// permissionGroups are the headers above the kinds of permissions.
var permissionGroups = map[api.PermissionKind]string{
	api.PermissionSession: "Allowed until this session ends",
	api.PermissionAlways:  "Allowed always",
	api.PermissionFolder:  "Folders",
	api.PermissionRule:    "Settings",
	api.PermissionProject: "Rules of the project",
}

// loadPermissions lists what holds, what does not any more, what was decided.
func loadPermissions(ctx context.Context, h Host, all bool) (List, error) {
	list, log, err := h.Permissions.Permissions(ctx)
	var holds, void []Entry
	ids := map[string]int{}
	for _, p := range list {
		e := permissionEntry(p, h)
		if ids[e.ID]++; ids[e.ID] > 1 {
			e.ID += fmt.Sprint("#", ids[e.ID])
		}
		if p.Void != "" {
			void = append(void, e)
			continue
		}
		holds = append(holds, e)
	}
	slices.SortStableFunc(void, func(a, b Entry) int { return cmp.Compare(a.Group, b.Group) })
	l := List{Entries: append(holds, void...)}
	for i, d := range log {
		if d.Session != "" && !all {
			break // those of this session come first
		}
		l.Entries = append(l.Entries, decisionEntry(i, d, h.Now()))
	}
	return l, err
}

func permissionEntry(p api.Permission, h Host) Entry {
	e := Entry{ID: string(p.Kind) + " " + p.Text, Label: p.Text, State: string(p.Kind), Group: permissionGroups[p.Kind], Enter: "revoke", Value: p}
	if rest, home := strings.CutPrefix(p.Text, h.Home); p.Kind == api.PermissionFolder && h.Home != "" && home && (rest == "" || rest[0] == '/') {
		e.Label = "~" + rest
	}
	switch {
	case !p.Used.IsZero():
		e.Right = "used " + format.Ago(h.Now().Sub(p.Used))
	case !p.Since.IsZero():
		e.Right = "since " + format.Ago(h.Now().Sub(p.Since))
	case p.Kind != api.PermissionSession:
		e.Right = "not used yet"
	}
	switch {
	case p.Void != "":
		e.Right, e.Group = "void", "Void, "+p.Void
		if p.Example != "" && p.Kind != api.PermissionFolder {
			e.Label, e.Detail = p.Example, p.Text
		}
	case p.Example != p.Text:
		e.Detail = p.Example
	}
	return e
}

func decisionEntry(i int, d api.Decided, now time.Time) Entry {
	e := Entry{
		ID: fmt.Sprint("decision ", i+1), Label: d.Subject, Detail: became(d) + " · " + because(d), State: "decided", Right: format.Ago(now.Sub(d.At)),
		Group: "What the agent wanted to do in this session", Value: d,
	}
	if d.Session != "" {
		e.Group, e.Detail = "What agents wanted to do in other sessions", d.Session+" · "+e.Detail
	}
	return e
}

// notRevoked says why an entry cannot be taken back, or given again.
func notRevoked(e Entry) string {
	p, is := e.Value.(api.Permission)
	switch {
	case !is:
		return "That is a decision: nothing of it holds."
	case p.Kind == api.PermissionRule || p.Kind == api.PermissionProject:
		return "This stands in a file: change it there (approvals in config.yaml, or the project's rules)."
	}
	return ""
}

func revoke(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
	o, err := said("Taken back: "+e.Label+".", h.Permissions.Revoke(ctx, e.Value.(api.Permission), false))
	o.Gone = "taken back · enter gives it again"
	o.Undo = func(ctx context.Context) (Outcome, error) { return giveAgain(ctx, h, e, "") }
	return o, err
}

func giveAgain(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
	return said("Given again: "+e.Label+".", h.Permissions.Revoke(ctx, e.Value.(api.Permission), true))
}

// became says what became of something the agent wanted to do.
func became(d api.Decided) string {
	if text, ok := ranHow[d.Ran]; ok {
		return text
	}
	return outcomes[d.Outcome]
}

// because says who or what decided.
func because(d api.Decided) string {
	if text, ok := decidedBy[d.Outcome+" "+d.By]; ok {
		return text
	}
	return "decided by " + d.By
}

// readPermission returns all that is known of a permission or a decision.
func readPermission(_ context.Context, _ Host, e Entry) (string, error) {
	d, is := e.Value.(api.Decided)
	if !is {
		p := e.Value.(api.Permission)
		lines := slices.DeleteFunc([]string{p.Text, p.Example, e.Group, e.Right}, func(s string) bool { return s == "" })
		return strings.Join(lines, "\n") + "\n", nil
	}
	text := d.Subject + "\n\nWhat became of it: " + became(d)
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
	return text, nil
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
