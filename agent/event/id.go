package event

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"time"
)

// Identifiers are made by this program, are never reused and carry no meaning
// beyond identity. A provider's own call id is wire data and lives elsewhere.
type (
	// ConvID names a conversation. It is stable over compression, where the
	// session below it changes. Grants, todos and the mailbox hang on it.
	ConvID string
	// SessionID names one row of the session table, in the form
	// YYYYMMDD_HHMMSS_<6 hex>.
	SessionID string
	// AgentID names an agent within a conversation: the root or a child.
	AgentID string
	// TurnID names one turn: a submitted input and everything done for it.
	TurnID string
	// MessageID names one canonical message.
	MessageID string
	// CallID names one tool call.
	CallID string
	// RequestID names one question to the user. Answers carry it.
	RequestID string
	// BlockID names one block of a transcript.
	BlockID string
	// InputID names one text the user submitted, queued or not.
	InputID string
)

// Source makes identifiers and tells the time. Both are injected so that tests
// are reproducible. A Source is safe for concurrent use when its two functions
// are.
type Source struct {
	// Random yields the entropy of identifiers.
	Random io.Reader
	// Clock tells the current time.
	Clock func() time.Time
}

// SystemSource uses the operating system's randomness and clock.
func SystemSource() Source { return Source{Random: rand.Reader, Clock: time.Now} }

// Now is the current time of the source.
func (s Source) Now() time.Time { return s.Clock() }

// Conv makes a conversation id.
func (s Source) Conv() ConvID { return ConvID(s.id("c_", 8)) }

// Session makes a session id from the current time.
func (s Source) Session() SessionID {
	return SessionID(s.Clock().Format("20060102_150405_") + s.id("", 3))
}

// Agent makes an agent id.
func (s Source) Agent() AgentID { return AgentID(s.id("a_", 6)) }

// Turn makes a turn id.
func (s Source) Turn() TurnID { return TurnID(s.id("t_", 8)) }

// Message makes a message id.
func (s Source) Message() MessageID { return MessageID(s.id("m_", 10)) }

// Call makes a tool call id.
func (s Source) Call() CallID { return CallID(s.id("call_", 10)) }

// Request makes a request id.
func (s Source) Request() RequestID { return RequestID(s.id("r_", 8)) }

// Block makes a block id.
func (s Source) Block() BlockID { return BlockID(s.id("b_", 8)) }

// Input makes an input id.
func (s Source) Input() InputID { return InputID(s.id("i_", 8)) }

// Mark makes a word that nothing written before can hold.
func (s Source) Mark() string { return s.id("", 4) }

// id returns prefix followed by n random bytes in hex. The system's random
// reader never fails; an injected one that does is a programming error.
func (s Source) id(prefix string, n int) string {
	buf := make([]byte, n)
	if _, err := io.ReadFull(s.Random, buf); err != nil {
		panic("event: random source failed: " + err.Error())
	}
	return prefix + hex.EncodeToString(buf)
}
