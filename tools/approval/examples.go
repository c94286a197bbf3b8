package approval

import (
	"context"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// maxExamples is how many examples a scope of a question has at most.
const maxExamples = 3

// tries are operands that make other commands out of the beginning of a pattern. The
// commands become examples only if the pattern covers them, so a wrong one is never shown.
var tries = map[string][]string{
	"git":            {"push origin main", "commit -m TEXT", "pull --rebase"},
	"git push":       {"origin main", "--tags", "upstream topic"},
	"git pull":       {"", "--rebase", "upstream main"},
	"git fetch":      {"--all", "--prune"},
	"git commit":     {"-m TEXT", "--amend"},
	"go":             {"test ./...", "run .", "generate ./..."},
	"go test":        {"./...", "-race ./...", "-run NAME ."},
	"go build":       {"./...", "-o FILE ."},
	"go run":         {".", "./cmd/tool"},
	"npm":            {"run build", "install PACKAGE", "test"},
	"npm install":    {"", "PACKAGE", "--global PACKAGE"},
	"make":           {"", "install", "clean"},
	"cargo":          {"build", "run", "test"},
	"pip install":    {"PACKAGE", "-r requirements.txt"},
	"python3":        {"FILE.py", "-m MODULE"},
	"python":         {"FILE.py", "-m MODULE"},
	"node":           {"FILE.js"},
	"systemctl":      {"nginx", "sshd"},
	"service":        {"nginx"},
	"supervisorctl":  {"web", "worker"},
	"pm2":            {"web", "worker"},
	"docker":         {"web", "web db"},
	"docker-compose": {"web", "web db"},
	"":               {"", "--help", "FILE", "--verbose FILE"}, // of any other
}

// illustrate adds to scopes what else they would allow.
func (g *Gate) illustrate(ctx context.Context, m *matter, scopes []tools.Scope) {
	if m.Action.Kind != tools.ActExec {
		return
	}
	for i := range scopes[min(1, len(scopes)):] {
		s := &scopes[i+1]
		begin, _, ok := strings.Cut(strings.TrimPrefix(s.Rule, widely), " *")
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(begin, " ")
		for _, operands := range slices.Concat(tries[begin], tries[first], tries[""]) {
			command := strings.TrimSpace(begin + " " + operands)
			if len(s.Also) == maxExamples || ctx.Err() != nil {
				break
			}
			if command != m.Action.Command && !slices.Contains(s.Also, command) && g.covers(m, s.Rule, command) {
				s.Also = append(s.Also, command)
			}
		}
	}
}

// covers reports whether a permission with that rule would let another command run.
func (g *Gate) covers(m *matter, rule, command string) bool {
	a := m.Action
	a.Command, a.Argv = command, slices.Clone(a.Argv)
	for i, word := range a.Argv {
		if word == m.Action.Command {
			a.Argv[i] = command
		}
	}
	r := m.Request
	r.Action = a
	n, err := g.look(r)
	if err != nil || n.verdict.Decision == shellrisk.Blocked || n.forbidden != nil || g.bind(n, a) != nil {
		return false
	}
	n.again = m.again
	return slices.ContainsFunc(g.grantsFor(n), func(s tools.Scope) bool { return s.Rule == rule })
}
