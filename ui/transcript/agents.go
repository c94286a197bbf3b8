package transcript

import (
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

const (
	// agentLines is how many subagents a call shows, agentLinesOpen how many when
	// it is opened. All of them are in the pager.
	agentLines     = 8
	agentLinesOpen = 64
	// goalCells is the least room that a subagent's goal keeps.
	goalCells = 10
)

// ticks reports whether a subagent's stop-watch runs.
func ticks(a *event.Spawned) bool { return !a.State.Ended() && !a.State.Held() && !a.Started.IsZero() }

// busy reports whether any of the subagents does something.
func busy(list []*event.Spawned) bool {
	for _, a := range list {
		if ticks(a) {
			return true
		}
	}
	return false
}

// agents draws a line for each of the first subagents of a call, and counts the
// others.
func (v *View) agents(c *canvas, list []*event.Spawned, folded bool) {
	n := agentLinesOpen
	if folded {
		n = agentLines
	}
	shown := list[:min(len(list), n)]
	watch := 0
	for _, a := range shown {
		watch = max(watch, len(v.watch(a)))
	}
	for _, a := range shown {
		if ticks(a) {
			c.move()
		}
		v.agentLine(c, a, watch)
	}
	if rest := list[len(shown):]; len(rest) > 0 {
		c.add(indent + v.st.Faint.Render("… "+itoa(len(rest))+" more · "+standing(rest)))
	}
}

// watch is a subagent's stop-watch, empty for one that has not begun.
func (v *View) watch(a *event.Spawned) string {
	if d := a.Elapsed(v.now); d > 0 || ticks(a) {
		return format.Elapsed(d)
	}
	return ""
}

// agentLine draws a subagent: its state, what it is to do, what it does now, how
// many calls it has made and how long it has worked. watch is the width of the
// stop-watches, which stand below each other.
func (v *View) agentLine(c *canvas, a *event.Spawned, watch int) {
	glyph, style := agents.Glyph(v.st, a.State, v.frame)
	figures := ""
	if a.Tools > 0 {
		figures = itoa(a.Tools) + "t"
	}
	if watch > 0 {
		clock := v.watch(a)
		figures += rows.Blank(1+watch-len(clock)) + clock
	}
	row := cells.NewRow(c.w).Skip(len(indent)).Put(style, glyph).Skip(1)
	room := row.Left() - len(figures) - len(indent)
	if room < goalCells {
		figures, room = "", row.Left()
	}
	goal, now := clip(a.Goal, c.w), clip(nowDoing(a, c.w), c.w)
	if goal == "" {
		goal = "subagent"
	}
	most := room
	if need := rows.Width(now) + len(indent); now != "" && room >= 2*goalCells {
		least := room / 2
		if a.State == event.AgentWaiting { // which must not be overlooked
			least = goalCells
		}
		most = max(room-need, least)
	}
	row.PutMax(v.st.Text, goal, most)
	if now != "" && row.Left()-len(figures)-len(indent) > len(indent)+3 {
		row.Skip(len(indent)).PutMax(toneOf(v.st, a.State), now, row.Left()-len(figures)-1)
	}
	if figures != "" {
		row.Until(rows.Width(figures)).Put(v.st.Muted, figures)
	}
	c.addMarked(row.String(), goal, cells.Cut(goal, min(most, room)))
}

// toneOf is the style of what a line says beside the goal: louder when the user
// is needed or something went wrong.
func toneOf(st *rows.Styles, s event.AgentState) rows.Style {
	switch s {
	case event.AgentQueued:
		return st.Faint
	case event.AgentWaiting, event.AgentStopping, event.AgentInterrupted, event.AgentRefused:
		return st.Warn
	case event.AgentPausing, event.AgentPaused:
		return st.Info
	case event.AgentFailed, event.AgentKilled, event.AgentTimeout:
		return st.Bad
	}
	return st.Muted
}

// stateWords names the states in which a subagent does nothing that could be said
// instead.
var stateWords = map[event.AgentState]string{
	event.AgentQueued: "queued", event.AgentPausing: "pausing", event.AgentPaused: "paused", event.AgentStopping: "ending",
	event.AgentCompleted: "done", event.AgentFailed: "failed", event.AgentKilled: "ended by you", event.AgentTimeout: "timed out",
	event.AgentInterrupted: "interrupted", event.AgentRefused: "refused",
}

// nowDoing says in a row of w cells what a subagent does, what it waits for, or
// how it ended. It is not sanitised.
func nowDoing(a *event.Spawned, w int) string {
	word, known := stateWords[a.State]
	switch {
	case a.State == event.AgentWaiting:
		return agentWaits(a.On, w)
	case known && a.State == event.AgentStopping && a.On != "":
		return word + ": " + a.On
	case a.Doing != "" && (a.State == event.AgentFailed || a.State == event.AgentTimeout):
		return word + ": " + a.Doing
	case known:
		return word
	}
	if says := status.Phase(event.Phase(a.Doing), ""); says != "" {
		return says
	}
	return a.Doing
}

// agentWaits says what a subagent waits for: an answer of the user, or something
// that has a name.
func agentWaits(on string, w int) string {
	if _, user := format.Needs(on); user {
		return waitsFor(event.RequestKind(on), w)
	}
	return "waits for " + on
}

// standing counts how subagents stand, those first who need the user.
func standing(list []*event.Spawned) string {
	var asks, works, queued, held, over int
	for _, a := range list {
		switch s := a.State; {
		case s.Ended():
			over++
		case s == event.AgentWaiting:
			asks++
		case s == event.AgentQueued:
			queued++
		case s.Held():
			held++
		default:
			works++
		}
	}
	var says []string
	for _, p := range []struct {
		n    int
		word string
	}{{asks, "waiting"}, {works, "at work"}, {held, "paused"}, {queued, "queued"}, {over, "ended"}} {
		if p.n > 0 {
			says = append(says, itoa(p.n)+" "+p.word)
		}
	}
	return strings.Join(says, ", ")
}

// roster lists the subagents of a call for the pager, all of them.
func roster(list []*event.Spawned) string {
	var s strings.Builder
	for i, a := range list {
		says := []string{nowDoing(a, roomy)}
		if a.Tools > 0 {
			says = append(says, format.Count(a.Tools, "call", "calls"))
		}
		if d := a.Elapsed(a.Ended); a.State.Ended() && d > 0 {
			says = append(says, format.Elapsed(d))
		}
		says = slices.DeleteFunc(says, func(w string) bool { return w == "" })
		s.WriteString(itoa(i+1) + ". " + term.Line(a.Goal) + " — " + strings.Join(says, ", ") + "\n")
	}
	return s.String()
}
