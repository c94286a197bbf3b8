package event

import (
	"encoding/json"
	"time"
)

// Type is the stable JSON name of an event.
type Type string

// Meta is what every event carries.
type Meta struct {
	Type    Type      `json:"type"`
	V       int       `json:"v"`
	Seq     uint64    `json:"seq,omitempty"` // 0 for live events
	At      time.Time `json:"at"`
	Conv    ConvID    `json:"conv"`
	Session SessionID `json:"session,omitempty"`
	Agent   AgentID   `json:"agent,omitempty"`
	Turn    TurnID    `json:"turn,omitempty"`
}

// Head gives access to the metadata of an event.
func (m *Meta) Head() *Meta { return m }

// Event is one thing that happened. Only the types of this package implement it.
type Event interface {
	// Head is the event's metadata; it must not be changed after publication.
	Head() *Meta
	sealed()
}

// TurnStarted opens a turn of one agent.
type TurnStarted struct {
	Meta
	// Budget is how many model calls the turn may make.
	Budget int `json:"budget"`
}

// PhaseChanged says what a turn of an agent is doing.
type PhaseChanged struct {
	Meta
	Phase  Phase  `json:"phase"`
	Detail string `json:"detail,omitempty"`
}

// ModelChanged says which model answers from here on.
type ModelChanged struct {
	Meta
	Model Model `json:"model"`
}

// ModeChanged says what is asked about from here on.
type ModeChanged struct {
	Meta
	Mode Mode `json:"mode"`
}

// WorkspaceChanged describes the place of work as it is now.
type WorkspaceChanged struct {
	Meta
	Work Workspace `json:"work"`
}

// QueueChanged replaces the list of what waits to be sent.
type QueueChanged struct {
	Meta
	Queue []Queued `json:"queue"`
}

// SpawningChanged says whether subagents may be spawned.
type SpawningChanged struct {
	Meta
	Frozen bool `json:"frozen"`
}

// StatusChanged is what journals of early programs have in place of [ModelChanged],
// [ModeChanged], [WorkspaceChanged], [QueueChanged] and [SpawningChanged]: it changes
// the fields that are set. It is read and no longer written.
type StatusChanged struct {
	Meta
	Model  *Model     `json:"model,omitempty"`
	Mode   Mode       `json:"mode,omitempty"`
	Work   *Workspace `json:"work,omitempty"`
	Queue  *[]Queued  `json:"queue,omitempty"`
	Frozen *bool      `json:"frozen,omitempty"`
}

// ReasoningDelta is a piece of streamed reasoning.
type ReasoningDelta struct {
	Meta
	Block BlockID `json:"block"`
	Text  string  `json:"text"`
}

// TextDelta is a piece of a streamed answer.
type TextDelta struct {
	Meta
	Block BlockID `json:"block"`
	Text  string  `json:"text"`
}

// StreamReset takes back what was streamed and not committed by this agent: the
// request is made again.
type StreamReset struct {
	Meta
	Reason string `json:"reason"`
}

// MessageCommitted says that a message is stored and final. It carries all the
// text, so a reader that missed the deltas loses nothing.
type MessageCommitted struct {
	Meta
	Message MessageID `json:"message"`
	Role    Role      `json:"role"`
	Block   BlockID   `json:"block,omitempty"` // of the text; empty without text
	Text    string    `json:"text,omitempty"`

	Reasoning *Reasoning `json:"reasoning,omitempty"`
	Calls     []CallHead `json:"calls,omitempty"`
	Finish    string     `json:"finish,omitempty"`
	Model     string     `json:"model,omitempty"`
	// Partial marks an answer that was cut off.
	Partial bool `json:"partial,omitempty"`
	// Steer marks a user's text that was handed to a running turn.
	Steer bool `json:"steer,omitempty"`
	// Input is the submitted text that became this message.
	Input InputID `json:"input,omitempty"`
	// Origin says who wrote it.
	Origin Origin `json:"origin,omitempty"`
	// Images are those that a user's text came with.
	Images []Attachment `json:"images,omitempty"`
	// Named is what a user's text names with an @.
	Named []Named `json:"named,omitempty"`
	// Told are the commands of the user whose output went with it; see [CommandTyped].
	Told []CallID `json:"told,omitempty"`
}

// ToolDrafting says that the model is writing the arguments of a call.
type ToolDrafting struct {
	Meta
	Call  CallID `json:"call"`
	Name  string `json:"name"`
	Bytes int    `json:"bytes"` // of arguments so far
}

// ToolStarted says that a call is recorded and about to run.
type ToolStarted struct {
	Meta
	Call CallID `json:"call"`
	// Parent is the call on whose behalf this one is made, empty for a call of the
	// model.
	Parent CallID   `json:"parent,omitempty"`
	View   CallView `json:"view"`
}

// ToolOutput is live output of a running call.
type ToolOutput struct {
	Meta
	Call CallID `json:"call"`
	Text string `json:"text"`
	// Dropped counts bytes left out before Text because no one read in time.
	Dropped int64 `json:"dropped,omitempty"`
}

// ToolFinished says that a call ended and its result is recorded.
type ToolFinished struct {
	Meta
	Call    CallID        `json:"call"`
	Parent  CallID        `json:"parent,omitempty"`
	Outcome Outcome       `json:"outcome"`
	Took    time.Duration `json:"took"` // nanoseconds
	View    CallView      `json:"view"`
	// Changed are files that the call has changed, at most [ChangedLimit] of them.
	Changed []string `json:"changed,omitempty"`
}

// ChangedLimit bounds [ToolFinished.Changed].
const ChangedLimit = 100

// CommandTyped says that a command of the user's own is about to run, beside the agent.
// Its output and its end are those of a call.
type CommandTyped struct {
	Meta
	Call CallID   `json:"call"`
	View CallView `json:"view"`
	// Tell says that the agent gets its output with the next message of the user.
	Tell bool `json:"tell,omitempty"`
}

// Requested asks the user something and waits.
type Requested struct {
	Meta
	Request Request `json:"request"`
}

// RequestResolved says how a request ended.
type RequestResolved struct {
	Meta
	Request RequestID `json:"request"`
	Answer  Answer    `json:"answer"`
	By      Resolver  `json:"by"`
}

// AgentSpawned introduces an agent. The root agent is the first of them. That of
// a subagent carries the subagent's own session, and is recorded even when it is
// refused; then an [AgentFinished] with [AgentRefused] follows.
type AgentSpawned struct {
	Meta
	Parent AgentID `json:"parent,omitempty"`
	// Tree is the turn of the root that everything below it belongs to.
	Tree TurnID `json:"tree,omitempty"`
	// Call is the call of the parent that asked for the agent.
	Call CallID `json:"call,omitempty"`
	// Index is its place among the tasks of that call.
	Index int    `json:"index,omitempty"`
	Depth int    `json:"depth"` // the root's is 0
	Role  string `json:"role"`  // RoleRoot, RoleLeaf or RoleOrchestrator
	Goal  string `json:"goal,omitempty"`
	Model string `json:"model,omitempty"`
	// Toolsets are those that the agent has.
	Toolsets []string `json:"toolsets,omitempty"`
	// Budget is how many model calls it may make in all.
	Budget int `json:"budget,omitempty"`
	// Background says that no one waits for the agent: its end is an input of its
	// own.
	Background bool `json:"background,omitempty"`
}

// The roles of agents.
const (
	RoleRoot         = "root"
	RoleLeaf         = "leaf"         // cannot delegate
	RoleOrchestrator = "orchestrator" // can
)

// AgentStateChanged acknowledges a change of an agent's state.
type AgentStateChanged struct {
	Meta
	State AgentState `json:"state"`
	// On is what a waiting agent waits for, or why one is stopping.
	On string `json:"on,omitempty"`
}

// AgentFinished ends an agent for good.
type AgentFinished struct {
	Meta
	State   AgentState `json:"state"`
	Summary string     `json:"summary,omitempty"`
	Error   string     `json:"error,omitempty"`
}

// ToolStateChanged replaces what the conversation keeps of some tools of an agent.
type ToolStateChanged struct {
	Meta
	// Name says whose state it is; that of the task list is [TodoState].
	Name  string          `json:"name"`
	State json.RawMessage `json:"state"`
}

// TodoState names the state that holds the task list: a list of [Todo].
const TodoState = "todo"

// GitState names the state that holds what an agent was told of its repository, a text.
const GitState = "git"

// LayersLeft says which parts of what the model gets are left out for the rest of the
// session, by their ids: tools, servers and parts of the system prompt.
type LayersLeft struct {
	Meta
	Left []string `json:"left"`
}

// PromptBuilt says of which parts the system prompt of an agent consists, in their
// order. A newer one holds for a prompt that was built again.
type PromptBuilt struct {
	Meta
	Parts []PromptPart `json:"parts"`
}

// PromptPart is a part of a system prompt. Parts are joined by an empty line.
type PromptPart struct {
	// Name is what the user knows it by, in one word.
	Name string `json:"name"`
	// Bytes is its length, without what joins it to others.
	Bytes int `json:"bytes"`
}

// TodosChanged is what journals of early programs have in place of a
// [ToolStateChanged] of the task list. It is read and no longer written.
type TodosChanged struct {
	Meta
	Items []Todo `json:"items"`
}

// UsageUpdated replaces the usage figures of an agent. The final one of each
// model call is durable, ticks between are live.
type UsageUpdated struct {
	Meta
	Usage   Usage   `json:"usage"`
	Context Context `json:"context"`
	Final   bool    `json:"final"`
	// CostStatus is the usage's, for readers of the JSON form.
	CostStatus CostStatus `json:"cost_status,omitempty"`
	// Cache says what a prompt cache gave for the call, nil when there was no call.
	Cache *CacheReport `json:"cache,omitempty"`
}

// ContextCompressing says that a record is being written of what is to be left out: it
// comes as [TextDelta] of the block, until [ContextCompressed] says what has become of
// it, or nothing has.
type ContextCompressing struct {
	Meta
	Block BlockID `json:"block"`
	// Ended takes the block away, with what has come of the record.
	Ended bool `json:"ended,omitempty"`
}

// ContextCompressed says that from here on some older messages travel to the
// model in short, or not at all. The transcript keeps them.
type ContextCompressed struct {
	Meta
	Block BlockID `json:"block,omitempty"`
	// Into is set when another program has shortened the conversation, which goes on
	// in this session: nothing above travels any more, and what does stands below.
	Into   SessionID `json:"into,omitempty"`
	Before int       `json:"before"` // tokens of the next request, estimated
	After  int       `json:"after"`
	// Results counts tool results that were shortened.
	Results int `json:"results,omitempty"`
	// Calls counts those with shortened arguments.
	Calls int `json:"calls,omitempty"`
	// Turns counts the turns that no longer travel.
	Turns int `json:"turns,omitempty"`
	// Dropped counts the messages in them.
	Dropped int    `json:"dropped"`
	Summary string `json:"summary,omitempty"`
	// Record is what the model gets in place of the turns that no longer travel.
	Record string `json:"record,omitempty"`
	// Restored says that instead a compression was taken back: more travels again.
	Restored bool `json:"restored,omitempty"`
}

// RetryScheduled announces another attempt at a failed model call.
type RetryScheduled struct {
	Meta
	Attempt int       `json:"attempt"`
	Max     int       `json:"max"`
	Reason  string    `json:"reason"`
	Until   time.Time `json:"until"`
}

// FallbackActivated says that another model answers from here on.
type FallbackActivated struct {
	Meta
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

// NoticeRaised tells the user something in one sentence.
type NoticeRaised struct {
	Meta
	Block BlockID `json:"block"`
	Level Level   `json:"level"`
	Text  string  `json:"text"`
	// Passing marks a notice about this run of the program rather than about the
	// conversation. It is not stored.
	Passing bool `json:"passing,omitempty"`
}

// TitleChanged names the conversation.
type TitleChanged struct {
	Meta
	Title string `json:"title"`
}

// BookmarkChanged sets a bookmark of the user at a block, or removes it.
type BookmarkChanged struct {
	Meta
	Block BlockID `json:"block"`
	On    bool    `json:"on,omitempty"`
}

// Rewound hides everything of an agent from a turn on, or shows it again.
type Rewound struct {
	Meta
	// ID names the rewind; the notice about it is the block of that name.
	ID string `json:"id"`
	// From is the first turn that goes, with everything after it; empty when only
	// files went back.
	From TurnID `json:"from,omitempty"`
	// Undo says that what the rewind has hidden is shown again, which is possible
	// until the next turn starts.
	Undo bool `json:"undo,omitempty"`
	// Snapshot names what was done to files, empty for nothing.
	Snapshot string `json:"snapshot,omitempty"`
	// Elsewhere says that another program has changed the messages, so that this one
	// cannot bring them back.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// JobsChanged replaces the list of the conversation's background jobs. It is
// published when one begins or ends, not when one writes.
type JobsChanged struct {
	Meta
	Jobs []Job `json:"jobs"`
}

// LookingBack says how a look back beside the conversation stands. It comes when one
// begins, with each of its model calls, and when it ends; it is not stored.
type LookingBack struct {
	Meta
	Since time.Time `json:"since"`
	// Model is the one that looks back.
	Model string `json:"model"`
	// Usage is what it has used so far.
	Usage Usage `json:"usage"`
	Ended bool  `json:"ended,omitempty"`
}

// TurnFinished closes a turn.
type TurnFinished struct {
	Meta
	Outcome TurnOutcome `json:"outcome"`
	// Reason is a stable word for programs, empty when the turn completed.
	Reason string `json:"reason,omitempty"`
	// Explain is one sentence for the user with what to do next.
	Explain string        `json:"explain,omitempty"`
	Block   BlockID       `json:"block,omitempty"` // of Explain
	Calls   int           `json:"calls"`           // model calls made
	Took    time.Duration `json:"took"`
}

// Unknown is an event of a type this program does not know. Raw is its JSON.
type Unknown struct {
	Meta
	Raw []byte `json:"-"`
}

func (*Meta) sealed() {}
