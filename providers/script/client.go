package script

import (
	"context"
	"errors"
	"io"

	"hermes-tui/providers"
)

// Options are the choices of [New] and [NewPlayer].
type Options struct {
	// Clock paces the answers; nil is the machine's.
	Clock Clock
}

// Client plays a scenario in this process. It is safe for concurrent use.
type Client struct {
	player *Player
}

var _ providers.Client = (*Client)(nil)

// New makes a client that plays a scenario, which must not change afterwards.
// The error says what is wrong with the scenario.
func New(s *Scenario, o Options) (*Client, error) {
	p, err := NewPlayer(s, o)
	if err != nil {
		return nil, err
	}
	return &Client{player: p}, nil
}

// Stream implements [providers.Client]. Failures are [*providers.Error] with
// the kinds that a client gets over HTTP; their endpoint is "script:" and the
// scenario's name.
func (c *Client) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	a := c.player.Answer(r)
	return begin(ctx, a.cursor, a.wire, c.player.clock, "script:"+c.player.scenario.name())
}

// begin starts an answer. It returns when the response has begun.
func begin(ctx context.Context, c *cursor, w *wire, clock Clock, endpoint string) (providers.Stream, error) {
	s := &stream{cursor: c, wire: w, pace: pace{clock: clock}, reader: reader{endpoint: endpoint}}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if err := s.open(); err != nil {
		s.cancel(nil)
		return nil, err
	}
	return s, nil
}

// open takes beats until the response begins, or fails to.
func (s *stream) open() error {
	for {
		b := s.cursor.next()
		if err := s.pace.keep(s.ctx, b); err != nil {
			return err
		}
		switch {
		case b.Kind == BeatPause:
			continue
		case b.Kind == BeatCut && b.early():
			return lost(s.reader.endpoint, b.Cut)
		case b.Kind == BeatFail:
			e := asError(s.reader.endpoint, b.Fail.Response(), s.pace.clock.Now())
			if e.Kind == providers.ErrorStatus {
				return e
			}
			s.end = e // a response that is no answer
		default:
			b.After = 0
			s.held = &b
		}
		s.ready = []providers.Delta{{Kind: providers.DeltaOpen}}
		return nil
	}
}

// errClosed is what a stream gives after its Close.
var errClosed = errors.New("the stream was closed")

// stream is an answer played in this process. It turns beats into the bytes of
// the protocol and those into deltas.
type stream struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	cursor *cursor
	wire   *wire
	pace   pace
	reader reader
	held   *Beat             // began the response, not yet taken
	ready  []providers.Delta // not yet returned
	bytes  []byte            // reused
	end    error             // io.EOF after a complete answer
	over   bool              // end was reached
}

// Next implements [providers.Stream].
func (s *stream) Next() (providers.Delta, error) {
	for !s.over {
		if err := context.Cause(s.ctx); err != nil {
			s.end = err
		} else if len(s.ready) > 0 {
			d := s.ready[0]
			s.ready = s.ready[1:]
			return d, nil
		}
		if s.end == nil {
			s.end = s.step()
			continue
		}
		s.over = true
		s.cancel(nil)
	}
	return providers.Delta{}, s.end
}

// step takes the next beat. It returns what ends the stream after the deltas
// that are ready.
func (s *stream) step() error {
	b := s.take()
	if err := s.pace.keep(s.ctx, b); err != nil {
		return err
	}
	var err error
	s.bytes = s.wire.append(s.bytes[:0], b)
	if s.ready, err = s.reader.read(s.ready[:0], s.bytes); err != nil {
		return err
	}
	switch {
	case b.Kind == BeatCut:
		return lost(s.reader.endpoint, b.Cut)
	case !s.reader.done && !b.Last():
		return nil
	case s.reader.finished:
		return io.EOF
	}
	return lost(s.reader.endpoint, CutClean)
}

func (s *stream) take() Beat {
	if s.held != nil {
		b := *s.held
		s.held = nil
		return b
	}
	return s.cursor.next()
}

// Close implements [providers.Stream].
func (s *stream) Close() error {
	s.cancel(errClosed)
	return nil
}
