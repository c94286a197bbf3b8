package providers

import "encoding/json"

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
}

// ToolDef describes a tool to a model.
type ToolDef struct {
	Name        string
	Description string
	// Parameters is a JSON Schema object.
	Parameters json.RawMessage
}
