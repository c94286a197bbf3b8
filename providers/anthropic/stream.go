package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

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
	resp    *http.Response // as it came
	body    *body
	events  ssestream.Decoder // nil before the first byte
	decoder decoder

	queue []providers.Delta // from next on
	next  int
	any   bool  // whether an event came
	err   error // sticky, delivered when the queue is empty
}

func newStream(ctx context.Context, c *Client, model string, resp *http.Response) *stream {
	return &stream{
		ctx: ctx, client: c, resp: resp, body: newBody(resp.Body),
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
	if s.events == nil && !s.start() {
		return
	}
	if !s.events.Next() {
		err := s.events.Err()
		if err == nil {
			err = s.unfinished()
		}
		s.stop(err)
		return
	}
	s.any = true
	e := s.events.Event()
	var err error
	if s.queue, err = s.decoder.event(e.Type, e.Data, s.queue); err != nil {
		s.stop(err)
	} else if s.decoder.finished {
		s.drain()
		s.stop(io.EOF)
	}
}

// start looks at the first byte that is no blank and begins to split the stream.
// Documents of JSON and HTML begin as no event stream does, whatever their
// content type says; they are read at once, and it is false.
func (s *stream) start() bool {
	first, err := s.body.first()
	switch {
	case errors.Is(err, io.EOF):
		err = s.unfinished()
	case err == nil && (first == '{' || first == '[' || first == '<'):
		err = s.document()
	case err == nil:
		// Without its request the library makes no errors of its own; without its
		// content type it takes no decoder that somebody registered.
		s.events = ssestream.NewDecoder(&http.Response{Body: s.body})
		return true
	}
	s.stop(err)
	return false
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
	_, _ = io.CopyN(io.Discard, s.body, 4<<10) // the answer is complete whatever comes
}

// unfinished is a stream that ended cleanly without its end marker.
func (s *stream) unfinished() error {
	e := &providers.Error{Kind: providers.ErrorBroken, Cause: io.ErrUnexpectedEOF}
	odd := s.body.odd()
	switch {
	case s.any, odd == nil && s.body.started:
		e.Message = "the connection was closed before the answer was complete"
	case odd != nil:
		return stranger(odd)
	default:
		e.Message = "the server sent an empty answer"
	}
	return e
}

// document reads an answer that is one document: a whole message, an error, or
// something else. It gives io.EOF for the first.
func (s *stream) document() error {
	raw, err := io.ReadAll(io.LimitReader(s.body, wholeLimit))
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

// body is the body of a response. It drops the blanks and the byte order mark
// before the first event and keeps the first bytes for a message to the person.
type body struct {
	src     io.ReadCloser
	head    []byte // read by first, not yet by Read
	kept    []byte
	started bool
	err     error // of src, once head is read
}

func newBody(src io.ReadCloser) *body { return &body{src: src} }

// first gives the first byte that is neither blank nor a byte order mark.
func (b *body) first() (byte, error) {
	buf := make([]byte, 4<<10)
	for b.err == nil {
		var n int
		n, b.err = b.src.Read(buf)
		b.head = bytes.TrimLeft(append(b.head, buf[:n]...), blanks+"\ufeff")
		if len(b.head) > 0 && b.head[0] != 0xEF || len(b.head) > 2 {
			break
		}
	}
	if len(b.head) == 0 {
		return 0, b.err
	}
	b.started = true
	return b.head[0], nil
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (n int, err error) {
	switch {
	case len(b.head) > 0:
		n = copy(p, b.head)
		b.head = b.head[n:]
	case b.err != nil:
		return 0, b.err
	default:
		n, err = b.src.Read(p)
	}
	if room := 200 - len(b.kept); room > 0 {
		b.kept = append(b.kept, p[:min(n, room)]...)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error { return b.src.Close() }

// odd gives what came if it is not the beginning of an event stream.
func (b *body) odd() []byte {
	line, _, _ := bytes.Cut(b.kept, []byte("\n"))
	name, _, field := bytes.Cut(line, []byte(":"))
	if len(b.kept) == 0 {
		return nil
	}
	for _, known := range []string{"event", "data", "id", "retry", ""} {
		if string(name) == known || !field && bytes.HasPrefix([]byte(known), name) && len(line) == len(b.kept) {
			return nil
		}
	}
	return b.kept
}
