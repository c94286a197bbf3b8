package event

import (
	"slices"
	"strings"
	"time"
)

// enter changes the state of an agent and keeps its stop-watch, by the clock that
// the journal has.
func (a *Agent) enter(s AgentState, on string, at time.Time) {
	at = at.Round(0)
	if !a.HeldFrom.IsZero() {
		a.Held += max(at.Sub(a.HeldFrom), 0)
		a.HeldFrom = time.Time{}
	}
	a.State, a.On = s, on
	if s.Held() {
		a.HeldFrom = at
	}
}

// Elapsed is how long a subagent has worked until now, or until it ended: without
// the time that it waited for its place or for the user, or was paused.
func (a *Agent) Elapsed(now time.Time) time.Duration {
	return elapsed(now, a.Started, a.Ended, a.HeldFrom, a.Held)
}

// Elapsed is [Agent.Elapsed].
func (s Spawned) Elapsed(now time.Time) time.Duration {
	return elapsed(now, s.Started, s.Ended, s.HeldFrom, s.Held)
}

func elapsed(now, started, ended, heldFrom time.Time, held time.Duration) time.Duration {
	switch {
	case started.IsZero():
		return 0
	case !ended.IsZero():
		now = ended
	case !heldFrom.IsZero():
		now = heldFrom
	}
	return max(now.Sub(started)-held, 0)
}

// asks reports whether an agent waits for an answer of the user.
func (s *State) asks(id AgentID) bool {
	return slices.ContainsFunc(s.Requests, func(r Request) bool { return r.Agent == id })
}

// change folds a change of state. An agent that goes on while a question of its
// own waits still waits for that.
func (s *State) change(e *AgentStateChanged) {
	a := s.Agent(e.Agent)
	if a == nil || a.State.Ended() {
		return
	}
	state, on := e.State, e.On
	if i := slices.IndexFunc(s.Requests, func(r Request) bool { return r.Agent == a.ID }); state == AgentRunning && i >= 0 {
		state, on = AgentWaiting, string(s.Requests[i].Kind)
	}
	if state == AgentRunning && a.Parent == "" && a.Turn == "" {
		state = AgentIdle
	}
	a.enter(state, on, e.At)
	if e.At.After(a.Active) {
		a.Active = e.At
	}
	s.brief(a, e)
}

// introduce adds a new subagent to the call that asked for it.
func (s *State) introduce(a *Agent) {
	p := s.Agent(a.Parent)
	if p == nil {
		return
	}
	p.changeCall(a.SpawnedBy, func(c *Call) {
		at := len(c.Agents) // mostly they come in the order of their tasks
		for at > 0 {
			if o := s.Agent(c.Agents[at-1].Agent); o == nil || o.Index <= a.Index {
				break
			}
			at--
		}
		now := spawned(a)
		c.Agents = slices.Insert(slices.Clone(c.Agents), at, &now)
	})
}

func spawned(a *Agent) Spawned {
	return Spawned{
		Agent: a.ID, Goal: a.Goal, State: a.State, On: a.On, Doing: a.doing(), Tools: a.Tools,
		Started: a.Started, Ended: a.Ended, Held: a.Held, HeldFrom: a.HeldFrom,
	}
}

// doing names the newest call under way, or the phase, or why the agent failed.
func (a *Agent) doing() string {
	if a.State == AgentFailed || a.State == AgentTimeout {
		line, _, _ := strings.Cut(strings.TrimSpace(a.Error), "\n")
		return line
	}
	if n := len(a.Running); n > 0 {
		if b := a.Call(a.Running[n-1]); b != nil {
			text := b.Call.View.Name
			if b.Call.View.Subject != "" {
				text += " " + b.Call.View.Subject
			}
			return text
		}
	}
	if a.Phase == PhaseIdle {
		return ""
	}
	return string(a.Phase)
}

// brief brings the call that asked for a subagent up to date. Pieces of text and
// output change nothing there.
func (s *State) brief(a *Agent, e Event) {
	switch e.(type) {
	case *TextDelta, *ReasoningDelta, *ToolOutput, *ToolDrafting, *UsageUpdated, *MessageCommitted:
		return
	}
	p := s.Agent(a.Parent)
	if p == nil || a.SpawnedBy == "" {
		return
	}
	at := p.findCall(a.SpawnedBy)
	if at < 0 {
		return
	}
	list, now := p.Blocks[at].Call.Agents, spawned(a)
	i := slices.IndexFunc(list, func(o *Spawned) bool { return o.Agent == a.ID })
	if i < 0 || *list[i] == now {
		return
	}
	p.changeCallAt(at, func(c *Call) {
		c.Agents = slices.Clone(list)
		c.Agents[i] = &now
	})
}

// touched notes files that a call has read or changed.
func (a *Agent) touched(e *ToolFinished) {
	if e.View.Kind == ViewRead && e.Outcome == OutcomeOK && e.View.Subject != "" {
		a.Read = once(a.Read, e.View.Subject)
	}
	for _, path := range e.Changed {
		a.Written = once(a.Written, path)
	}
}

func once(list []string, name string) []string {
	if len(list) >= FilesLimit || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// rewindAgents hides the subagents of the turns that a rewind of the root hides,
// and shows them again.
func (s *State) rewindAgents(root *Agent, e *Rewound) {
	if root.Parent != "" {
		return
	}
	if e.Undo {
		s.Agents = append(s.Agents, root.revealed...)
		root.revealed = nil
		return
	}
	if root.Rewind != e || e.From == "" {
		return
	}
	gone := map[TurnID]bool{}
	for _, b := range root.hidden.blocks {
		gone[b.Turn] = true
	}
	var stay []*Agent
	for _, a := range s.Agents {
		if a.Parent != "" && gone[a.Tree] {
			root.hidden.agents = append(root.hidden.agents, a)
			continue
		}
		stay = append(stay, a)
	}
	s.Agents = stay
}

// Trees are the turns of the root that have asked for subagents, oldest first.
func (s *State) Trees() []TurnID {
	var list []TurnID
	for _, a := range s.Agents {
		if a.Parent != "" && !slices.Contains(list, a.Tree) {
			list = append(list, a.Tree)
		}
	}
	return list
}

// Tree are the subagents of a turn of the root, in the order they were asked for.
func (s *State) Tree(turn TurnID) []*Agent {
	var list []*Agent
	for _, a := range s.Agents {
		if a.Parent != "" && a.Tree == turn {
			list = append(list, a)
		}
	}
	return list
}

// Live are the subagents that have not ended.
func (s *State) Live() []*Agent {
	var list []*Agent
	for _, a := range s.Agents {
		if a.Parent != "" && !a.State.Ended() {
			list = append(list, a)
		}
	}
	return list
}

// Running names the commands that run in the background and end with the program.
func (s *State) Running() []string {
	var list []string
	for _, j := range s.Jobs {
		if j.State == JobRunning {
			list = append(list, j.Command)
		}
	}
	return list
}

// Kind returns the word for the kind of an agent that the user reads.
func (a *Agent) Kind() string {
	switch {
	case a.Parent == "":
		return "main agent"
	case a.Role == RoleOrchestrator:
		return "orchestrator"
	}
	return "subagent"
}

// Name returns the name of an agent that the user reads: the goal of a subagent, or else
// its kind. It is not sanitised.
func (a *Agent) Name() string {
	if a.Parent == "" || strings.TrimSpace(a.Goal) == "" {
		return a.Kind()
	}
	return a.Goal
}

// Path returns the names of an agent and of those above it, the main agent first.
func (s *State) Path(id AgentID) []string {
	var path []string
	for hops := 0; id != "" && hops <= len(s.Agents); hops++ {
		a := s.Agent(id)
		if a == nil {
			break
		}
		path = append([]string{a.Name()}, path...)
		id = a.Parent
	}
	return path
}
