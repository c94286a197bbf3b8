package exec

import (
	"fmt"
	"strconv"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
	"hermes-tui/ui/format"
)

// family is what a run knows of the subagents that it has seen.
type family struct {
	// labels number them in the order in which they were asked for, those of a
	// subagent below its own number: "1", "2", "2.1".
	labels map[event.AgentID]string
	counts map[event.AgentID]int // of subagents, by the agent above
	begun  map[event.AgentID]bool
	// away are those that no one waits for and that were not refused; each ends
	// with a report, which begins a turn. reported counts these.
	away     map[event.AgentID]bool
	reported int
}

func newFamily() family {
	return family{
		labels: map[event.AgentID]string{}, counts: map[event.AgentID]int{}, begun: map[event.AgentID]bool{}, away: map[event.AgentID]bool{},
	}
}

// owed is how many reports are still to come.
func (f *family) owed() int { return max(len(f.away)-f.reported, 0) }

// who names a subagent in a sentence, empty for the root agent and for one that
// was there before.
func (f *family) who(id event.AgentID) string {
	if label := f.labels[id]; label != "" {
		return "subagent " + label
	}
	return ""
}

// join notes a new subagent.
func (f *family) join(e *event.AgentSpawned) {
	if e.Parent == "" || f.labels[e.Agent] != "" {
		return
	}
	f.counts[e.Parent]++
	label := strconv.Itoa(f.counts[e.Parent])
	if above := f.labels[e.Parent]; above != "" {
		label = above + "." + label
	}
	f.labels[e.Agent] = label
	if e.Background {
		f.away[e.Agent] = true
	}
}

// maxGoal is how much of a goal is told when its subagent begins, in characters.
const maxGoal = 100

// subagent follows the life of subagents: one line when one begins and one when
// it has ended.
func (r *run) subagent(e event.Event) error {
	id := e.Head().Agent
	switch e := e.(type) {
	case *event.AgentSpawned:
		r.family.join(e)
	case *event.AgentStateChanged:
		a := r.state.Agent(id)
		if a == nil || r.family.who(id) == "" || e.State != event.AgentRunning || r.family.begun[id] {
			return nil
		}
		r.family.begun[id] = true
		how := "begins"
		if a.Background {
			how += " in the background"
		}
		return r.tell(fmt.Sprintf("%s %s: %s", upper(r.family.who(id)), how, shorten.After(oneLine(a.Goal), maxGoal)))
	case *event.AgentFinished:
		if e.State == event.AgentRefused {
			delete(r.family.away, id)
		}
		if a := r.state.Agent(id); a != nil && r.family.who(id) != "" {
			return r.tell(upper(r.family.who(id)) + " " + ended(a, e))
		}
	}
	return nil
}

// ended says how a subagent ended.
func ended(a *event.Agent, e *event.AgentFinished) string {
	if e.State == event.AgentRefused {
		return fmt.Sprintf("was refused: %s (%s)", oneLine(e.Error), shorten.After(oneLine(a.Goal), maxGoal))
	}
	how := map[event.AgentState]string{
		event.AgentCompleted: "has completed", event.AgentKilled: "was ended", event.AgentTimeout: "ran out of time", event.AgentInterrupted: "was interrupted",
	}[e.State]
	if how == "" {
		how = "has failed"
	}
	how += fmt.Sprintf(" after %s and %s", a.Elapsed(e.At).Round(100*time.Millisecond), format.Count(a.Tools, "call", "calls"))
	if e.Error == "" {
		return how + "."
	}
	return how + ": " + oneLine(e.Error)
}

// upper begins a sentence.
func upper(text string) string {
	if text == "" {
		return ""
	}
	return string(text[0]-'a'+'A') + text[1:]
}
