package approval

import (
	"slices"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// programScope is the permission for a program with whatever arguments, where
// there is nothing else in the command that does something, the program is the one
// that its plain name means, and no reason to ask is known but that it is not known
// what the program does. It covers running outside what would run confined.
func (g *Gate) programScope(m *matter) []tools.Scope {
	s := m.seen
	if s == nil || !m.confines || slices.ContainsFunc(m.verdict.Categories, func(c shellrisk.Category) bool { return !held(c) }) {
		return nil
	}
	name := s.Sole(func(name string) bool { return g.shadowed(name, m.Action, m.set) })
	switch {
	case name == "":
		return nil
	case shellrisk.StartsOthers(name):
		return []tools.Scope{{Label: "this program, which can run anything", Rule: name + " * (outside, with all it starts)"}}
	}
	return []tools.Scope{{Label: "this program", Rule: name + " * (outside)"}}
}
