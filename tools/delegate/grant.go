package delegate

import (
	"maps"
	"slices"

	"hermes-tui/tools"
)

// tagged lists the tools that an agent can hand down by the toolsets they belong to.
func tagged(parent []tools.Tool) map[string][]string {
	sets := map[string][]string{}
	for _, t := range parent {
		if !t.RootOnly {
			sets[t.Toolset] = append(sets[t.Toolset], t.Name)
		}
	}
	return sets
}

// Askable are the toolsets that a subagent of an agent with these tools can be
// given, sorted. Sets that are made of others can be asked for too.
func Askable(parent []tools.Tool) []string { return slices.Sorted(maps.Keys(tagged(parent))) }

// Grant gives the names of the tools that a subagent gets, sorted: those that its
// parent has and an asked toolset selects, all of the parent's where none is asked
// for, without those of the root. An orchestrator gets delegate_task, even from a
// parent without it. unknown are the asked names that no toolset has.
func Grant(parent []tools.Tool, asked []string, orchestrator bool) (names, unknown []string) {
	sets := tagged(parent)
	selected := []string{}
	if len(asked) > 0 {
		all := maps.Clone(sets)
		for _, t := range parent {
			all[t.Toolset] = append(slices.Clip(all[t.Toolset]), t.Name) // a set of the root is known all the same
		}
		selected, unknown = tools.Resolve(asked, nil, all)
	}
	given := map[string]bool{}
	for _, set := range sets {
		for _, name := range set {
			if len(asked) == 0 || slices.Contains(selected, name) {
				given[name] = true
			}
		}
	}
	if orchestrator {
		given[Name] = true
	}
	return slices.Sorted(maps.Keys(given)), unknown
}
