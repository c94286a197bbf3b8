package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

const (
	// wholeLimit bounds an answer that is one document, in bytes.
	wholeLimit = 32 << 20
	// drainTime is how long the end of a finished response is waited for, so that
	// its connection can be used again.
	drainTime = 50 * time.Millisecond
)

// stream is an answer as it arrives.
type stream struct {
	ctx     context.Context
	raw     *openai.ChatCompletionStream
	x       *exchange
	decoder decoder

	queue []providers.Delta // from next on
	next  int
	err   error // sticky, delivered when the queue is empty

	grace time.Duration
	timer *time.Timer // closes a finished stream that stays silent
}

func newStream(ctx context.Context, c *Client, model string, raw *openai.ChatCompletionStream, x *exchange) *stream {
	return &stream{
		ctx: ctx, raw: raw, x: x, grace: c.grace,
		decoder: decoder{issuer: c.config.Provider, model: model},
		queue:   []providers.Delta{{Kind: providers.DeltaOpen}},
	}
}

// Next implements [providers.Stream].
func (s *stream) Next() (providers.Delta, error) {
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
		s.receive()
	}
}

// Close implements [providers.Stream].
func (s *stream) Close() error { return s.x.events.Close() }

// receive waits for one event, or the end.
func (s *stream) receive() {
	raw, err := s.raw.RecvRaw()
	if err == nil {
		s.queue, err = s.decoder.event(raw, s.queue)
	}
	switch {
	case err != nil:
		s.end(err)
	case s.decoder.finished():
		s.await()
	}
}

// await gives the server time to send usage and the end behind the finish
// marker.
func (s *stream) await() {
	if s.timer == nil {
		s.timer = time.AfterFunc(s.grace, func() { s.Close() })
		return
	}
	s.timer.Reset(s.grace)
}

// end judges how the stream ended.
func (s *stream) end(err error) {
	if s.ctx.Err() != nil {
		s.stop(context.Cause(s.ctx))
		return
	}
	switch {
	case s.decoder.finished():
		if errors.Is(err, io.EOF) {
			s.drain()
		}
		err = s.complete()
	case errors.Is(err, transport.ErrNoEvents):
		err = s.document()
	case errors.Is(err, io.EOF):
		err = s.unfinished()
	}
	s.stop(s.describe(err))
}

// complete appends the end of an answer and gives io.EOF.
func (s *stream) complete() error {
	var err error
	if s.queue, err = s.decoder.end(s.queue); err != nil {
		return err
	}
	return io.EOF
}

// stop makes err what Next returns and lets the connection go.
func (s *stream) stop(err error) {
	s.err = err
	if s.timer != nil {
		s.timer.Stop()
	}
	s.Close()
}

// drain reads what little may follow the end of an answer.
func (s *stream) drain() {
	limit := time.AfterFunc(drainTime, func() { s.Close() })
	defer limit.Stop()
	_, _ = io.CopyN(io.Discard, s.x.events.Rest(), 4<<10) // the answer is complete whatever comes
}

// unfinished is a stream that ended cleanly without its finish marker.
func (s *stream) unfinished() error {
	e := &providers.Error{Kind: providers.ErrorBroken, Cause: io.ErrUnexpectedEOF}
	switch {
	case s.x.events.First() != "":
		e.Message = "the connection was closed before the answer was complete"
	case s.x.events.Odd() != "":
		e.Kind, e.Cause = providers.ErrorProtocol, nil
		e.Body = []byte(s.x.events.Odd())
		e.Message = "the endpoint does not answer in the chat protocol; check the base URL; it says " + firstWords(e.Body)
	default:
		e.Message = "the server sent an empty answer"
	}
	return e
}

// document reads an answer that is one document: a whole chat completion, an
// error, or something else. It gives io.EOF for the first.
func (s *stream) document() error {
	body, err := io.ReadAll(io.LimitReader(s.x.events.Rest(), wholeLimit))
	if err != nil {
		return err
	}
	if title, ok := transport.PageTitle(body); ok {
		return stranger(body, "the endpoint answers with a web page: "+title+"; the base URL may be wrong")
	}
	var c chunk
	if err := json.Unmarshal(body, &c); err != nil || len(c.Choices) == 0 && !c.failed() {
		return stranger(body, "the endpoint does not answer in the chat protocol; check the base URL; it says "+firstWords(body))
	}
	if s.queue, err = s.decoder.chunk(&c, body, s.queue); err != nil {
		return err
	}
	if !s.decoder.finished() {
		s.decoder.finish = "stop"
	}
	return s.complete()
}

// stranger is an endpoint that speaks something else.
func stranger(body []byte, message string) error {
	return &providers.Error{Kind: providers.ErrorProtocol, Body: clip(body), Message: message}
}

// describe fills in what the decoder does not know and hides credentials.
func (s *stream) describe(err error) error {
	var e *providers.Error
	if !errors.As(err, &e) || e.Endpoint != "" {
		return err
	}
	secrets := transport.SecretsOf(s.x.resp.Request)
	e.Endpoint, e.Header = transport.Endpoint(s.x.client.base)+"/chat/completions", transport.MaskHeader(s.x.resp.Header, secrets)
	e.Message, e.Body = secrets.Text(e.Message), []byte(secrets.Text(string(e.Body)))
	return e
}
