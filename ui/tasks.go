package ui

import (
	"time"

	"hermes-tui/agent/event"
)

// taskClock counts for how long tasks have been worked on: not while their agent is
// between turns, waits for its place or for the user, or is paused.
type taskClock struct {
	spent map[taskID]time.Duration
	at    time.Time // until when it has counted
}

// taskID is a task of an agent.
type taskID struct {
	agent event.AgentID
	todo  string
}

// pass counts the time since the last call, in which the agents were as they are in s.
func (c *taskClock) pass(s *event.State, now time.Time) {
	passed := max(now.Sub(c.at), 0)
	c.at = now
	if c.spent == nil {
		c.spent = map[taskID]time.Duration{}
	}
	for _, a := range s.Agents {
		for _, t := range a.Todos {
			id := taskID{a.ID, t.ID}
			spent, known := c.spent[id]
			switch {
			case t.Status != event.TodoInProgress:
				delete(c.spent, id)
			case !known:
				c.spent[id] = 0
			case a.Turn != "" && !a.State.Held():
				c.spent[id] = spent + passed
			}
		}
	}
}

// of is for how long the current task of an agent has been worked on.
func (c *taskClock) of(a *event.Agent) time.Duration {
	for _, t := range a.Todos {
		if t.Status == event.TodoInProgress {
			return c.spent[taskID{a.ID, t.ID}]
		}
	}
	return 0
}
