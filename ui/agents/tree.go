package agents

import (
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// node is an agent at its place in the tree.
type node struct {
	id    event.AgentID
	guide string // the lines that lead to it from its parent
	name  string
	root  bool
	state event.AgentState
	tools int
	// begin and end bound the time on its stop-watch. Without a begin there is
	// none; without an end it runs.
	begin, end time.Time
}

// guideLevels bounds how many levels guides tell apart. Deeper ones look alike.
const guideLevels = 24

// grow appends the agents to dst in the order of the tree: children below their
// parent, in the order in which they were spawned. An agent whose parent is not
// known, or was not there before it, begins a tree of its own.
func grow(dst []node, list []*event.Agent) []node {
	place := make(map[event.AgentID]int, len(list))
	first := make([]int, len(list)) // first child, 0 for none: nobody's child is agent 0
	next := make([]int, len(list))  // next child of the same parent
	last := make([]int, len(list))
	var roots []int
	for i, a := range list {
		up, ok := place[a.Parent]
		switch {
		case a.Parent == "" || !ok:
			roots = append(roots, i)
		case first[up] == 0:
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
		dst = append(dst, newNode(list[i], guide))
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
	for _, i := range roots {
		walk(i, "", "", 0)
	}
	return dst
}

func newNode(a *event.Agent, guide string) node {
	n := node{
		id: a.ID, guide: guide, root: a.Parent == "", state: a.State, tools: a.Tools,
		name: strings.TrimSpace(term.Line(nameOf(a))), begin: a.Started, end: a.Ended,
	}
	if n.root {
		n.begin = time.Time{}
		if a.Turn != "" {
			n.begin = a.TurnStarted
		}
	}
	switch a.State {
	case event.AgentQueued, event.AgentWaiting, event.AgentPaused:
		n.begin = time.Time{} // such time is not counted
	}
	return n
}

// nameOf is what an agent is called: the root by its role, others by what they
// are to do.
func nameOf(a *event.Agent) string {
	switch {
	case a.Parent != "" && a.Goal != "":
		return a.Goal
	case a.Role != "":
		return a.Role
	}
	return string(a.ID)
}

// atWork tells whether an agent does something just now.
func (n *node) atWork() bool {
	switch n.state {
	case event.AgentRunning, event.AgentPausing, event.AgentStopping:
		return true
	}
	return false
}

// elapsed is the time on the stop-watch, empty without one.
func (n *node) elapsed(now time.Time) string {
	if n.begin.IsZero() {
		return ""
	}
	end := n.end
	if end.IsZero() {
		end = now
	}
	return status.Elapsed(end.Sub(n.begin))
}

// note is what stands before the stop-watch: a word when something keeps the
// agent from working, the number of its finished calls otherwise.
func (n *node) note() string {
	switch n.state {
	case event.AgentQueued:
		return "queued"
	case event.AgentWaiting:
		return "waits"
	case event.AgentPausing:
		return "pausing"
	case event.AgentPaused:
		return "paused"
	case event.AgentStopping:
		return "stopping"
	}
	if n.tools > 0 {
		return strconv.Itoa(n.tools) + "t"
	}
	return ""
}

// glyph is the sign of a state and its style.
func glyph(st *rows.Styles, s event.AgentState, frame int) (string, rows.Style) {
	switch s {
	case event.AgentQueued:
		return "○", st.Muted
	case event.AgentRunning:
		return status.Spinner(frame), st.Accent
	case event.AgentWaiting:
		return "◆", st.Warn
	case event.AgentPausing, event.AgentPaused:
		return "⏸", st.Info
	case event.AgentStopping:
		return "■", st.Warn
	case event.AgentCompleted:
		return "✓", st.Good
	case event.AgentFailed:
		return "✗", st.Bad
	case event.AgentKilled:
		return "■", st.Bad
	case event.AgentTimeout:
		return "⌛", st.Bad
	}
	return "●", st.Muted
}

// doing says what an agent does now: the newest of its running calls, or the
// phase of its turn.
func doing(a *event.Agent) string {
	if a.Turn == "" {
		return ""
	}
	if a.State == event.AgentWaiting {
		return "waits for you"
	}
	if n := len(a.Running); n > 0 {
		if b := a.Call(a.Running[n-1]); b != nil {
			text := strings.TrimSpace(term.Line(b.Call.View.Name) + " " + term.Line(b.Call.View.Subject))
			if n > 1 {
				text = strconv.Itoa(n) + " tools, " + text
			}
			return text
		}
	}
	return status.Phase(a.Phase, a.Detail)
}
