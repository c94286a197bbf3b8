package responses

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
	if err == nil {
		s.queue, err = s.decoder.event(raw, name == "error", s.queue)
	}
	switch {
	case err != nil:
		s.end(err)
	case s.decoder.finished():
		s.drain()
		s.stop(io.EOF)
	}
}

// end judges a stream that ended before its terminal event.
func (s *stream) end(err error) {
	if s.ctx.Err() != nil {
		s.stop(context.Cause(s.ctx))
		return
	}
	switch {
	case errors.Is(err, transport.ErrNoEvents):
		err = s.document()
	case errors.Is(err, io.EOF):
		err = s.unfinished()
	}
	s.stop(s.describe(err))
}

// stop makes err what Next returns and lets the connection go.
func (s *stream) stop(err error) {
	s.err = err
	s.Close()
}

// drain reads what little may follow the end of an answer.
func (s *stream) drain() {
	limit := time.AfterFunc(drainTime, func() { s.Close() })
	defer limit.Stop()
	_, _ = io.CopyN(io.Discard, s.events.Rest(), 4<<10) // the answer is complete whatever comes
}

// unfinished is a stream that ended cleanly without its terminal event.
func (s *stream) unfinished() error {
	switch {
	case s.events.First() != "" && !s.decoder.spoke:
		return stranger([]byte(s.events.First()), firstWords([]byte(s.events.First())))
	case s.events.First() != "":
		return &providers.Error{
			Kind: providers.ErrorBroken, Cause: io.ErrUnexpectedEOF,
			Message: "the connection was closed before the answer was complete",
		}
	case s.events.Odd() != "":
		return stranger([]byte(s.events.Odd()), firstWords([]byte(s.events.Odd())))
	}
	return &providers.Error{Kind: providers.ErrorBroken, Cause: io.ErrUnexpectedEOF, Message: "the server sent an empty answer"}
}

// document reads an answer that is one document: a whole response, an error, or
// something else. It gives io.EOF for the first.
func (s *stream) document() error {
	body, err := io.ReadAll(io.LimitReader(s.events.Rest(), wholeLimit))
	if err != nil {
		return err
	}
	var r response
	if err := json.Unmarshal(body, &r); err != nil || r.Output == nil && !given(r.Error) {
		return stranger(body, firstWords(body))
	}
	if given(r.Error) && len(r.Output) == 0 {
		return stated(body)
	}
	s.queue = s.decoder.count(r.Usage, s.queue)
	if s.queue, err = s.decoder.terminal("", &r, s.queue); err != nil {
		return err
	}
	return io.EOF
}

// describe fills in what the decoder does not know and hides credentials.
func (s *stream) describe(err error) error {
	var e *providers.Error
	if !errors.As(err, &e) || e.Endpoint != "" {
		return err
	}
	secrets := transport.SecretsOf(s.resp.Request)
	e.Endpoint, e.Header = s.client.endpoint(), transport.MaskHeader(s.resp.Header, secrets)
	e.Code, e.Type = secrets.Text(e.Code), secrets.Text(e.Type)
	e.Message, e.Body = secrets.Text(e.Message), []byte(secrets.Text(string(e.Body)))
	return e
}
