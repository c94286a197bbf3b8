package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"hermes-tui/providers"
)

const (
	// FinishGrace is how long a stream may usually stay silent behind its end marker
	// before the answer is taken as it is; see [Answer.Grace].
	FinishGrace = 5 * time.Second

	// wholeLimit bounds an answer that is one document, in bytes.
	wholeLimit = 32 << 20
	// drainTime is how long the end of a finished response is waited for, so that
	// its connection can be used again.
	drainTime = 50 * time.Millisecond
)

// Progress says how far an answer has come.
type Progress int

// The stages of an answer.
const (
	// Begun is an answer without its end marker.
	Begun Progress = iota
	// Foreign is one of which nothing belonged to the protocol so far.
	Foreign
	// Finished is one with its end marker, behind which more may follow.
	Finished
	// Complete is one of which nothing can follow.
	Complete
)

// Decoder turns the events of one answer into deltas. It belongs to the goroutine of
// its stream. Its errors are [*providers.Error] without endpoint and header, or what
// else went wrong.
type Decoder interface {
	// Event decodes an event and appends its deltas. data is valid until it returns.
	// io.EOF ends the stream.
	Event(name string, data []byte, out []providers.Delta) ([]providers.Delta, error)
	// Document decodes an answer that came as one document in place of a stream. One
	// that is nothing of the protocol gives [ErrForeign].
	Document(body []byte, out []providers.Delta) ([]providers.Delta, error)
	// Progress says how far the answer has come.
	Progress() Progress
	// End appends what a finished answer ends with.
	End(out []providers.Delta) ([]providers.Delta, error)
}

// EventReader reads the events of a body; see [Events].
type EventReader interface {
	Next() (name string, data []byte, err error)
	Rest() io.Reader
	First() string
	Odd() string
}

// Answer is how a response is read.
type Answer struct {
	// Protocol is the name of the protocol.
	Protocol string
	// Endpoint is the URL that was asked, for errors.
	Endpoint string
	// Events are those of the response's body.
	Events  EventReader
	Decoder Decoder
	// Grace is how long the stream may stay silent behind its end marker before the
	// answer is taken as it is.
	Grace time.Duration
}

// Stream is an answer as it arrives. Next belongs to one goroutine; Close may be
// called at any time.
type Stream struct {
	ctx  context.Context
	resp *http.Response
	from Answer

	queue []providers.Delta // from next on
	next  int
	err   error       // sticky, delivered when the queue is empty
	timer *time.Timer // closes a finished stream that stays silent
}

var _ providers.Stream = (*Stream)(nil)

// NewStream makes the stream of a response that is a success, which it closes.
func NewStream(ctx context.Context, resp *http.Response, a Answer) *Stream {
	return &Stream{ctx: ctx, resp: resp, from: a, queue: []providers.Delta{{Kind: providers.DeltaOpen}}}
}

// Next implements [providers.Stream].
func (s *Stream) Next() (providers.Delta, error) {
	for {
		if s.err == nil && s.ctx.Err() != nil {
			s.stop(context.Cause(s.ctx))
			s.queue, s.next = nil, 0
		}
		if s.next < len(s.queue) {
			d := s.queue[s.next]
			s.queue[s.next] = providers.Delta{} // its text may go
			s.next++
			return d, nil
		}
		if s.err != nil {
			return providers.Delta{}, s.err
		}
		s.queue, s.next = s.queue[:0], 0
		name, data, err := s.from.Events.Next()
		if err == nil {
			s.queue, err = s.from.Decoder.Event(name, data, s.queue)
		}
		if err != nil {
			s.end(err)
			continue
		}
		switch s.from.Decoder.Progress() {
		case Finished:
			s.await()
		case Complete:
			s.drain()
			s.stop(s.complete())
		}
	}
}

// Close implements [providers.Stream].
func (s *Stream) Close() error { return s.resp.Body.Close() }

// await gives the server time to send what may follow the end marker.
func (s *Stream) await() {
	if s.timer == nil {
		s.timer = time.AfterFunc(s.from.Grace, func() { s.Close() })
		return
	}
	s.timer.Reset(s.from.Grace)
}

// end judges how the stream ended.
func (s *Stream) end(err error) {
	switch {
	case s.ctx.Err() != nil:
		err = context.Cause(s.ctx)
	case s.from.Decoder.Progress() == Finished:
		if errors.Is(err, io.EOF) {
			s.drain()
		}
		err = s.complete()
	case errors.Is(err, ErrNoEvents):
		err = s.document()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = s.unfinished()
	}
	s.stop(err)
}

// complete appends the end of an answer and gives io.EOF.
func (s *Stream) complete() error {
	var err error
	if s.queue, err = s.from.Decoder.End(s.queue); err != nil {
		return err
	}
	return io.EOF
}

// document reads an answer that is one document, and gives io.EOF for one.
func (s *Stream) document() error {
	body, err := io.ReadAll(io.LimitReader(s.from.Events.Rest(), wholeLimit))
	if err != nil {
		return err
	}
	if s.queue, err = s.from.Decoder.Document(body, s.queue); err == nil {
		return s.complete()
	}
	if errors.Is(err, ErrForeign) {
		return s.foreign(body)
	}
	return err
}

// unfinished is a stream that ended cleanly without its end marker.
func (s *Stream) unfinished() error {
	first, odd := s.from.Events.First(), s.from.Events.Odd()
	e := &providers.Error{Kind: providers.ErrorBroken, Cause: io.ErrUnexpectedEOF}
	switch {
	case first != "" && s.from.Decoder.Progress() == Foreign:
		return s.foreign([]byte(first))
	case first != "":
		e.Message = "the connection was closed before the answer was complete"
	case odd != "":
		return s.foreign([]byte(odd))
	default:
		e.Message = "the server sent an empty answer"
	}
	return e
}

// foreign is the error of an endpoint that speaks something else.
func (s *Stream) foreign(body []byte) error {
	message := "the endpoint does not answer in the " + s.from.Protocol + " protocol; check the base URL; it says " + FirstWords(body)
	if title, ok := PageTitle(body); ok {
		message = "the endpoint answers with a web page: " + title + "; the base URL may be wrong"
	}
	return &providers.Error{Kind: providers.ErrorProtocol, Body: Clip(body), Message: message}
}

// stop makes err what Next returns and lets the connection go.
func (s *Stream) stop(err error) {
	s.err = s.describe(err)
	if s.timer != nil {
		s.timer.Stop()
	}
	s.Close()
}

// drain reads what little may follow the end of an answer.
func (s *Stream) drain() {
	limit := time.AfterFunc(drainTime, func() { s.Close() })
	defer limit.Stop()
	_, _ = io.CopyN(io.Discard, s.from.Events.Rest(), 4<<10) // the answer is complete whatever comes
}

// describe fills in what the decoder does not know and hides credentials.
func (s *Stream) describe(err error) error {
	var e *providers.Error
	if !errors.As(err, &e) || e.Endpoint != "" {
		return err
	}
	secrets := SecretsOf(s.resp.Request)
	e.Endpoint, e.Header = s.from.Endpoint, MaskHeader(s.resp.Header, secrets)
	e.Code, e.Type = secrets.Text(e.Code), secrets.Text(e.Type)
	e.Message, e.Body = secrets.Text(e.Message), []byte(secrets.Text(string(e.Body)))
	return e
}
