package providers

import "encoding/json"

// Delta is one step of a streamed answer. Exactly the fields of its Kind are
// set.
type Delta struct {
	Kind DeltaKind
	// Text is answer or reasoning text, or a piece of call arguments.
	Text string
	// Index tells the calls of one answer apart, counted from 0 in the order in
	// which they appeared.
	Index int
	// CallID is the provider's id of a call.
	CallID string
	// Name is the tool of a call.
	Name   string
	Extra  json.RawMessage
	Usage  *Usage
	Finish Finish
	Item   *Item
}

// DeltaKind says what a [Delta] holds.
type DeltaKind int

// The kinds of deltas.
const (
	// DeltaOpen is the first sign of life: response headers arrived.
	DeltaOpen DeltaKind = iota
	DeltaText
	DeltaReasoning
	// DeltaCall opens a call: Index, CallID, Name, Extra.
	DeltaCall
	// DeltaArguments continues a call: Index, Text.
	DeltaArguments
	// DeltaExtra replaces what a call that is open has attached to it: Index, Extra.
	DeltaExtra
	// DeltaUsage replaces the usage figures of the answer.
	DeltaUsage
	// DeltaItem is something native to keep: Item.
	DeltaItem
	// DeltaFinish ends the answer. Usage may still follow.
	DeltaFinish
)

// Stream is an answer as it arrives.
type Stream interface {
	// Next returns the next delta. It returns io.EOF after an answer that was
	// complete, that is, after its DeltaFinish. An answer that breaks off gives
	// an [*Error], never io.EOF. Cancelling the request's context makes Next
	// return the context's cause.
	Next() (Delta, error)
	// Close releases the connection. It may be called at any time, more than
	// once.
	Close() error
}
