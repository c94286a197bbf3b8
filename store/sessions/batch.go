package sessions

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// Batch is what is stored in one transaction by [DB.Commit].
type Batch struct {
	// Conv is the conversation. It may be empty only when the batch holds
	// nothing but effects that do not belong to one.
	Conv string
	// Session is the session row that the messages belong to and that the events
	// and effects name unless they name another.
	Session string
	// Create makes the session, and the conversation when it is a new one.
	Create *NewSession
	// Messages are appended to the session in this order.
	Messages []Message
	// Events are appended to the journal of the conversation.
	Events []Event
	// Effects are carried out after that, in this order.
	Effects []Effect
}

// Why says why a session has a parent.
type Why string

// The reasons. WhyNew and WhyBranch begin a new conversation, the others belong
// to the conversation of their parent.
const (
	WhyNew         Why = ""
	WhyBranch      Why = "branch"
	WhyCompression Why = "compression"
	WhySubagent    Why = "subagent"
)

// NewSession describes the session of a batch that creates it.
type NewSession struct {
	// Source tells front ends apart ("cli"). Empty means "subagent" for a
	// subagent, the parent's after a compression, and "cli" otherwise. The
	// sources "subagent" and "tool" are hidden from lists.
	Source string
	// Workspace is the folder the agent works in.
	Workspace string
	// Agent is the agent whose messages the session holds.
	Agent string
	// Parent is the session this one comes from; required unless Why is WhyNew.
	Parent string
	Why    Why

	Model        string
	Provider     string
	BaseURL      string
	ModelConfig  string // a JSON object, or empty
	SystemPrompt string // empty means that none is stored yet
	// Title names the session, with a number behind it if another has it already.
	Title string
	At    time.Time
}

// Message is a message of a session. The columns shared with the reference keep
// its meaning; ID, Agent, Turn and Native are this program's.
type Message struct {
	// ID is ours. A message the reference wrote has an id made of its row
	// number, which [DB.Message] and [AppendToMessage] understand.
	ID    string
	Agent string
	Turn  string
	// Role is "system", "user", "assistant" or "tool".
	Role string
	// Content is plain text. Structured content of the reference is read as its
	// text parts, with a word in brackets for every other part.
	Content string
	// Parts are texts and images in their order, nil for content without images.
	// With them a message is stored in the reference's structured form, and Content
	// is not looked at.
	Parts []Part
	// ToolCallID is the wire id of the call a tool message answers.
	ToolCallID string
	// ToolCalls is a JSON array in the reference's shape, empty without calls.
	ToolCalls string
	// CallIDs are our ids of these calls, in their order; none for a message that the
	// reference wrote.
	CallIDs      []string
	ToolName     string
	At           time.Time // zero means now
	TokenCount   int64     // 0 means not known
	FinishReason string

	Reasoning           string
	ReasoningContent    string
	ReasoningDetails    string
	CodexReasoningItems string
	CodexMessageItems   string
	// Native are the provider's own items as JSON, kept as they are.
	Native string
	// Hidden is set for what a model gets and no user sees.
	Hidden bool

	// Pinned is what [ChooseContext] says, where [DB.Context] reads; Commit ignores it.
	Pinned bool
	// Row and Session are where a message was read from; Commit ignores them.
	Row     int64
	Session string
}

// Event is a row of the journal.
type Event struct {
	// Seq grows within a conversation and is at least 1.
	Seq  uint64
	Type string
	At   time.Time // zero means now
	// Session is filled in by reading; Commit writes the one of the batch.
	Session string
	Agent   string
	Turn    string
	// Body is the JSON form of the event. It is not changed by this package.
	Body []byte
}

// check refuses a batch that can't be written.
func (b *Batch) check() error {
	named := b.Conv != ""
	switch {
	case !named && (b.Create != nil || len(b.Messages) > 0 || len(b.Events) > 0):
		return errors.New("no conversation is named")
	case b.Session == "" && (b.Create != nil || len(b.Messages) > 0):
		return errors.New("no session is named")
	}
	if b.Create != nil {
		if err := b.Create.check(); err != nil {
			return fmt.Errorf("new session: %w", err)
		}
	}
	for i := range b.Messages {
		if err := b.Messages[i].check(); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	last := uint64(0)
	for i, e := range b.Events {
		if e.Seq <= last || e.Seq > math.MaxInt64 || e.Type == "" || len(e.Body) == 0 {
			return fmt.Errorf("event %d: sequence number %d, type %q, %d bytes", i, e.Seq, e.Type, len(e.Body))
		}
		last = e.Seq
	}
	for _, e := range b.Effects {
		if e == nil {
			return errors.New("an effect is nil")
		}
		if err := e.check(b); err != nil {
			return fmt.Errorf("effect %T: %w", e, err)
		}
	}
	return nil
}

func (n *NewSession) check() error {
	switch n.Why {
	case WhyNew:
		if n.Parent != "" {
			return errors.New("a parent without a reason")
		}
	case WhyBranch, WhyCompression, WhySubagent:
		if n.Parent == "" {
			return fmt.Errorf("%s without a parent", n.Why)
		}
	default:
		return fmt.Errorf("unknown reason %q", n.Why)
	}
	return checkObject(n.ModelConfig)
}

func (m *Message) check() error {
	switch m.Role {
	case "system", "user", "assistant", "tool":
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
	if m.ID == "" {
		return errors.New("no id")
	}
	if _, ok := foreignRow(m.ID); ok {
		return fmt.Errorf("the id %q is reserved", m.ID)
	}
	for _, p := range m.Parts {
		if p.MediaType != "" && (len(p.Data) == 0 || !imageType(p.MediaType)) {
			return fmt.Errorf("an image of the type %q with %d bytes", p.MediaType, len(p.Data))
		}
	}
	for _, id := range m.CallIDs {
		if id == "" || strings.ContainsAny(id, " \t\n") {
			return fmt.Errorf("%q can't be the id of a call", id)
		}
	}
	_, err := m.calls()
	return err
}

// calls counts the tool calls of a message.
func (m *Message) calls() (int, error) {
	if m.ToolCalls == "" {
		return 0, nil
	}
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(m.ToolCalls), &all); err != nil {
		return 0, fmt.Errorf("tool calls: %w", err)
	}
	return len(all), nil
}

// checkObject refuses text that is neither empty nor a JSON object.
func checkObject(text string) error {
	if text == "" {
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return fmt.Errorf("model configuration: %w", err)
	}
	return nil
}

// repeatable reports whether the batch can be recognised when it is committed
// again, so that effects that add up are safe in it.
func (b *Batch) repeatable() bool {
	return b.Create != nil || len(b.Messages) > 0 || len(b.Events) > 0
}
