package approval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"hermes-tui/tools"
)

// Grant is a stored permission.
type Grant struct {
	Kind    tools.ActionKind
	Pattern string // what it allows, as it was shown
	Example string // the command or path that it was given for
	At      time.Time
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
var neverGranted = []Category{
	CatObfuscated, CatUnparsable, CatTooComplex, CatAgentConfig, CatProjectConfig, CatSensitiveFile, CatSystemConfig, CatEnvInjection,
	CatUntrusted, CatRule,
}

// grantsFor gives the permissions that cover an action, the narrowest first. A
// permission matches only if it is one of them, letter by letter; so one that
// would be shown differently from what it is, is none.
func (g *Gate) grantsFor(m *matter) []tools.Scope {
	a := m.Action
	if m.asking != nil || relativePath(a.Env) || slices.ContainsFunc(m.verdict.Categories, func(c Category) bool {
		return slices.Contains(neverGranted, c)
	}) {
		return nil
	}
	var list []tools.Scope
	switch {
	case a.Kind == tools.ActCode:
		list = []tools.Scope{{Label: "every script", Rule: m.Tool + "(*)"}}
	case a.Kind == tools.ActWrite && len(a.Paths) == 1:
		list = []tools.Scope{{Label: "this file", Rule: "write " + strconv.Quote(m.real[0])}}
	case a.Kind == tools.ActExec && len(a.Command) <= maxRule:
		list = []tools.Scope{{Label: "this command", Rule: fmt.Sprintf("in %q exactly: %s%s", a.Dir, a.Command, m.permit.scripts())}}
		if wide := wideRule(a.Command, m.verdict); wide != "" && !g.shadowed(m.seen.calls[0].name, a, m.set) {
			list = append(list, tools.Scope{Label: "this subcommand", Rule: wide})
		}
		list = append(list, g.programScope(m)...)
	}
	return slices.DeleteFunc(list, func(s tools.Scope) bool { return Canonical(s.Rule) != s.Rule })
}

// scripts names the files that would run, each with its content, since a
// permission for a command is one for what these files were then.
func (p Permit) scripts() string {
	var b strings.Builder
	for _, pin := range p.p.pins[1:] {
		fmt.Fprintf(&b, " (running %s, %.16s)", pin.file, pin.content)
	}
	return b.String()
}

// keep keeps a permission for the session, or for good.
func (g *Gate) keep(ctx context.Context, n Grant, choice tools.Choice) {
	g.mu.Lock()
	g.session[n.Pattern] = true
	g.mu.Unlock()
	if choice != tools.ChoiceAlways || g.o.Grants == nil {
		return
	}
	n.Example, n.At = n.Example[:min(len(n.Example), maxExample)], g.o.Clock()
	if err := g.o.Grants.Add(ctx, n); err != nil {
		g.o.Warn(fmt.Errorf("store the permission: %w", err))
	}
}

// granted gives the stored permission that covers the action, empty for none.
func (g *Gate) granted(ctx context.Context, m *matter) string {
	return g.grantedAs(ctx, m.Action.Kind, g.grantsFor(m))
}

// grantedAs gives the stored permission that is one of the scopes, empty for none.
func (g *Gate) grantedAs(ctx context.Context, kind tools.ActionKind, scopes []tools.Scope) string {
	if len(scopes) == 0 {
		return ""
	}
	g.mu.Lock()
	i := slices.IndexFunc(scopes, func(s tools.Scope) bool { return g.session[s.Rule] })
	g.mu.Unlock()
	if i >= 0 {
		return scopes[i].Rule
	}
	if g.o.Grants == nil {
		return ""
	}
	list, err := g.o.Grants.List(ctx)
	if err != nil {
		g.o.Warn(fmt.Errorf("read permissions: %w", err))
	}
	for _, s := range list {
		if s.Kind == kind && slices.ContainsFunc(scopes, func(c tools.Scope) bool { return c.Rule == s.Pattern }) {
			return s.Pattern
		}
	}
	return ""
}

// wideCommands are beginnings of commands that may be allowed with any plain
// operands: what they do can be undone, and no operand makes them do more.
var wideCommands = map[string]Category{
	"systemctl restart":      CatService,
	"systemctl stop":         CatService,
	"service restart":        CatService,
	"supervisorctl restart":  CatService,
	"pm2 restart":            CatService,
	"docker stop":            CatContainer,
	"docker restart":         CatContainer,
	"docker kill":            CatContainer,
	"docker compose stop":    CatContainer,
	"docker compose restart": CatContainer,
	"docker-compose stop":    CatContainer,
	"docker-compose restart": CatContainer,
}

// wideRule is the rule "program subcommand *" that covers a command, if there is
// one. The command must be a single simple one of literal words without options,
// and its subcommand the only reason to ask.
func wideRule(command string, v Verdict) string {
	words, ok := literalWords(command)
	if !ok || len(v.Categories) != 1 {
		return ""
	}
	if begin, cat := wideBegin(words); cat == v.Categories[0] {
		return begin + " *"
	}
	return ""
}

// wideBegin finds the one of [wideCommands] that a command begins with, if there
// are no options behind it.
func wideBegin(words []string) (begin string, cat Category) {
	for n := 2; n <= 3 && n <= len(words); n++ {
		begin := strings.Join(words[:n], " ")
		if cat, ok := wideCommands[begin]; ok &&
			!slices.ContainsFunc(words[n:], func(w string) bool { return w == "" || strings.HasPrefix(w, "-") }) {
			return begin, cat
		}
	}
	return "", CatNone
}

// literalWords gives the words of a command that is nothing but words: no list,
// pipe, redirect, assignment, expansion or pattern.
func literalWords(command string) ([]string, bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	s := file.Stmts[0]
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(s.Redirs) > 0 || s.Background || s.Negated || len(c.Assigns) > 0 {
		return nil, false
	}
	j := &judge{}
	st := newState(Setting{})
	var out []string
	for _, w := range c.Args {
		for _, part := range w.Parts {
			switch p := part.(type) {
			case *syntax.Lit, *syntax.SglQuoted:
			case *syntax.DblQuoted:
				for _, inner := range p.Parts {
					if _, ok := inner.(*syntax.Lit); !ok {
						return nil, false
					}
				}
			default:
				return nil, false
			}
		}
		fields := j.expand(st, w)
		if len(fields) != 1 || !fields[0].literal() || fields[0].from != 0 {
			return nil, false
		}
		out = append(out, fields[0].text)
	}
	return out, true
}
