package bedrock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// drainTime is how long the end of a finished response is waited for, so that its
// connection can be used again.
const drainTime = 50 * time.Millisecond

// stream is an answer as it arrives.
type stream struct {
	ctx     context.Context
	account *account
	resp    *http.Response
	frames  *frames
	decoder decoder

	queue []providers.Delta // from next on
	next  int
	err   error // sticky, delivered when the queue is empty

	grace time.Duration
	timer *time.Timer // closes a finished stream that stays silent
}

func newStream(ctx context.Context, c *Client, a *account, model string, resp *http.Response) *stream {
	return &stream{
		ctx: ctx, account: a, resp: resp, frames: newFrames(resp.Body), grace: c.grace,
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
func (s *stream) Close() error { return s.frames.Close() }

// receive waits for one event, or the end.
func (s *stream) receive() {
	f, err := s.frames.next()
	if err == nil {
		s.queue, err = s.decoder.frame(f, s.queue)
	}
	switch {
	case err != nil:
		s.end(err)
	case s.decoder.whole():
		s.drain()
		s.stop(s.describe(s.complete()))
	case s.decoder.finished():
		s.await()
	}
}

// await gives the server time to send the figures behind the end marker.
func (s *stream) await() {
	if s.timer == nil {
		s.timer = time.AfterFunc(s.grace, func() { s.Close() })
		return
	}
	s.timer.Reset(s.grace)
}

// end judges how the stream ended.
func (s *stream) end(err error) {
	switch {
	case s.ctx.Err() != nil:
		s.stop(context.Cause(s.ctx))
		return
	case s.decoder.finished():
		err = s.complete()
	case errors.Is(err, errNoFrames):
		err = s.document()
	default:
		err = s.broken(err)
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

// drain reads what little may follow the last event.
func (s *stream) drain() {
	limit := time.AfterFunc(drainTime, func() { s.Close() })
	defer limit.Stop()
	s.frames.release()
	_, _ = io.CopyN(io.Discard, s.frames.src, 4<<10) // the answer is complete whatever comes
}

// broken words the end of a stream that was not complete.
func (s *stream) broken(err error) error {
	var known *providers.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, io.EOF) && !s.frames.any:
		return &providers.Error{Kind: providers.ErrorBroken, Message: "the server sent an empty answer", Cause: io.ErrUnexpectedEOF}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		const message = "the connection was closed before the answer was complete"
		return &providers.Error{Kind: providers.ErrorBroken, Message: message, Cause: io.ErrUnexpectedEOF}
	}
	return &providers.Error{
		Kind: providers.ErrorProtocol, Cause: err,
		Message: "the answer was changed on its way, or the base URL leads to something else than Amazon Bedrock: " + err.Error(),
	}
}

// stranger is an endpoint that speaks something else.
func stranger(body []byte) error {
	body = body[:min(len(body), 4<<10)]
	says := firstWords(body)
	if title, ok := transport.PageTitle(body); ok {
		says = "a web page: " + title
	}
	return &providers.Error{
		Kind: providers.ErrorProtocol, Body: bytes.Clone(body),
		Message: fmt.Sprintf("the endpoint does not answer in the protocol of Amazon Bedrock; check the base URL; it says %s", says),
	}
}

// describe fills in what the decoder does not know and hides credentials.
func (s *stream) describe(err error) error {
	var e *providers.Error
	if !errors.As(err, &e) || e.Endpoint != "" {
		return err
	}
	secrets := transport.SecretsOf(s.resp.Request)
	e.Endpoint, e.Header = transport.Endpoint(s.resp.Request.URL), transport.MaskHeader(s.resp.Header, secrets)
	e.Message, e.Body = secrets.Text(e.Message), []byte(secrets.Text(string(e.Body)))
	return e
}
