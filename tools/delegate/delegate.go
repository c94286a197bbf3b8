// Package delegate holds the tool by which an agent hands work to subagents. It
// reads and checks what the model asks for, decides which tools a subagent gets,
// and writes what came of it for the model; a [Spawner] does the rest.
//
// A subagent has at most the tools of its parent. It never has memory,
// send_message and execute_code, and delegate_task only as an orchestrator. It
// may ask the user.
//
// Every task of a call has exactly one entry in its result, whatever the Spawner
// gives back. An answer has at most 8,000 characters, fewer where there are more
// than five, so that sixty reports fit into the cap of a result; the whole of an
// answer that is cut is in a file that its entry names. Of the calls of a subagent
// the newest 50 are listed, or fewer.
//
// A [Delegate] holds no state; its tool may run several calls at once.
package delegate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"hermes-tui/tools"
)

// Toolset is the toolset of the tool of this package.
const Toolset = "delegation"

// Name is the name of the tool.
const Name = "delegate_task"

// The roles of a subagent.
const (
	RoleLeaf         = "leaf"         // has no subagents
	RoleOrchestrator = "orchestrator" // may have subagents of its own
)

// Spawner starts subagents. It is safe for concurrent use.
type Spawner interface {
	// Run starts one subagent per task, side by side as far as the limits allow, and
	// waits for all of them. Reports are in the order of the tasks, one for each,
	// whatever happens; when ctx ends they say so. call is the id of the call that
	// asks for them.
	Run(ctx context.Context, call string, tasks []Task) []Report
	// Dispatch starts a subagent that goes on after the call; its end re-enters as a
	// message. The error is a sentence for the model.
	Dispatch(ctx context.Context, call string, t Task) (id string, err error)
}

// Task is the work of one subagent.
type Task struct {
	Goal, Context string
	// Toolsets are the ones asked for, none for all.
	Toolsets []string
	// Role is [RoleLeaf] or [RoleOrchestrator].
	Role string
	// Tools are the names of the tools granted, sorted.
	Tools []string
}

// Options are what the tool of an agent is made of.
type Options struct {
	Spawner Spawner
	// MaxTasks is how many tasks one call may have, at least 1.
	MaxTasks int
	// Background is how many subagents may go on after their calls; 0 offers none.
	Background int
	// Orchestrators says that the subagents of this agent may have subagents of
	// their own. Where not, one that is asked for is a leaf.
	Orchestrators bool
	// Tools are the tools that the agent has now.
	Tools func() []tools.Tool
	// Spill keeps a whole answer and returns where the model can read it. Nil keeps
	// none.
	Spill func(name, content string) (path string, err error)
	// Now is the clock.
	Now func() time.Time
}

// Delegate makes the tool of one agent.
type Delegate struct{ o Options }

// New makes a Delegate.
func New(o Options) *Delegate {
	o.MaxTasks = max(o.MaxTasks, 1)
	return &Delegate{o: o}
}

// Tool is delegate_task. Its schema names the toolsets that the agent can give away
// at this moment; the same options and tools give the same bytes.
func (d *Delegate) Tool() tools.Tool {
	return tools.Tool{
		Name: Name, Toolset: Toolset,
		Description: d.description(),
		Parameters:  d.parameters(),
		Guidance: "Use delegate_task for work that stands on its own and whose details you need not see: broad searches, long checks, independent parts side by side. " +
			"A subagent knows nothing of this conversation: write all that it needs into goal and context. Check what it reports before you rely on it.",
		Class: tools.Delegating,
		// What a subagent does passes the gate in the mode of the conversation.
		ReadsOnly: true,
		RootOnly:  true, // an orchestrator is given it beside what is handed down
		Preview:   preview,
		Run:       d.run,
	}
}

func (d *Delegate) description() string {
	text := "Hand work to subagents and wait for their reports. Each has a context and a budget of its own, works in the same folder, " +
		"sees nothing of this conversation and returns only its final answer. Give one goal"
	if d.o.MaxTasks > 1 {
		text += fmt.Sprintf(", or up to %d tasks that work side by side", d.o.MaxTasks)
	}
	return text + "."
}

// parameters is the schema. The limit and the toolsets stand in descriptions, so
// that a call that oversteps them reaches run, which says what to do instead.
func (d *Delegate) parameters() json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	b.WriteString(d.properties("What is to be done, and what the report must say.") + ",\n")
	fmt.Fprintf(&b, `"tasks":{"type":"array","description":%s,"items":{"type":"object","properties":{%s},"required":["goal"]}}`,
		tools.JSON(fmt.Sprintf("instead of goal: at most %d, each for a subagent of its own; context, toolsets and role above hold for those that have none of their own", d.o.MaxTasks)),
		d.properties(""))
	if d.o.Background > 0 {
		fmt.Fprintf(&b, ",\n"+`"background":{"type":"boolean","default":false,"description":%s}`,
			tools.JSON(fmt.Sprintf("go on without waiting; the report comes as a message. One goal only, at most %d at a time.", d.o.Background)))
	}
	b.WriteString("}}")
	return json.RawMessage(b.String())
}

// properties are those of one task. Without a description of the goal they stand
// below tasks, where nothing is explained again.
func (d *Delegate) properties(goal string) string {
	describe := func(text string) string {
		if goal == "" {
			return ""
		}
		return `,"description":` + tools.JSON(text)
	}
	list := []string{
		`"goal":{"type":"string"` + describe(goal) + `}`,
		`"context":{"type":"string"` + describe("All it has to know: paths, findings, constraints.") + `}`,
		`"toolsets":{"type":"array","items":{"type":"string"}` + describe("of: "+strings.Join(Askable(d.o.Tools()), ", ")+"; omit for all") + `}`,
	}
	if d.o.Orchestrators {
		list = append(list, `"role":{"type":"string","enum":["leaf","orchestrator"]`+describe("an orchestrator may have subagents of its own; default leaf")+`}`)
	}
	return strings.Join(list, ",\n")
}
