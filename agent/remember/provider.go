package remember

import (
	"context"
	"encoding/json"
	"time"
)

// Session is the conversation that a call is about.
type Session struct {
	ID string `json:"session,omitempty"`
	// Project is the root of the folder it works in.
	Project string `json:"project,omitempty"`
	// Context says for whom it is asked: [Primary] or [Subagent].
	Context string `json:"agent_context,omitempty"`
}

// The contexts of a session.
const (
	Primary  = "primary"  // the agent that the user speaks to
	Subagent = "subagent" // one below it, which reads only
)

// Query is a message for which something is looked for.
type Query struct {
	Text string
	// Chars bounds what is given, in characters.
	Chars int
	// Sent reports whether the model has a text already.
	Sent func(string) bool
}

// Message is something that was said.
type Message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Tool is a tool of a provider, for the agent.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a schema of an object
}

// The verbs of what providers are asked and told, by which programs and settings know them.
const (
	VerbAvailable  = "is_available"
	VerbInitialize = "initialize"
	VerbBlock      = "system_prompt_block"
	VerbPrefetch   = "prefetch"
	VerbQueue      = "queue_prefetch"
	VerbTurn       = "turn_start"
	VerbSync       = "sync_turn"
	VerbWrote      = "memory_write"
	VerbSwitch     = "session_switch"
	VerbCompress   = "pre_compress"
	VerbDelegation = "delegation"
	VerbTool       = "handle_tool_call"
	VerbEnd        = "session_end"
	VerbShutdown   = "shutdown"
)

// Event is something that a provider is told of, and waits for no answer.
type Event struct {
	Verb string `json:"-"`
	// Query is what the user has said ([VerbTurn]), or something for which the next message
	// may want what fits it ([VerbQueue]); Turn counts the messages of the session.
	Query string `json:"query,omitempty"`
	Turn  int    `json:"turn,omitempty"`
	// User and Answer are what was said in a turn that is over ([VerbSync]).
	User   string `json:"user,omitempty"`
	Answer string `json:"answer,omitempty"`
	// Target and Diff are a change of the notes that the program keeps itself: memory or
	// user, and what was changed in the unified form ([VerbWrote]).
	Target string `json:"target,omitempty"`
	Diff   string `json:"diff,omitempty"`
	// From is the session that was before this one in the program ([VerbSwitch]).
	From string `json:"from,omitempty"`
	// Task is what a subagent was to do, Result what it has said in the end
	// ([VerbDelegation]).
	Task   string `json:"task,omitempty"`
	Result string `json:"result,omitempty"`
}

// CloseTime bounds [Provider.Close].
const CloseTime = 5 * time.Second

// Provider remembers. What the user is to hear of is a [*Problem], each once; its other
// errors say that nothing came. All methods are safe for concurrent use, and those with a
// context end with it.
type Provider interface {
	// Name is what the user knows its part of the prompt by, in one word.
	Name() string
	// Available says why it cannot be asked, nil if it can.
	Available(ctx context.Context) error
	// Begin tells that a session begins or goes on, and gives the tools for its agent. It
	// comes before all else about that session.
	Begin(ctx context.Context, s Session) ([]Tool, error)
	// Block is what stands in the system prompt, empty for nothing.
	Block(ctx context.Context, s Session) (string, error)
	// Prefetch gives what fits a message.
	Prefetch(ctx context.Context, s Session, q Query) (string, error)
	// Compressing gives what a summary should keep of what is left out of the context.
	Compressing(ctx context.Context, s Session, left []Message) (string, error)
	// Call calls a tool with the arguments of a model.
	Call(ctx context.Context, s Session, tool string, args json.RawMessage) (string, error)
	// Tell tells of an event. It returns at once; failed hears later, on another goroutine,
	// of what went wrong.
	Tell(s Session, e Event, failed func(error))
	// Close waits for what was told and ends the provider, by force if it must, within
	// [CloseTime] and soon after the end of ctx.
	Close(ctx context.Context)
}
