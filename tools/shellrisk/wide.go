package shellrisk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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

// WideRule is the rule "program subcommand *" that covers a command, if there is
// one. The command must be a single simple one of literal words without options,
// and its subcommand the only reason to ask.
func WideRule(command string, v Verdict) string {
	words, ok := literalWords(command)
	if !ok || len(v.Categories) != 1 {
		return ""
	}
	if begin, cat := wideBegin(words); cat == v.Categories[0] {
		return begin + " *"
	}
	return ""
}

// subcommanded are programs whose first word says what they do.
var subcommanded = words(`git gh glab go cargo npm pnpm yarn bun deno uv pip pip3 pipx poetry docker podman kubectl helm terraform
	brew make just task rake bundle mix dotnet flutter gradle mvn bazel composer nix`)

// deeper are those of which the second word says it.
var deeper = map[string]bool{
	"npm run": true, "pnpm run": true, "yarn run": true, "bun run": true, "docker compose": true, "podman compose": true, "uv pip": true, "uv run": true,
	"gh pr": true, "gh issue": true, "gh repo": true, "gh release": true, "gh run": true, "gh workflow": true,
}

// Subcommand is the program of a single simple command of literal words together with
// the words behind it that say what it does, as in "git push" or "npm run test"; empty
// where there are none, or where options stand before them.
func Subcommand(command string) string {
	words, ok := literalWords(command)
	if !ok || len(words) < 2 || !subcommanded[words[0]] || !plainName(words[1]) {
		return ""
	}
	begin := words[0] + " " + words[1]
	switch {
	case !deeper[begin]:
		return begin
	case len(words) < 3 || !plainName(words[2]):
		return ""
	}
	return begin + " " + words[2]
}

// plainName reports whether a word is a name of letters, digits, "-", "_", "." and ":",
// and no option.
func plainName(word string) bool {
	return word != "" && word[0] != '-' && strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:", r))
	}) < 0
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
