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

// neverGranted are reasons for which no lasting permission is offered: what
// would run cannot be seen beforehand, or guards the agent itself.
var neverGranted = []Category{
	CatObfuscated, CatUnparsable, CatTooComplex, CatAgentConfig, CatProjectConfig, CatSensitiveFile, CatSystemConfig, CatEnvInjection,
}

// rulesFor gives the permissions that cover an action, the widest first. A
// permission matches only if it is one of them, letter by letter.
func rulesFor(a tools.Action, v Verdict) []string {
	for _, cat := range v.Categories {
		if slices.Contains(neverGranted, cat) {
			return nil
		}
	}
	if a.Kind == tools.ActWrite {
		if len(a.Paths) != 1 {
			return nil
		}
		return []string{"write " + strconv.Quote(a.Paths[0])}
	}
	if len(a.Command) > maxRule {
		return nil
	}
	exact := fmt.Sprintf("in %q exactly: %s", a.Dir, a.Command)
	if wide := wideRule(a.Command, v); wide != "" {
		return []string{wide, exact}
	}
	return []string{exact}
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
	for n := 2; n <= 3 && n <= len(words); n++ {
		begin := strings.Join(words[:n], " ")
		if cat, ok := wideCommands[begin]; ok && v.Categories[0] == cat &&
			!slices.ContainsFunc(words[n:], func(w string) bool { return w == "" || strings.HasPrefix(w, "-") }) {
			return begin + " *"
		}
	}
	return ""
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
