// Package agent runs conversations: it takes what a user submits, talks to a
// model, runs the tools it asks for and records everything before it counts.
//
// Guarantees:
//
//   - One goroutine per agent holds its history and runs its turns as
//     straight-line code. Blocking work takes a context whose cause says why it
//     ended.
//   - What is published as final is stored first, in one transaction with the
//     message it belongs to. While the store refuses, nothing is sent and
//     nothing runs. See [journal.Committer].
//   - The history is valid for a provider at every moment: each call has exactly
//     one result, in order, whatever was interrupted.
//   - A call that started and was not seen to end is reported as such and never
//     run again.
//   - A history that leaves the model too little room is shortened, and what
//     became of it is stored before it is sent. The messages themselves stay in
//     the store, and a resumed conversation sends the same shortened history.
//   - A panic in a turn or a tool ends that turn with a notice, never the program.
//   - [Conversation.Close] waits for every goroutine the conversation started.
package agent

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"hermes-tui/agent/cachediff"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/lessons"
	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

// Prompter builds the system prompt of a session.
type Prompter interface {
	// Instructions names the folder that would be trusted and the files in it
	// that would be obeyed. No files means that there is nothing to trust.
	Instructions() (root string, files []string)
	// Build makes the prompt. Files of the folder are read only when it is
	// trusted. defs are the tools the model is shown. parts say what it consists of.
	Build(ctx context.Context, trusted bool, model event.Model, defs []providers.ToolDef) (string, []event.PromptPart, error)
	// Fits reports whether a stored prompt was made for this model. One that was
	// is sent again byte for byte.
	Fits(stored string, model event.Model) bool
	// Deeper finds the files that instruct the agent in folders around absolute paths
	// below the root, of which the prompt says nothing. It asks fresh about each
	// folder whether to look there. Instruct gives their text, in a trusted folder,
	// without those whose first line the model was told.
	Deeper(paths []string, fresh func(dir string) bool) (files []string)
	Instruct(files []string, told func(line string) bool) string
	// Git says in one line where the repository stands, empty when that is not known.
	Git(ctx context.Context, trusted bool) string
	// Workspace describes the place of work as it is now. What only a trusted
	// folder may tell is left out of an untrusted one.
	Workspace(ctx context.Context, trusted bool) event.Workspace
}

// Trust remembers which folders may instruct the agent.
type Trust interface {
	// Trusted reports whether a folder was decided on, and how.
	Trusted(ctx context.Context, root string) (decided, trusted bool, err error)
	// Decide remembers a decision.
	Decide(ctx context.Context, root string, trusted bool) error
}

// Masker hides secrets in what comes from outside.
type Masker interface {
	// Text masks prose and output, Code source files, where an assignment is
	// more often a program than a secret.
	Text(s string) string
	Code(s string) string
	// Writer masks a stream on its way to out. It must be flushed at the end.
	Writer(out io.Writer) MaskWriter
}

// MaskWriter masks what is written to it. It holds back what may be the start
// of a secret until Flush.
type MaskWriter interface {
	io.Writer
	Flush() error
}

// Toolbox is the set of tools of one agent.
type Toolbox interface {
	// Lookup finds a tool that the agent may call.
	Lookup(name string) (tools.Tool, bool)
	// Registered finds a tool of the program, which the agent may have been able to
	// call earlier.
	Registered(name string) (tools.Tool, bool)
	// Names lists the tools the model is shown, sorted.
	Names() []string
	// Definitions describes the tools for the model, sorted by name.
	Definitions(ctx context.Context) []providers.ToolDef
	// Restore hands the states that a conversation has kept to their families, by
	// their names.
	Restore(states map[string]json.RawMessage)
	// Kept is what a conversation is to keep of the tools that no call has left, nil for
	// nothing that it does not have.
	Kept() *tools.Saved
	// Open lists what is still to be done, one line each.
	Open() []string
	// Parallel reports whether calls may run side by side.
	Parallel(calls []tools.Call) bool
	// Touched gives the absolute names that a call has spoken of.
	Touched(call tools.Call, view tools.View) []string
	// News gives what has changed around the agent since it was asked last. Acts is
	// called before a call that may change anything, and when it is over.
	News() []tools.News
	Acts(over bool)
	// Ran is called when a call of a tool has run. It tells the other tools.
	Ran(tool string)
	// Aside is called when a service refuses the definition of a tool, which is then left
	// out of requests to it; why is what it says.
	Aside(tool, why string)
	// Begin is called when a turn begins.
	Begin()
	// Forget is called when older results are no longer before the model: a tool
	// must not refer to what it returned earlier.
	Forget()
	// Seen gives those of some files, named by absolute paths, whose content the
	// agent has seen.
	Seen(paths []string) []string
}

// Agent is one agent of a conversation. Its history belongs to the goroutine
// that runs its turns.
type Agent struct {
	id     event.AgentID
	names  []string // from the root down
	conv   *Conversation
	parent *Agent // nil for the root
	// session is where its messages are.
	session event.SessionID
	// member is its place in the tree.
	member *delegate.Member
	tools  Toolbox
	gate   *approval.Gate
	prompt Prompter
	trust  Trust
	mask   Masker
	// budget is how many model calls a turn may make.
	budget int
	// least is the mode that its turns are judged by at least: that of the turn that a
	// subagent was started in.
	least event.Mode

	guard *guard.Guard
	// lessons follows its calls, nil when nothing is learnt from them.
	lessons *lessons.Trail
	trail   trail
	aware   aware
	// strangers are who may have written what it has read in its turn.
	strangers strangers
	// deeper are the folders whose instructions it has been given.
	deeper deeper
	// hurry ends a wait before another attempt.
	hurry chan struct{}

	// history is what the model sees.
	history []providers.Message
	// system is the prompt before the history.
	system string
	usage  event.Usage
	// cacheDiff compares its requests, for what the provider's cache gives.
	cacheDiff cachediff.Tracker
	room      room

	mu   sync.Mutex
	stop context.CancelCauseFunc // of the running turn, nil between turns
	// began is the mode that the running turn is judged by at least, empty between turns.
	began event.Mode
	// newest is the turn that it began last.
	newest event.TurnID
	// runtime is what answered its newest turn at first, aside what calls beside the
	// conversation have used since its newest own.
	runtime  Runtime
	auxUsage event.Usage
	sight    sight
}

// takeAuxUsage gives what was used beside the conversation, once.
func (a *Agent) takeAuxUsage() event.Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	u := a.auxUsage
	a.auxUsage = event.Usage{}
	return u
}

// mode is what the calls of the agent are judged by now.
func (a *Agent) mode() event.Mode {
	mode := a.conv.Mode()
	a.mu.Lock()
	defer a.mu.Unlock()
	return mode.Strictest(a.began)
}

// interrupt stops the running turn and says so before the turn can say how it
// ended. Between turns it does nothing.
func (a *Agent) interrupt(why Reason) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop == nil {
		return
	}
	a.stop(&Stopped{why})
	a.publish(&event.PhaseChanged{Phase: event.PhaseStopping})
}

// publish shows an event of no particular turn that is not stored.
func (a *Agent) publish(e event.Event) {
	c := a.conv
	*e.Head() = event.Meta{Conv: c.conv, Session: a.session, Agent: a.id, At: c.ids.Now()}
	event.Stamp(e)
	c.box.Put(e)
}

// answeredBy notes what answers the agent now.
func (a *Agent) answeredBy(rt Runtime) {
	a.mu.Lock()
	a.runtime = rt
	a.mu.Unlock()
}

// begin opens the control scope of a turn; the returned function closes it, and
// may be called again.
//
// The mode at its beginning is the least strict one that the turn is judged by: a
// stricter one holds at once, another one from the next turn on.
func (a *Agent) begin(parent context.Context, rt Runtime) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	mode := a.conv.Mode().Strictest(a.least)
	a.mu.Lock()
	a.stop, a.runtime, a.began = cancel, rt, mode
	a.mu.Unlock()
	return ctx, func() {
		a.mu.Lock()
		a.stop, a.began = nil, ""
		a.sight.history = slices.Clone(a.history)
		a.mu.Unlock()
		cancel(nil)
	}
}
