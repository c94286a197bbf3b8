package script

import (
	"errors"
	"fmt"
	"math"
	"time"

	"hermes-tui/providers"
)

// Step is one thing an answer does. The steps are the types of this package
// that have a Step in their documentation.
type Step interface {
	// check finds what would keep the step from being played.
	check() error
}

// Limits of scenarios. They keep a typing error from filling memory.
const (
	maxTokens    = 1_000_000
	maxKeepalive = 100_000
	maxPause     = 24 * time.Hour
)

// Pace says how fast text goes out and in which pieces.
type Pace struct {
	// Rate is in tokens per second: 0 takes the scenario's rate, a negative
	// value sends at once.
	Rate float64
	// Split is the size of a piece in characters, four of which are a token; 0
	// takes the scenario's. Without a split a piece is a word, which is a
	// token.
	Split int
}

func (p Pace) check() error {
	if math.IsNaN(p.Rate) || p.Rate > 1e6 || p.Split < 0 {
		return errors.New("rate is at most 1000000 tokens per second, split at least 0")
	}
	return nil
}

// Text is a Step that sends answer text. In it, {{last_user}} stands for the
// newest user message and {{last_tool}} for the newest tool result after it.
type Text struct {
	Text string
	Pace
}

// Reasoning is a Step that sends reasoning. Its text is filled in like that of
// [Text].
type Reasoning struct {
	Text string
	Pace
}

// Kind says what generated text looks like.
type Kind string

// The kinds of generated text.
const (
	// Markdown has headings, lists, code blocks, tables and quotes.
	Markdown Kind = "markdown"
	// Prose is paragraphs of plain words.
	Prose Kind = "prose"
)

// Tokens is a Step that sends generated text.
type Tokens struct {
	// N is the number of pieces, at most 1,000,000. With a split it is the
	// number of tokens that are split again.
	N int
	// Kind is [Markdown] when empty.
	Kind Kind
	// Seed chooses the text; the same seed gives the same text.
	Seed uint32
	// Reasoning sends it as reasoning.
	Reasoning bool
	Pace
}

// Call is a Step that calls a tool.
type Call struct {
	Name string
	// Args is the text of the arguments, sent as it is; usually a JSON object.
	Args string
	// ID is the provider's id of the call; empty makes one of the number of the
	// request and of the call.
	ID string
	Pace
}

// Usage is a Step that reports token counts. An answer with this step gets no
// counted usage.
type Usage struct {
	providers.Usage
	// Omit reports nothing at all.
	Omit bool
}

// Finish is a Step that ends the answer with a reason. An answer with this step
// gets no other.
type Finish struct {
	// Reason is the word on the wire, such as "stop" or "length".
	Reason string
	// Omit ends the answer without a reason, as if it had been cut off.
	Omit bool
}

// Sleep is a Step that pauses.
type Sleep struct {
	For time.Duration
}

// Stall is a Step that goes silent. For 0 it is silent until the request is
// cancelled.
type Stall struct {
	For time.Duration
}

// Failure is a Step that fails the request and ends the answer: with an HTTP
// status when the response has not begun, otherwise with an error event in the
// stream.
type Failure struct {
	// Status is the HTTP status, 500 when 0. Success with a body that is no
	// answer is allowed.
	Status int
	// Message, Type and Code make the usual error body. Code is left out when
	// empty.
	Message, Type, Code string
	// Body replaces that body, HTML replaces it by a page.
	Body []byte
	HTML string
	// Header is added to the response.
	Header map[string]string
	// RetryAfter is sent in whole seconds, rounded up; 0 leaves it out.
	RetryAfter time.Duration
	// WithID gives an error event the id and the choices of an ordinary event,
	// as some gateways do.
	WithID bool
}

// Cut is a Step that ends the answer by losing the connection. Of text sent
// shortly before a reset, a client that reads slowly may lose some.
type Cut string

// The ways to lose a connection.
const (
	// CutReset resets the connection.
	CutReset Cut = "reset"
	// CutHalf resets it in the middle of an event.
	CutHalf Cut = "half"
	// CutClean ends the response properly, but neither a finish reason nor an
	// end marker was sent.
	CutClean Cut = "clean"
)

// Raw is a Step that puts bytes on the wire as they are.
type Raw []byte

// Malformed is a Step that sends an event that is not JSON.
type Malformed struct{}

// Keepalive is a Step that sends comment lines, which clients ignore.
type Keepalive struct {
	N int
}

// Open is a Step that sends the response headers and nothing more.
type Open struct{}

func (s Text) check() error      { return s.Pace.check() }
func (s Reasoning) check() error { return s.Pace.check() }
func (Usage) check() error       { return nil }
func (Raw) check() error         { return nil }
func (Malformed) check() error   { return nil }
func (Open) check() error        { return nil }

func (s Tokens) check() error {
	if s.N < 0 || s.N > maxTokens {
		return fmt.Errorf("n is from 0 to %d", maxTokens)
	}
	switch s.Kind {
	case "", Markdown, Prose:
		return s.Pace.check()
	}
	return fmt.Errorf("kind %q is neither markdown nor prose", s.Kind)
}

func (s Call) check() error {
	if s.Name == "" {
		return errors.New("a call needs a name")
	}
	return s.Pace.check()
}

func (s Finish) check() error {
	if s.Reason == "" && !s.Omit {
		return errors.New("finish needs a reason")
	}
	return nil
}

func (s Sleep) check() error { return checkPause(s.For) }
func (s Stall) check() error { return checkPause(s.For) }

func checkPause(d time.Duration) error {
	if d < 0 || d > maxPause {
		return fmt.Errorf("a pause is from 0 to %v", maxPause)
	}
	return nil
}

func (s Failure) check() error {
	if s.Status != 0 && (s.Status < 200 || s.Status > 599) {
		return errors.New("status is from 200 to 599")
	}
	if s.RetryAfter < 0 {
		return errors.New("retry_after is at least 0")
	}
	return nil
}

func (s Cut) check() error {
	switch s {
	case CutReset, CutHalf, CutClean:
		return nil
	}
	return fmt.Errorf("cut %q is none of reset, half, clean", string(s))
}

func (s Keepalive) check() error {
	if s.N < 0 || s.N > maxKeepalive {
		return fmt.Errorf("keepalive is from 0 to %d", maxKeepalive)
	}
	return nil
}
