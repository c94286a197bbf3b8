package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

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
	client  *Client
	resp    *http.Response
	events  *transport.Events
	decoder decoder

	queue []providers.Delta // from next on
	next  int
	err   error // sticky, delivered when the queue is empty
}

func newStream(ctx context.Context, c *Client, model string, resp *http.Response) *stream {
	return &stream{
		ctx: ctx, client: c, resp: resp, events: transport.NewEvents(resp.Body),
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
func (s *stream) Close() error { return s.resp.Body.Close() }

// receive waits for one event, or the end.
func (s *stream) receive() {
	name, raw, err := s.events.Next()
	switch {
	case errors.Is(err, transport.ErrNoEvents):
		err = s.document()
	case errors.Is(err, io.EOF):
		err = s.unfinished()
	case err == nil:
		s.queue, err = s.decoder.event(name, raw, s.queue)
	}
	if err != nil {
		s.stop(err)
	} else if s.decoder.finished {
		s.drain()
		s.stop(io.EOF)
	}
}

// stop makes err what Next returns and lets the connection go. The cause of an
// ended context comes first.
func (s *stream) stop(err error) {
	if s.ctx.Err() != nil && !s.decoder.finished {
		err = context.Cause(s.ctx)
	}
	s.err = s.describe(err)
	s.Close()
}

// drain reads what little may follow the end of an answer.
func (s *stream) drain() {
	limit := time.AfterFunc(drainTime, func() { s.Close() })
	defer limit.Stop()
	_, _ = io.CopyN(io.Discard, s.events.Rest(), 4<<10) // the answer is complete whatever comes
}

// unfinished is a stream that ended cleanly without its end marker.
func (s *stream) unfinished() error {
	e := &providers.Error{Kind: providers.ErrorBroken, Cause: io.ErrUnexpectedEOF}
	switch {
	case s.events.First() != "":
		e.Message = "the connection was closed before the answer was complete"
	case s.events.Odd() != "":
		return stranger([]byte(s.events.Odd()))
	default:
		e.Message = "the server sent an empty answer"
	}
	return e
}

// document reads an answer that is one document: a whole message, an error, or
// something else. It gives io.EOF for the first.
func (s *stream) document() error {
	raw, err := io.ReadAll(io.LimitReader(s.events.Rest(), wholeLimit))
	if err != nil {
		return err
	}
	var m struct {
		message
		Error json.RawMessage `json:"error"`
	}
	switch err := json.Unmarshal(raw, &m); {
	case err != nil:
		return stranger(raw)
	case m.Type == "error" || given(m.Error):
		return streamError(raw)
	case m.Type != "message" || m.Reason == "":
		return stranger(raw)
	}
	if s.queue, err = s.decoder.document(&m.message, raw, s.queue); err != nil {
		return err
	}
	return io.EOF
}

// stranger is an endpoint that speaks something else.
func stranger(raw []byte) error {
	message := "the endpoint does not answer in the messages protocol; check the base URL; it says " + firstWords(raw)
	if title, ok := transport.PageTitle(raw); ok {
		message = "the endpoint answers with a web page: " + title + "; the base URL may be wrong"
	}
	return &providers.Error{Kind: providers.ErrorProtocol, Body: clip(raw), Message: message}
}

// describe fills in what the decoder does not know and hides credentials.
func (s *stream) describe(err error) error {
	var e *providers.Error
	if !errors.As(err, &e) || e.Endpoint != "" {
		return err
	}
	secrets := transport.SecretsOf(s.resp.Request)
	e.Endpoint, e.Header = transport.Endpoint(s.client.base)+"/messages", transport.MaskHeader(s.resp.Header, secrets)
	e.Message, e.Body = secrets.Text(e.Message), []byte(secrets.Text(string(e.Body)))
	return e
}
