package delegate

import (
	"context"
	"time"

	"hermes-tui/agent/event"
)

// Limits bound what agents may spawn.
type Limits struct {
	// Concurrent is how many subagents of one agent work at the same time, at least
	// one; others wait for a slot.
	Concurrent int
	// Background is how many do so that no one waits for; more are refused.
	Background int
	// Depth is how deep agents may nest: the root's is 0.
	Depth int
	// Orchestrators says whether those above it may spawn.
	Orchestrators bool
	// Iterations is how many model calls a subagent may make.
	Iterations int
	// Timeout is how long a subagent may work; 0 is for ever. Idle and InTool are
	// how long one may show no sign of progress, InTool while a call of it runs;
	// 0 is for ever. Signs are looked for every 30 seconds, or as often as the limits
	// need when these are short: a subagent ends at most that much later.
	Timeout, Idle, InTool time.Duration
	// TreeIterations and TreeCost bound a turn of the root with everything below it;
	// 0 is no bound.
	TreeIterations int
	TreeCost       event.Money
}

// Spec is what a subagent is asked for.
type Spec struct {
	Parent event.AgentID
	Call   event.CallID // of the parent
	Index  int          // among the tasks of that call
	// Goal is what is to be done.
	Goal string
	// Context is what is known about it.
	Context string
	// Role is [event.RoleLeaf] or [event.RoleOrchestrator]. Where an orchestrator
	// could not have subagents of its own, it is a leaf.
	Role string
	// Toolsets are shown to the user.
	Toolsets []string
	// Tools are the names of the tools granted.
	Tools      []string
	Model      string
	Background bool
}

// Report is how a subagent ended.
type Report struct {
	// State is one of those that are an end.
	State event.AgentState
	// Summary is what it has to say.
	Summary string
	// Error is why it did not complete.
	Error string
	// Exhausted says that its budget ran out.
	Exhausted bool
	Model     string
	Usage     event.Usage
	// Took is the time that counts, see [event.Agent.Elapsed].
	Took  time.Duration
	Trace []Step
	// Written are the files that it has changed.
	Written []string
}

// Step is a call that a subagent has made.
type Step struct {
	Tool                   string
	ArgsBytes, ResultBytes int
	Failed                 bool
}

// Why is the reason for which the program ends an agent, as a part of a sentence.
type Why string

// The reasons.
const (
	Killed   Why = "ended by you"
	TooLong  Why = "it worked longer than a subagent may"
	NoSign   Why = "it showed no sign of progress"
	TopEnded Why = "the agent above it ended"
)

// Options are what a registry is made of.
type Options struct {
	Root   event.AgentID
	IDs    event.Source
	Limits Limits
	// Run carries a subagent to its end. It is called on a goroutine of the
	// registry, returns soon after ctx ends, and leaves State empty when ctx ended.
	Run func(ctx context.Context, m *Member) Report
	// Record hands events of an agent over to be stored, in the order of the calls,
	// and returns what waits until they are; that is not always called. Record may
	// block. It must not call the registry; of the member it may call what only
	// returns what it was made of. An accepted subagent's [event.AgentSpawned] comes
	// alone, that of a refused one together with its [event.AgentFinished].
	Record func(m *Member, events ...event.Event) (wait func() error)
	// Cause makes the cause of a context that ends an agent.
	Cause func(Why) error
	// After is time.After; tests replace it. It must not fire early.
	After func(time.Duration) <-chan time.Time
	// Frozen is whether spawning is frozen to begin with.
	Frozen bool
}
