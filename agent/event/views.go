package event

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Role says who speaks in a message.
type Role string

// The roles of committed messages.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Phase says what a running turn is doing just now.
type Phase string

// The phases of a turn. PhaseIdle is no turn at all.
const (
	PhaseIdle       Phase = "idle"
	PhasePreparing  Phase = "preparing"  // prompt and history
	PhaseConnecting Phase = "connecting" // no byte sent back yet
	PhaseWaiting    Phase = "waiting"    // reached, and nothing of the answer yet
	PhaseReasoning  Phase = "reasoning"
	PhaseAnswering  Phase = "answering"
	PhaseDrafting   Phase = "drafting" // arguments of a call
	PhaseTools      Phase = "tools"
	PhaseRetrying   Phase = "retrying"
	// PhaseCompressing waits for the record of what is to be left out.
	PhaseCompressing Phase = "compressing"
	PhaseStopping    Phase = "stopping" // interrupt received
	PhaseBlocked     Phase = "blocked"  // the store refuses writes
)

// Mode governs what is asked before a command runs.
type Mode string

// The approval modes.
const (
	// ModeGuarded confines what is not known to be harmless, and asks about what that
	// does not hold or allow.
	ModeGuarded Mode = "guarded"
	// ModeManual asks about everything that is not known to only read.
	ModeManual Mode = "manual"
	// ModeSmart asks a model first about what is of little risk.
	ModeSmart Mode = "smart"
	// ModePlan allows reading only.
	ModePlan Mode = "plan"
	// ModeOff asks nothing; what is blocked stays blocked.
	ModeOff Mode = "off"
)

// Strictest returns the stricter of two modes. One that is not known counts as the least
// strict.
func (m Mode) Strictest(n Mode) Mode {
	order := []Mode{ModeOff, ModeSmart, ModeGuarded, ModeManual, ModePlan}
	if slices.Index(order, n) > slices.Index(order, m) {
		return n
	}
	return m
}

// Model describes what answers.
type Model struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	// Host is where requests go, for the user to see; empty for the demo.
	Host string `json:"host,omitempty"`
	// BaseURL is the whole address; empty for the demo.
	BaseURL string `json:"base_url,omitempty"`
	// ContextMax is the size of the context window in tokens, 0 if unknown.
	ContextMax int `json:"context_max,omitempty"`
	// Effort is the requested reasoning effort, one of [Efforts], empty for the default.
	Effort string `json:"effort,omitempty"`
	// EffortChosen marks an effort that the user picked for this conversation.
	EffortChosen bool `json:"effort_chosen,omitempty"`
	// Vision reports whether the model sees images.
	Vision Ability `json:"vision,omitempty"`
	// CacheSeconds is how long the provider keeps a prompt after a call; 0 if it
	// keeps none or no one knows.
	CacheSeconds int `json:"cache_seconds,omitempty"`
	// Badge is shown permanently when set: the demo says what it is.
	Badge string `json:"badge,omitempty"`
	// Chosen marks a model that the user picked for this conversation, rather
	// than one that the settings brought.
	Chosen bool `json:"chosen,omitempty"`
}

// Ability is whether a model can do something; empty is unknown.
type Ability string

// The answers.
const (
	Yes Ability = "yes"
	No  Ability = "no"
)

// Workspace describes where the conversation works.
type Workspace struct {
	Dir     string `json:"dir"`
	Root    string `json:"root"` // of the repository, or Dir
	Branch  string `json:"branch,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
	Trusted bool   `json:"trusted"`
	// Place is the kind of place, "local" for this machine.
	Place string `json:"place"`
	// Target says which one of its kind: a container, a host.
	Target string `json:"target,omitempty"`
	Home   string `json:"home,omitempty"`
}

// Queued is a text of the user that waits: for its turn, or, when it steers,
// for the next tool result of the running turn.
type Queued struct {
	ID    InputID   `json:"id"`
	Text  string    `json:"text"`
	At    time.Time `json:"at"`
	Steer bool      `json:"steer,omitempty"`
	// Origin says who wrote it, when it was not the user.
	Origin Origin `json:"origin,omitempty"`
	// Agent is the subagent that it steers, empty for the root agent.
	Agent AgentID `json:"agent,omitempty"`
	// Images go with the text, in the order of their marks in it.
	Images []Attachment `json:"images,omitempty"`
	// Typed is the text with marks in place of what was pasted; empty when nothing was.
	Typed string `json:"typed,omitempty"`
}

// Named is something that a user's text names with an @.
type Named struct {
	// Word is how it is written, without the @; a command of the user with its !.
	Word string `json:"word"`
	// Tokens is about how much of it went to the model.
	Tokens int `json:"tokens,omitempty"`
	// Note says what is special about it: why it did not go, or that it was cut.
	Note string `json:"note,omitempty"`
}

// StashMark stands in a stored draft before each draft that was put aside: U+001C, which
// no draft holds.
const StashMark = "\x1c"

// Origin says where a text comes from that the model gets as the user's.
type Origin string

// The origins beside the user, who is the empty one.
const (
	OriginJob   Origin = "job"   // a background job ended, or wrote what was watched for
	OriginAgent Origin = "agent" // a subagent ended that no one waited for
	OriginHook  Origin = "hook"  // a hook lets a turn go on
	OriginTask  Origin = "task"  // what a subagent is to do
)

// Reasoning is the finished reasoning of a message.
type Reasoning struct {
	Block BlockID       `json:"block"`
	Text  string        `json:"text"`
	Took  time.Duration `json:"took"`
}

// CallHead announces a call of a committed message before it starts.
type CallHead struct {
	Call CallID   `json:"call"`
	View CallView `json:"view"`
}

// ViewKind says which kind of thing a call is, so that a screen can draw it
// without knowing tool names.
type ViewKind string

// The kinds of calls.
const (
	ViewGeneric ViewKind = "generic"
	ViewCommand ViewKind = "command"
	ViewRead    ViewKind = "read"
	ViewWrite   ViewKind = "write"
	ViewSearch  ViewKind = "search"
	ViewTodo    ViewKind = "todo"
	ViewClarify ViewKind = "clarify"
	ViewCode    ViewKind = "code"
	ViewProcess ViewKind = "process"
	ViewAgent   ViewKind = "agent" // subagents do the work
)

// BodyLimit bounds [CallView.Body] in bytes. The whole result is in the store.
const BodyLimit = 8 << 10

// WholeBodies is of how many of the newest calls of an agent a transcript holds the
// bodies.
const WholeBodies = 100

// ExcerptLimit bounds, in bytes, what a transcript holds of the bodies of older calls:
// the journal has the rest.
const ExcerptLimit = 1 << 8

// CallView is what a screen shows of a call. Secrets are masked in it; control
// characters are not yet removed.
type CallView struct {
	Kind ViewKind `json:"kind"`
	// Name is the tool's name, for people.
	Name string `json:"name"`
	// Subject is the one argument that matters: command, path, pattern.
	Subject string `json:"subject,omitempty"`
	// Summary is the result in a few words.
	Summary string `json:"summary,omitempty"`
	// Body is what an opened row shows, at most [BodyLimit] bytes.
	Body string `json:"body,omitempty"`
	// Cut counts the bytes of the result that Body leaves out.
	Cut int `json:"cut,omitempty"`
	// Lang names the language of Body for highlighting, empty for plain text.
	// "diff" is a unified diff of one or more files.
	Lang string `json:"lang,omitempty"`
	// Exit is a command's exit code.
	Exit *int `json:"exit,omitempty"`
	// Dir is where a command ran.
	Dir string `json:"dir,omitempty"`
	// Ran says how it ran: [RanConfined], [RanOutside], or empty where neither is so.
	Ran string `json:"ran,omitempty"`
	// Hosts are those that it was let connect to.
	Hosts []string `json:"hosts,omitempty"`
}

// How a call can have run.
const (
	RanConfined = "confined" // held by the system to workspace and scratch
	RanOutside  = "outside"  // with all rights of the user, after consent
)

// How says in a few words how a call ran and which hosts it reached, of which most are
// named; empty when there is nothing to say.
func (v *CallView) How(most int) string {
	how := v.Ran
	for i, h := range v.Hosts[:min(most, len(v.Hosts))] {
		how += []string{" → ", ", "}[min(i, 1)] + h
	}
	if n := len(v.Hosts) - most; n > 0 && most > 0 {
		how += " +" + strconv.Itoa(n)
	}
	return strings.TrimSpace(how)
}

// Job is a command that runs in the background.
type Job struct {
	ID      string    `json:"id"`
	Command string    `json:"command"`
	Dir     string    `json:"dir,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Agent   AgentID   `json:"agent,omitempty"`
	Started time.Time `json:"started"`
	State   JobState  `json:"state"`
	Ended   time.Time `json:"ended,omitzero"`
	// Exit is the exit code of a job that ended, nil when it is not known.
	Exit *int `json:"exit,omitempty"`
	// TTY says that the job has a terminal of its own.
	TTY bool `json:"tty,omitempty"`
	// Stays says that it goes on when the session is closed: a command with all rights has left it.
	Stays bool `json:"stays,omitempty"`
}

// JobState is where a job stands.
type JobState string

// The states of a job.
const (
	JobRunning  JobState = "running"
	JobExited   JobState = "exited"
	JobKilled   JobState = "killed"
	JobClosed   JobState = "closed"   // with the program
	JobDetached JobState = "detached" // of an earlier run of the program, still running
	JobLost     JobState = "lost"     // of an earlier run, and no one knows how it ended
)

// Outcome says how a call ended.
type Outcome string

// The outcomes of calls.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeFailed    Outcome = "failed"
	OutcomeDenied    Outcome = "denied"
	OutcomeCancelled Outcome = "cancelled"
	// OutcomeUnknown is a call that had started when the program died: it may
	// have run and is never repeated.
	OutcomeUnknown Outcome = "unknown"
	// OutcomeSkipped is a call that never started.
	OutcomeSkipped Outcome = "skipped"
)

// TurnOutcome says how a turn ended.
type TurnOutcome string

// The outcomes of turns.
const (
	TurnCompleted   TurnOutcome = "completed"
	TurnInterrupted TurnOutcome = "interrupted"
	TurnFailed      TurnOutcome = "failed"
	TurnExhausted   TurnOutcome = "exhausted" // the budget ran out
)

// Level ranks a notice.
type Level string

// The levels of notices.
const (
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// AgentState is where an agent stands in its life.
type AgentState string

// The states of an agent.
const (
	AgentIdle      AgentState = "idle" // a root between turns
	AgentQueued    AgentState = "queued"
	AgentRunning   AgentState = "running"
	AgentWaiting   AgentState = "waiting"
	AgentPausing   AgentState = "pausing"
	AgentPaused    AgentState = "paused"
	AgentStopping  AgentState = "stopping"
	AgentCompleted AgentState = "completed"
	AgentFailed    AgentState = "failed"
	AgentKilled    AgentState = "killed"
	AgentTimeout   AgentState = "timeout"
	// AgentInterrupted is an agent that ended because its parent, or the program,
	// was stopped.
	AgentInterrupted AgentState = "interrupted"
	// AgentRefused is an agent that was asked for and not started.
	AgentRefused AgentState = "refused"
)

// Ended reports whether an agent in this state does nothing any more, for good.
func (s AgentState) Ended() bool {
	switch s {
	case AgentCompleted, AgentFailed, AgentKilled, AgentTimeout, AgentInterrupted, AgentRefused:
		return true
	}
	return false
}

// Held reports whether the time that passes in this state counts against nothing:
// the agent waits for its place or for the user.
func (s AgentState) Held() bool {
	return s == AgentQueued || s == AgentWaiting || s == AgentPaused
}

// TodoStatus is the state of one task.
type TodoStatus string

// The states of a task.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	TodoCancelled  TodoStatus = "cancelled"
)

// Todo is one task of a list.
type Todo struct {
	ID      string     `json:"id"`
	Content string     `json:"content"`
	Status  TodoStatus `json:"status"`
}

// Usage counts tokens. Input excludes what a cache gave or took; Reasoning is a
// part of Output.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Reasoning  int64 `json:"reasoning,omitempty"`
	Calls      int64 `json:"calls"` // model calls
	// Uncounted is the number of calls whose service did not say what they used: their tokens
	// are estimates.
	Uncounted int64 `json:"uncounted,omitempty"`
	// Cost is what the calls with a known price cost.
	Cost Money `json:"cost,omitempty"`
	// Unpriced counts the calls without one.
	Unpriced int64 `json:"unpriced,omitempty"`
	// Actual counts the calls that the provider itself put a price on.
	Actual int64 `json:"actual,omitempty"`
	// Included counts those that are paid for already; what is neither is an
	// estimate.
	Included int64 `json:"included,omitempty"`
	// Saved is how much less the calls cost than without a prompt cache, as far as
	// that is known. It is negative as long as filling the cache cost more.
	Saved Money `json:"saved,omitempty"`
}

// CostStatus says how an amount of money is known.
type CostStatus string

// The statuses.
const (
	CostActual    CostStatus = "actual"    // the provider said so
	CostEstimated CostStatus = "estimated" // by a list of prices, at least in part
	CostIncluded  CostStatus = "included"  // paid for already, or free of charge
	CostUnknown   CostStatus = "unknown"   // for at least one call
)

// Bill is what one call cost. Cost is 0 where the status is unknown or included.
type Bill struct {
	Cost   Money
	Status CostStatus
	// Saved is how much less it cost than without a prompt cache, 0 if unknown.
	Saved Money
}

// Charge adds what one call cost.
func (u *Usage) Charge(b Bill) {
	switch b.Status {
	case CostActual:
		u.Actual++
	case CostIncluded:
		u.Included++
	case CostEstimated:
	default:
		u.Unpriced++
	}
	u.Cost += b.Cost
	u.Saved += b.Saved
}

// Status says how the cost of all calls together is known: no better than that of
// the least known one. Without a call there is nothing to know.
func (u Usage) Status() CostStatus {
	switch {
	case u.Unpriced > 0:
		return CostUnknown
	case u.Included == u.Calls:
		return CostIncluded
	case u.Actual+u.Included == u.Calls:
		return CostActual
	}
	return CostEstimated
}

// HitRate is the part of what was sent that came from a prompt cache, from 0 to 1.
func (u Usage) HitRate() float64 {
	if u.Prompt() == 0 {
		return 0
	}
	return float64(u.CacheRead) / float64(u.Prompt())
}

// Money is an amount in trillionths of a US dollar: exact for any number of tokens
// at any price that is in use.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000_000_000

// Prompt is the number of tokens sent: fresh, read from and written to a cache.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Plus adds two counts.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning: u.Reasoning + v.Reasoning, Calls: u.Calls + v.Calls, Uncounted: u.Uncounted + v.Uncounted,
		Cost: u.Cost + v.Cost, Unpriced: u.Unpriced + v.Unpriced,
		Actual: u.Actual + v.Actual, Included: u.Included + v.Included, Saved: u.Saved + v.Saved,
	}
}

// Minus is what was counted since v. Counts that began again since count as they are.
func (u Usage) Minus(v Usage) Usage {
	if u.Calls < v.Calls || u.Prompt() < v.Prompt() || u.Output < v.Output {
		return u
	}
	return Usage{
		Input: u.Input - v.Input, Output: u.Output - v.Output,
		CacheRead: u.CacheRead - v.CacheRead, CacheWrite: u.CacheWrite - v.CacheWrite,
		Reasoning: u.Reasoning - v.Reasoning, Calls: u.Calls - v.Calls, Uncounted: u.Uncounted - v.Uncounted,
		Cost: u.Cost - v.Cost, Unpriced: u.Unpriced - v.Unpriced,
		Actual: u.Actual - v.Actual, Included: u.Included - v.Included, Saved: u.Saved - v.Saved,
	}
}

// Context says how full the context window is.
type Context struct {
	Used int `json:"used"` // tokens of the newest request, answer included
	Max  int `json:"max"`  // 0 if unknown
}

// Efforts are the levels of reasoning that can be asked for, rising.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"}
}
