package approval

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// writeScopes are the permissions for files: for the one that is written, and where only
// the mode asks, for all of the workspace that are asked about for nothing else.
func (g *Gate) writeScopes(m *matter) (list []tools.Scope) {
	if len(m.real) == 1 {
		list = append(list, tools.Scope{Label: "this file", Rule: "write " + strconv.Quote(m.real[0])})
	}
	elsewhere := func(real string) bool { return !shellrisk.Within(real, g.o.Workspace, m.set.FoldsCase) }
	if len(m.verdict.Categories) == 1 && m.has(shellrisk.CatUnknown) && !slices.ContainsFunc(m.real, elsewhere) {
		list = append(list, tools.Scope{Label: "all files of the workspace", Rule: "write in " + strconv.Quote(g.o.Workspace)})
	}
	return list
}

// programScope is the permission for a program with whatever arguments, where
// there is nothing else in the command that does something, the program is the one
// that its plain name means, and no reason to ask is known but that it is not known
// what the program does. It covers running outside what would run confined. Of a program
// with subcommands there is one for its subcommand before it.
func (g *Gate) programScope(m *matter) []tools.Scope {
	s := m.seen
	push := s.Pushes() != nil && slices.Equal(m.verdict.Categories, []shellrisk.Category{shellrisk.CatPublish})
	if s == nil || !m.confines || !push && slices.ContainsFunc(m.verdict.Categories, func(c shellrisk.Category) bool { return !held(c) }) {
		return nil
	}
	name := s.Sole(func(name string) bool { return g.shadowed(name, m.Action, m.set) })
	if name == "" {
		return nil
	}
	label, how := "this program", " * (outside)"
	if shellrisk.StartsOthers(name) {
		label, how = "this program, which can run anything", " * (outside, with all it starts)"
	}
	list := []tools.Scope{{Label: label, Rule: name + how}}
	if begin := shellrisk.Subcommand(m.Action.Command); begin != "" && strings.HasPrefix(begin, name+" ") {
		list = append([]tools.Scope{{Label: "this subcommand", Rule: begin + how}}, list...)
	} else if push {
		return nil
	}
	if push {
		list = list[:1] // what else the program does is another matter
	}
	return list
}
