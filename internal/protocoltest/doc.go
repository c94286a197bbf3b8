// Package protocoltest is the behaviour that every wire protocol has in common,
// as a test suite. [Run] serves answers of a protocol from a real loopback HTTP
// server, byte for byte as the protocol writes them, and checks what a client
// makes of them: deltas, errors, cancellation, closing, and the requests.
//
// What the protocol looks like on the wire is the caller's: a [Protocol] writes
// abstract [Step]s as bytes. The suite knows nothing of any protocol and imports
// none.
//
// The suite waits for events, never for time; what must happen is given
// [liveness] to do so. Servers and their connections end with their test.
package protocoltest

import (
	"net/http"
	"testing"
	"time"

	"hermes-tui/providers"
)

// Model is the model that the suite asks for, Key the credential it gives to
// clients.
const (
	Model = "m-1"
	Key   = "sk-secret-0123456789abcdef"
)

// liveness is how long something may take that must happen at once.
const liveness = 20 * time.Second

// Protocol says how a protocol is spoken.
type Protocol struct {
	// New makes a client of the server at a base URL, with [Key] as its
	// credential and a short patience for what may follow the end of an answer.
	New func(t *testing.T, baseURL string) providers.Client
	// Encode writes the steps of one answer and gives the bytes of each. Joined,
	// they are the whole body. A step that the protocol has no form for has no
	// bytes. Answers that are meant to be complete end with a [Finish].
	Encode func(steps []Step) [][]byte
	// ContentType is that of a streamed answer.
	ContentType string

	// Path is the request's path with its query.
	Path string
	// RequestType is its content type.
	RequestType string
	// AuthHeader is the one header that may hold something of the credential.
	AuthHeader string
	// Authorised reports whether it is right.
	Authorised func(h http.Header) bool
	// Sends are further headers that every request must have.
	Sends map[string]string

	// Reasons are the protocol's own reasons to stop and what they mean. They come
	// back as [Step.Reason].
	Reasons map[string]providers.Finish
	// ErrorBody writes an error response, with the headers that belong to it.
	ErrorBody func(status int, kind, message string) (headers map[string]string, body string)
	// Counts gives the part of some usage figures that the protocol can express;
	// nil is all of it.
	Counts func(u providers.Usage) providers.Usage
	// Interleaves reports whether pieces of parallel calls may come mixed.
	Interleaves bool
	// ReplaysReasoning reports whether the request after an answer contains its
	// reasoning.
	ReplaysReasoning bool
	// ReplaysOpaque reports whether it contains [Step.Opaque].
	ReplaysOpaque bool
}

// Kind says what a [Step] is.
type Kind int

// The kinds of steps.
const (
	// Text and Reasoning are a piece of it: Text, and Opaque for what is sent
	// along with reasoning for no one to read.
	Text Kind = iota
	Reasoning
	// Call opens a call: Index, ID, Name. Arguments continues it: Index, Text.
	// Calls come one after the other unless [Protocol.Interleaves].
	Call
	Arguments
	// Usage states figures: Usage.
	Usage
	// Refusal is a piece of a refusal: Text. The Finish behind it has the reason
	// that the protocol gives then.
	Refusal
	// Finish ends the answer with everything the protocol wants for that: Finish,
	// or Reason if that is not empty.
	Finish
	// Failure is an error in the middle of the stream: Type, Text.
	Failure
	// Unknown is an event of a type that does not exist yet, and one that exists
	// with a field that does not.
	Unknown
	// KeepAlive is what servers send so that no one hangs up.
	KeepAlive
	// Junk is an event whose frame is right and whose content is not.
	Junk
)

// Step is a piece of an answer. Exactly the fields of its Kind are set.
type Step struct {
	Kind   Kind
	Text   string
	Opaque string
	Index  int
	ID     string
	Name   string
	Usage  providers.Usage
	Finish providers.Finish
	Reason string
	Type   string
}

// Run holds a protocol to the suite.
func Run(t *testing.T, p Protocol) {
	s := suite{p}
	t.Run("answers", s.answers)
	t.Run("reasons", s.reasons)
	t.Run("live", s.live)
	t.Run("slow", s.slow)
	t.Run("large", s.large)
	t.Run("side by side", s.sideBySide)
	t.Run("silence behind the end", s.silenceBehindTheEnd)
	t.Run("incomplete", s.incomplete)
	t.Run("failures", s.failures)
	t.Run("strangers", s.strangers)
	t.Run("statuses", s.statuses)
	t.Run("redirects", s.redirects)
	t.Run("unreachable", s.unreachable)
	t.Run("cancelling", s.cancelling)
	t.Run("closing", s.closing)
	t.Run("request", s.request)
	t.Run("round trip", s.roundTrip)
}

// suite are the tests of one protocol.
type suite struct{ p Protocol }

// body writes a whole answer.
func (s suite) body(steps ...Step) []byte {
	var all []byte
	for _, b := range s.p.Encode(steps) {
		all = append(all, b...)
	}
	return all
}
