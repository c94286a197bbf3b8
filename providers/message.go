// Package providers holds what every model provider has in common: the
// canonical message, the request, the stream of deltas and the [Client]
// interface. The wire protocols are packages below; each converts between its
// own format and these types at its edge and nowhere else.
//
// The types are plain data without locks. A [Client] is safe for concurrent
// use; a [Stream] belongs to one goroutine.
package providers

import (
	"encoding/json"
	"strings"
	"time"
)

// Role says who speaks. The system prompt is not a message, see
// [Request.System].
type Role string

// The roles of canonical messages.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Finish says why a model stopped.
type Finish string

// The reasons to stop. FinishNone is a stream that ended without saying so.
const (
	FinishNone      Finish = ""
	FinishStop      Finish = "stop"
	FinishToolCalls Finish = "tool_calls"
	FinishLength    Finish = "length"
	FinishFilter    Finish = "content_filter"
	// FinishInterrupted marks a message that was cut off on our side.
	FinishInterrupted Finish = "interrupted"
)

// Message is one message of a conversation, independent of any provider.
type Message struct {
	// ID is ours.
	ID    string
	Role  Role
	Parts []Part
	// Reasoning is the readable reasoning of an assistant message.
	Reasoning string
	Calls     []Call
	// CallID is the call that a tool message answers, by our id.
	CallID string
	// CallName is the name of its tool.
	CallName string
	Finish   Finish
	// Native are the provider's own items in their order. They are replayed
	// verbatim to the issuer they came from and to no other.
	Native []Item
	At     time.Time
	// Pinned keeps the content from being shortened or left out to make room. It is not
	// sent.
	Pinned bool
}

// Part is a piece of content: a text or an image.
type Part struct {
	Text string
	// Image is nil for a text.
	Image *Image
}

// Image is a picture in a message. What a model cannot see is refused before a
// request is made.
type Image struct {
	// MediaType is image/png, image/jpeg, image/gif or image/webp.
	MediaType string
	Data      []byte
}

// Text joins the text parts of a message.
func (m Message) Text() string {
	if len(m.Parts) == 1 {
		return m.Parts[0].Text
	}
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// TextParts makes the content of a message that is one text. Empty text is no
// content.
func TextParts(s string) []Part {
	if s == "" {
		return nil
	}
	return []Part{{Text: s}}
}

// Call is a tool call of an assistant message.
type Call struct {
	// ID is ours.
	ID string
	// WireID is what the provider called it.
	WireID string
	Name   string
	// Arguments is the raw text the model wrote, JSON if all went well.
	Arguments string
	// Extra is what the provider wants to see again with the call.
	Extra json.RawMessage
}

// Item is something of a provider that only it understands.
type Item struct {
	// Issuer is the endpoint that it came from.
	Issuer string
	// Model is the model that it came from.
	Model string
	// Kind is the provider's name for it.
	Kind string
	// At is its place among the items.
	At  int
	Raw json.RawMessage
}
