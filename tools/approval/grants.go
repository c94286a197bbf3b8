package approval

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// Grant is a stored permission.
type Grant struct {
	Kind    tools.ActionKind
	Pattern string // what it allows, as it was shown
	Example string // the command or path that it was given for
	At      time.Time
	// Pins are the files that would have run, as they were: it holds for no others. Of
	// what runs, nil is a permission from before there were any, which does not hold.
	Pins []Pin
}

// same reports whether two permissions are for the same.
func (n Grant) same(o Grant) bool {
	return n.Kind == o.Kind && n.Pattern == o.Pattern && slices.Equal(n.Pins, o.Pins)
}

// Unbound reports whether it is one for what runs from before permissions were bound
// to files. Such ones do not hold.
func (n Grant) Unbound() bool {
	return n.Pins == nil && (n.Kind == tools.ActExec || n.Kind == tools.ActCode)
}

// Grants keeps permissions for good. It is safe for concurrent use.
type Grants interface {
	List(ctx context.Context) ([]Grant, error)
	Add(ctx context.Context, g Grant) error
}

// maxRule is the longest command, in bytes, that a permission is offered for.
const maxRule = 1000

// maxExample is how much of what a permission was given for is kept, in bytes.
const maxExample = 2000

// neverGranted are reasons for which no lasting permission is offered: what
// would run cannot be seen beforehand, or guards the agent itself, or changes
// what is obeyed.
var neverGranted = []shellrisk.Category{
	shellrisk.CatObfuscated, shellrisk.CatUnparsable, shellrisk.CatTooComplex, shellrisk.CatAgentConfig, shellrisk.CatProjectConfig, shellrisk.CatSensitiveFile, shellrisk.CatSystemConfig, shellrisk.CatEnvInjection,
	shellrisk.CatUntrusted, shellrisk.CatRule,
}

// grantsFor gives the permissions that cover an action, the narrowest first. A
// permission matches only if it is one of them, letter by letter; so one that
// would be shown differently from what it is, is none.
func (g *Gate) grantsFor(m *matter) []tools.Scope {
	a := m.Action
	if m.asking != nil || m.Because != "" || relativePath(a.Env) || slices.ContainsFunc(m.verdict.Categories, func(c shellrisk.Category) bool {
		return slices.Contains(neverGranted, c)
	}) {
		return nil
	}
	var list []tools.Scope
	if _, ok := g.bound(m); !ok {
		return nil
	}
	switch {
	case a.Kind == tools.ActCode:
		list = []tools.Scope{{Label: "this very script", Rule: g.scriptRule(m)}}
	case a.Kind == tools.ActFetch:
		list = g.fetchScopes(m)
	case a.Kind == tools.ActCall:
		list = []tools.Scope{
			{Label: "this tool", Rule: fmt.Sprintf("use %s of the MCP server %q", strconv.Quote(a.Item), a.Server)},
			{Label: "all tools of " + a.Server, Rule: fmt.Sprintf("use all tools of the MCP server %q", a.Server)},
		}
	case a.Kind == tools.ActWrite:
		list = g.writeScopes(m)
	case a.Kind == tools.ActExec && len(a.Command) <= maxRule:
		list = []tools.Scope{{Label: "this command", Rule: fmt.Sprintf("in %q exactly: %s", a.Dir, a.Command)}}
		if wide := shellrisk.WideRule(a.Command, m.verdict); wide != "" && !g.shadowed(m.seen.First(), a, m.set) {
			list = append(list, tools.Scope{Label: "this subcommand", Rule: wide})
		}
		list = append(list, g.programScope(m)...)
	}
	if m.leaves() {
		list = wide(list)
	}
	return slices.DeleteFunc(list, func(s tools.Scope) bool { return shellrisk.Canonical(s.Rule) != s.Rule })
}

// scriptRule is the permission for one script, by its content, in its folder.
func (g *Gate) scriptRule(m *matter) string {
	rule := m.Tool
	if !m.set.InScratch(m.Action.Dir) { // one of these has another name in each session
		rule += fmt.Sprintf(" in %q", m.Action.Dir)
	}
	return fmt.Sprintf("%s, exactly the script sha256:%x", rule, sha256.Sum256([]byte(m.Action.Command)))
}

// keep keeps a permission for what was asked about, for the session or for good.
func (g *Gate) keep(ctx context.Context, n Grant, choice tools.Choice) {
	if n.Pattern == "" {
		return // allowed for this once
	}
	n.Example, n.At = n.Example[:min(len(n.Example), maxExample)], g.o.Clock()
	g.SetSession(n, true)
	if choice != tools.ChoiceAlways || g.o.Grants == nil {
		return
	}
	if err := g.o.Grants.Add(ctx, n); err != nil {
		g.o.Warn(fmt.Errorf("store the permission: %w", err))
	}
}

// grantedOutside gives the permission that covers the action, and the permit for it,
// with all rights of the user.
func (g *Gate) grantedOutside(ctx context.Context, m *matter) (Permit, string) {
	if len(g.given(ctx, m.Action.Kind, g.grantsFor(m))) == 0 {
		return Permit{}, ""
	}
	out, err := g.outside(m)
	if err != nil || out.verdict.Decision == shellrisk.Blocked || out.forbidden != nil || out.asking != nil {
		return Permit{}, ""
	}
	return out.permit, g.granted(ctx, out)
}

// granted gives the permission that covers the action, empty for none.
func (g *Gate) granted(ctx context.Context, m *matter) string {
	scopes := g.grantsFor(m)
	if len(scopes) == 0 {
		return ""
	}
	pins, _ := g.bound(m)
	return g.grantedAs(ctx, m.Action.Kind, scopes, pins)
}

// grantedAs gives the permission that is one of the scopes and holds for all the
// files, empty for none.
func (g *Gate) grantedAs(ctx context.Context, kind tools.ActionKind, scopes []tools.Scope, pins []Pin) string {
	for _, n := range g.given(ctx, kind, scopes) {
		if !slices.ContainsFunc(pins, func(p Pin) bool { return !slices.Contains(n.Pins, p) }) {
			return n.Pattern
		}
	}
	return ""
}

// given are the permissions that are one of the scopes, whatever files they are bound
// to: those of the session first.
func (g *Gate) given(ctx context.Context, kind tools.ActionKind, scopes []tools.Scope) []Grant {
	if len(scopes) == 0 {
		return nil
	}
	list := g.Session()
	if g.o.Grants != nil {
		stored, err := g.o.Grants.List(ctx)
		if err != nil {
			g.o.Warn(fmt.Errorf("read permissions: %w", err))
		}
		list = append(list, stored...)
	}
	return slices.DeleteFunc(list, func(n Grant) bool {
		return n.Kind != kind || n.Unbound() || !slices.ContainsFunc(scopes, func(s tools.Scope) bool { return s.Rule == n.Pattern })
	})
}

// Void says why a permission does not hold now, empty when it does: what its files
// held was another thing, or it is of an old form.
func (g *Gate) Void(n Grant) string {
	if n.Unbound() {
		return "given before permissions were bound to the files that run"
	}
	var gone, changed []Pin
	for _, p := range n.Pins {
		switch p.now(place.Outer(g.o.Place)) {
		case p.Content:
		case missing:
			gone = append(gone, p)
		default:
			changed = append(changed, p)
		}
	}
	switch {
	case len(changed) > 0:
		return "changed since: " + pinnedNames(changed)
	case len(gone) > 0:
		return "gone since: " + pinnedNames(gone)
	}
	return ""
}

// changes are reasons to ask although something like it was allowed: files that would
// run are not what they were then.
func (g *Gate) changes(ctx context.Context, m *matter, scopes []tools.Scope) []tools.Reason {
	given := g.given(ctx, m.Action.Kind, scopes)
	if len(given) == 0 {
		return nil
	}
	pins, _ := g.bound(m)
	last := slices.MaxFunc(given, func(a, b Grant) int { return a.At.Compare(b.At) })
	var list []tools.Reason
	for _, p := range pins {
		if slices.Contains(last.Pins, p) {
			continue
		}
		text := "runs a file that you have not allowed with it"
		if slices.ContainsFunc(last.Pins, func(o Pin) bool { return o.File == p.File }) {
			text = "runs a file that has changed since you allowed this"
		}
		list = append(list, tools.Reason{Category: string(shellrisk.CatIndirectExec), Text: text, Words: []string{oneLine(p.File)}})
	}
	return list
}
