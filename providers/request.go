package providers

import (
	"encoding/json"
	"time"
)

// Request is one call of a model.
type Request struct {
	Model string
	// System is the system prompt. It is the same bytes for a whole session.
	System   string
	Messages []Message
	// Tools are sorted by name and stable over a session.
	Tools []ToolDef
	// MaxOutput caps the answer in tokens; 0 leaves it to the provider.
	MaxOutput int
	// Effort asks for reasoning: "", "none", "minimal", "low", "medium", "high",
	// "xhigh".
	Effort string
	// Session is stable over a session; providers may use it as a cache key.
	Session string
	// CacheFor is how long what is marked for a prompt cache is to be kept, where a
	// provider wants marks: 5 minutes or an hour; 0 marks nothing. The system prompt
	// and the last three messages are marked.
	CacheFor time.Duration
	// Whole asks for the answer in one piece, for services that do not stream.
	Whole bool
	// ShortContext leaves out what asks for a context beyond the usual one, where an
	// account may not have it.
	ShortContext bool
	// SignCalls sends the signatures of all calls back, with one that stands for those that
	// are missing; EchoReasoning sends every message with calls with reasoning. Services of
	// the chat protocol may insist on either.
	SignCalls, EchoReasoning bool
}

// ToolDef describes a tool to a model.
type ToolDef struct {
	Name        string
	Description string
	// Parameters is a JSON Schema object.
	Parameters json.RawMessage
}
