package timeline

import "hermes-tui/agent/event"

// guideLevels bounds how many levels guides tell apart. Deeper ones look alike.
const guideLevels = 24

// branch is an agent at its place in a tree: which of a list it is, and the lines
// that lead to it from its parent.
type branch struct {
	at    int
	guide string
}

// branches puts agents into the order of the tree: children below their parent, in
// the order in which they were asked for. An agent whose parent is not in the list
// before it stands on the first level.
func branches(dst []branch, list []*event.Agent) []branch {
	place := make(map[event.AgentID]int, len(list))
	first, next, last := make([]int, len(list)), make([]int, len(list)), make([]int, len(list))
	var tops []int
	for i, a := range list {
		up, ok := place[a.Parent]
		switch {
		case !ok:
			tops = append(tops, i)
		case first[up] == 0: // no one's child is agent 0
			first[up], last[up] = i, i
		default:
			next[last[up]], last[up] = i, i
		}
		if _, twice := place[a.ID]; !twice {
			place[a.ID] = i
		}
	}
	var walk func(i int, guide, below string, depth int)
	walk = func(i int, guide, below string, depth int) {
		dst = append(dst, branch{i, guide})
		for c := first[i]; c != 0; c = next[c] {
			fork, rest := "├─", "│ "
			if next[c] == 0 {
				fork, rest = "└─", "  "
			}
			if depth >= guideLevels {
				rest = ""
			}
			walk(c, below+fork, below+rest, depth+1)
		}
	}
	for _, i := range tops {
		walk(i, "", "", 0)
	}
	return dst
}
