package ui

import (
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// TestTaskClock counts the time in which a task was worked on, and no other.
func TestTaskClock(t *testing.T) {
	root := &event.Agent{ID: "root", Turn: "t1", State: event.AgentRunning, Todos: []event.Todo{{ID: "1", Status: event.TodoInProgress}}}
	kid := &event.Agent{ID: "kid", Parent: "root", Turn: "t2", State: event.AgentRunning, Todos: []event.Todo{{ID: "1", Status: event.TodoInProgress}}}
	s := &event.State{Agents: []*event.Agent{root, kid}}
	var c taskClock
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pass := func(d time.Duration) {
		now = now.Add(d)
		c.pass(s, now)
	}
	expect := func(when string, a *event.Agent, want time.Duration) {
		t.Helper()
		if got := c.of(a); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	pass(time.Hour)
	expect("at first", root, 0)
	pass(5 * time.Second)
	expect("at work", root, 5*time.Second)
	root.State = event.AgentWaiting
	pass(time.Minute)
	expect("while the user thinks", root, 5*time.Second)
	expect("another agent's task of the same name", kid, 65*time.Second)
	root.State = event.AgentRunning
	pass(time.Second)
	root.State, root.Turn = event.AgentIdle, ""
	pass(time.Hour)
	expect("interrupted", root, 6*time.Second)
	root.State, root.Turn = event.AgentRunning, "t3"
	pass(time.Second)
	expect("in the next turn", root, 7*time.Second)
	root.Todos = []event.Todo{{ID: "1", Status: event.TodoCompleted}, {ID: "2", Status: event.TodoInProgress}}
	pass(time.Second)
	pass(2 * time.Second)
	expect("the next task", root, 2*time.Second)
}
