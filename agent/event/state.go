package event

import (
	"encoding/json"
	"slices"
	"time"
)

// State is what the events of one conversation add up to. It belongs to one
// goroutine.
type State struct {
	Conv    ConvID
	Session SessionID
	// Seq is the number of the newest journalled event that was applied.
	Seq   uint64
	Title string
	Model Model
	Mode  Mode
	Work  Workspace
	Queue []Queued
	// Agents are in the order they were spawned; the first is the root.
	Agents []*Agent
	// Requests wait for an answer, oldest first.
	Requests []Request
	// Jobs are the background jobs, in the order they were started.
	Jobs []Job
	// Bookmarks are the blocks that the user has marked to come back to, the oldest mark
	// first. The list is replaced, never changed in place.
	Bookmarks []BlockID
	// Left are the parts of what the model gets that are left out, by their ids.
	Left []string
	// Looking is the look back that is under way, nil for none.
	Looking *LookingBack
	// Frozen says that no subagent may be spawned.
	Frozen bool
}

// Agent is the state of one agent.
type Agent struct {
	ID     AgentID
	Parent AgentID
	// Session is where its messages are, empty for one that was refused.
	Session SessionID
	// Tree is the root's turn that a subagent belongs to.
	Tree TurnID
	// SpawnedBy is the call that asked for it.
	SpawnedBy CallID
	// Index is its place among the tasks of that call.
	Index      int
	Depth      int
	Role       string
	Goal       string
	Model      string
	Toolsets   []string
	Background bool
	State      AgentState
	// On says what a waiting agent waits for, or why one is stopping.
	On string
	// Summary is what a subagent that ended has to report.
	Summary string
	// Error is why it failed.
	Error   string
	Started time.Time
	Ended   time.Time
	// Held is the time that counts against nothing, see [AgentState.Held].
	Held time.Duration
	// HeldFrom is since when such time passes, zero while it does not.
	HeldFrom time.Time

	Phase  Phase
	Detail string
	// Turn is the running turn, empty between turns.
	Turn        TurnID
	TurnStarted time.Time
	Turns       int
	// Budget is how many model calls the turn may make.
	Budget int
	// Calls is how many have brought an answer.
	Calls int
	// Active is the time of the newest event.
	Active time.Time
	// Running are the calls that have started and not ended, oldest first; Commands are
	// the commands of the user that run beside it, likewise, and Untold those that ended
	// and go with the next message.
	Running, Commands, Untold []CallID
	// Tools counts the calls that ended.
	Tools int
	// Read are the files that its calls have read, in the order of the first time,
	// at most [FilesLimit].
	Read []string
	// Written are the files that they have changed, likewise.
	Written []string
	Usage   Usage
	Context Context
	// Cache are the reports on its newest model calls, oldest first, at most
	// [CacheReports]. The list is replaced, never changed in place.
	Cache []CacheReport
	Retry *RetryScheduled
	// Prompt are the parts of its system prompt, empty if unknown; replaced, never
	// changed in place.
	Prompt []PromptPart
	// States are what its tools keep in the conversation, by their names; replaced,
	// never changed in place.
	States map[string]json.RawMessage
	// Todos are the tasks of [TodoState].
	Todos []Todo
	// TodosTurn is the turn in which Todos were changed last.
	TodosTurn TurnID
	// Blocks is the transcript. Blocks are replaced, never changed in place.
	Blocks []*Block
	// Rewind is the newest rewind while it can be undone, nil otherwise. When it was
	// undone, it is the one before.
	Rewind *Rewound
	hidden hidden
	// revealed are subagents that an undone rewind gives back.
	revealed []*Agent
	// marks are how each turn of the transcript began.
	marks []mark
	// bodies are the newest calls whose bodies are longer than an excerpt, oldest
	// first, at most [WholeBodies].
	bodies []CallID
}

// FilesLimit bounds [Agent.Read] and [Agent.Written].
const FilesLimit = 200

// kept is what an agent's tools kept at some time.
type kept struct {
	states map[string]json.RawMessage
	todos  []Todo
	turn   TurnID
}

func (a *Agent) kept() kept { return kept{a.States, a.Todos, a.TodosTurn} }

func (a *Agent) putBack(k kept) { a.States, a.Todos, a.TodosTurn = k.states, k.todos, k.turn }

// hidden is what the newest rewind took away, and what those before it did that can be
// undone after it.
type hidden struct {
	rewind  *Rewound // the one before
	below   *hidden
	blocks  []*Block
	agents  []*Agent // of the conversation, with the root's
	kept    kept
	context Context
	marks   []mark
}

// mark is how a turn began.
type mark struct {
	turn TurnID
	kept kept
	used int // tokens of the context
}

// BlockKind says what a block of a transcript is.
type BlockKind string

// The kinds of blocks.
const (
	BlockUser      BlockKind = "user"
	BlockSteer     BlockKind = "steer"
	BlockReasoning BlockKind = "reasoning"
	BlockAnswer    BlockKind = "answer"
	BlockTool      BlockKind = "tool"
	BlockNotice    BlockKind = "notice"
	BlockCompact   BlockKind = "compact"
)

// Block is one element of a transcript. A block that was handed out never
// changes: a new state of it is a new Block with the same ID and a higher Rev.
type Block struct {
	ID   BlockID
	Kind BlockKind
	// Rev grows with every change; (ID, Rev) is a cache key within one State.
	Rev     uint64
	Turn    TurnID
	Message MessageID
	At      time.Time
	// Open is set while more may come.
	Open bool
	// Partial marks an answer that was cut off.
	Partial bool
	Origin  Origin // user texts that are not the user's
	Text    Text
	Took    time.Duration // reasoning
	Level   Level         // notices
	Call    *Call         // tools
	Compact *Compaction   // places where the context was shortened
	Images  []Attachment  // user texts
	Named   []Named       // user texts
}

// Compaction is how the context was shortened, see [ContextCompressed].
type Compaction struct {
	Into            SessionID // where the conversation goes on, empty for the same session
	Restored        bool      // more travels again
	Before, After   int       // tokens of the request, estimated
	Results, Calls  int       // shortened
	Turns, Messages int       // left out
}

// CallStage is how far a call has come.
type CallStage string

// The stages of a call.
const (
	CallDrafting CallStage = "drafting"
	CallPlanned  CallStage = "planned"
	CallRunning  CallStage = "running"
	CallEnded    CallStage = "ended"
)

// Call is the state of one tool call.
type Call struct {
	ID      CallID
	Stage   CallStage
	View    CallView
	Bytes   int // of arguments, while drafting
	Started time.Time
	// Took is how long it ran, without Held.
	Took time.Duration
	// Held is how long it has waited for answers since it started.
	Held    time.Duration
	Outcome Outcome
	// Tail is the newest live output while running, at most [TailLimit] bytes.
	Tail Text
	// Shed counts bytes of live output that Tail no longer holds.
	Shed int64
	// Asked is the newest request the call waits for, empty if none.
	Asked RequestID
	// AskedAt is since when it waits for one.
	AskedAt time.Time
	// Decision is how the user decided about the call, nil if not asked.
	Decision *Answer
	// Calls are the newest calls made on its behalf, at most [SubCalls].
	Calls []SubCall
	// Made counts all that were made.
	Made int
	// Typed says that it is a command of the user's own, Tell that the agent is to get its
	// output with a message of the user.
	Typed, Tell bool
	// Agents are the subagents that it asked for, in the order of its tasks. Like
	// blocks they are replaced, never changed in place.
	Agents []*Spawned
}

// Spawned is a subagent in short, as the call shows it that asked for it.
type Spawned struct {
	Agent AgentID
	Goal  string
	State AgentState
	On    string
	// Doing is its newest call, or the phase it is in; why it failed, when it did.
	Doing string
	Tools int
	// Started, Ended and Held are those of [Agent].
	Started, Ended time.Time
	Held           time.Duration
	HeldFrom       time.Time
}

// SubCalls bounds [Call.Calls].
const SubCalls = 50

// SubCall is a call made on behalf of another one.
type SubCall struct {
	ID      CallID
	View    CallView // without a body
	Started time.Time
	Ended   bool
	Outcome Outcome
	Took    time.Duration
}

// TailLimit bounds the live output a call keeps, in bytes.
const TailLimit = 64 << 10

// Root is the root agent, nil before it was spawned.
func (s *State) Root() *Agent {
	if len(s.Agents) == 0 {
		return nil
	}
	return s.Agents[0]
}

// Agent finds an agent, nil if there is none.
func (s *State) Agent(id AgentID) *Agent {
	for i := len(s.Agents) - 1; i >= 0; i-- { // the newest are the ones that do something
		if a := s.Agents[i]; a.ID == id {
			return a
		}
	}
	return nil
}

// Busy reports whether any agent has a turn running.
func (s *State) Busy() bool {
	for _, a := range s.Agents {
		if a.Turn != "" {
			return true
		}
	}
	return false
}

// Usage adds up the usage of all agents.
func (s *State) Usage() Usage {
	var u Usage
	for _, a := range s.Agents {
		u = u.Plus(a.Usage)
	}
	return u
}

// Clone returns a state that can be folded on independently of s.
func (s *State) Clone() *State {
	c := *s
	c.Queue = slices.Clone(s.Queue)
	c.Requests = slices.Clone(s.Requests)
	c.Jobs = slices.Clone(s.Jobs)
	c.Left = slices.Clone(s.Left)
	c.Agents = make([]*Agent, len(s.Agents))
	for i, a := range s.Agents {
		d := *a
		d.Running, d.Commands, d.Untold = slices.Clone(a.Running), slices.Clone(a.Commands), slices.Clone(a.Untold)
		d.Read, d.Written = slices.Clone(a.Read), slices.Clone(a.Written)
		d.Blocks = slices.Clone(a.Blocks)
		d.marks = slices.Clone(a.marks)
		d.bodies = slices.Clone(a.bodies)
		for j := len(d.Blocks) - 1; j >= 0; j-- {
			if b := d.Blocks[j]; b.Open {
				d.Blocks[j] = b.sealed()
			}
		}
		c.Agents[i] = &d
	}
	return &c
}

// Share takes over the blocks of another fold of the same events that are alike, so that
// each is held once.
func (s *State) Share(o *State) {
	for i, a := range s.Agents[:min(len(s.Agents), len(o.Agents))] {
		others := o.Agents[i].Blocks
		for j, b := range a.Blocks[:min(len(a.Blocks), len(others))] {
			if c := others[j]; b != c && b.ID == c.ID && b.Rev == c.Rev && !b.Open && !c.Open {
				a.Blocks[j] = c
			}
		}
	}
}

// sealed copies a block so that texts no longer share storage that grows.
func (b *Block) sealed() *Block {
	c := *b
	c.Text = b.Text.Sealed()
	if b.Call != nil {
		k := *b.Call
		k.Tail = b.Call.Tail.Sealed()
		c.Call = &k
	}
	return &c
}

// find looks for a block from the newest on: what changes is near the end.
func (a *Agent) find(match func(*Block) bool) int {
	for i := len(a.Blocks) - 1; i >= 0; i-- {
		if match(a.Blocks[i]) {
			return i
		}
	}
	return -1
}

// Block finds a block by id, nil if there is none.
func (a *Agent) Block(id BlockID) *Block {
	if i := a.find(func(b *Block) bool { return b.ID == id }); i >= 0 {
		return a.Blocks[i]
	}
	return nil
}

// Call finds the block of a call, nil if there is none.
func (a *Agent) Call(id CallID) *Block {
	if i := a.findCall(id); i >= 0 {
		return a.Blocks[i]
	}
	return nil
}

func (a *Agent) findCall(id CallID) int {
	return a.find(func(b *Block) bool { return b.Call != nil && b.Call.ID == id })
}
