package agentgrid

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
	"hermes-tui/ui/format"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
	"hermes-tui/ui/timeline"
)

// keep bounds the blocks of an agent that a tile can show: more than the rows of
// any screen that is in use.
const keep = 128

// nameBytes bounds what is looked at of a text for one row, askBytes of what the
// user is asked.
const (
	nameBytes = 600
	askBytes  = 2000
)

// tile is what the grid shows of an agent.
type tile struct {
	id   event.AgentID
	turn uint64 // the sync it was in last

	goal    string // as it came
	name    string
	sp      event.Spawned // times, state and figures
	phase   event.Phase
	detail  string
	running event.CallID // the newest call under way
	calls   int          // that are under way
	problem string
	usage   event.Usage
	blocks  []*event.Block // the newest, oldest first

	asks int    // questions to the user, from it or below it
	who  string // asks, if it is another agent below
	what string // is asked

	drawn []drawn // of the blocks in sight, newest first
	spare []drawn
	rows  []string
}

// sync takes an agent as it is now.
func (t *tile) sync(a *event.Agent) {
	if t.name == "" || a.Goal != t.goal {
		t.goal, t.name = a.Goal, nameOf(a)
	}
	t.sp = event.Spawned{
		Agent: a.ID, State: a.State, On: a.On, Tools: a.Tools,
		Started: a.Started, Ended: a.Ended, Held: a.Held, HeldFrom: a.HeldFrom,
	}
	t.phase, t.detail, t.usage = a.Phase, a.Detail, a.Usage
	t.running, t.calls = "", len(a.Running)
	if t.calls > 0 {
		t.running = a.Running[t.calls-1]
	}
	if t.problem = ""; a.State.Ended() && a.Error != "" {
		first, _, _ := strings.Cut(strings.TrimSpace(shorten.Bytes(a.Error, 2*nameBytes)), "\n")
		t.problem = oneLine(first, nameBytes)
	}
	t.blocks = append(t.blocks[:0], a.Blocks[max(len(a.Blocks)-keep, 0):]...)
	t.asks, t.who, t.what = 0, "", ""
}

// ask notes a question to the user.
func (t *tile) ask(s *event.State, r *event.Request) {
	if t.asks++; t.asks > 1 {
		return
	}
	if r.Agent != t.id {
		if a := s.Agent(r.Agent); a != nil {
			t.who = nameOf(a)
		}
	}
	switch {
	case r.Approval != nil:
		t.what = strings.TrimSpace(r.Approval.Action + " " + r.Approval.Text)
	case r.Clarify != nil:
		t.what = r.Clarify.Question
	case r.Trust != nil:
		t.what = "trust the folder " + r.Trust.Root
	case r.Secret != nil:
		t.what = r.Secret.Label
	default:
		t.what = string(r.Kind)
	}
	t.what = oneLine(t.what, askBytes)
}

// wait notes that an agent waits for the user, of which no question is known.
func (t *tile) wait(a *event.Agent) {
	word, person := timeline.Word(a.State, a.On)
	if !person {
		return
	}
	t.asks, t.what = 1, word
	if a.ID != t.id {
		t.who = nameOf(a)
	}
}

// atWork reports whether the agent does something just now.
func (t *tile) atWork() bool {
	switch t.sp.State {
	case event.AgentRunning, event.AgentPausing, event.AgentStopping:
		return true
	}
	return false
}

// forget drops what is kept of a tile that is out of sight.
func (t *tile) forget() { t.drawn, t.spare, t.rows = nil, nil, nil }

// doing says what the agent does now, or how it stands.
func (t *tile) doing() string {
	if t.sp.State == event.AgentRunning {
		if c := t.call(); c != nil {
			text := oneLine(c.View.Name+" "+shorten.Bytes(c.View.Subject, nameBytes), nameBytes)
			if t.calls > 1 {
				return format.Count(t.calls, "tool", "tools") + ", " + text
			}
			return text
		}
		if text := status.Phase(t.phase, t.detail); text != "" {
			return text
		}
	}
	word, _ := timeline.Word(t.sp.State, t.sp.On)
	if t.problem != "" {
		return word + ": " + t.problem
	}
	return word
}

// call is the newest call under way, nil if there is none.
func (t *tile) call() *event.Call {
	if t.running == "" {
		return nil
	}
	for i := len(t.blocks) - 1; i >= 0; i-- {
		if b := t.blocks[i]; b != nil && b.Call != nil && b.Call.ID == t.running {
			return b.Call
		}
	}
	return nil
}

// nameOf returns the name of an agent, made safe.
func nameOf(a *event.Agent) string {
	if name := oneLine(a.Name(), nameBytes); name != "" {
		return name
	}
	return a.Kind()
}

// oneLine is the start of a text, at most n bytes of it, safe and in one line.
func oneLine(s string, n int) string {
	return strings.TrimSpace(term.Line(shorten.Bytes(strings.TrimSpace(shorten.Bytes(s, 2*n)), n)))
}
