package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// answer plays the scenario's answer to a chat request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	s.busy.Add(1)
	defer s.busy.Done()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		send(w, badRequest(status, err))
		return
	}
	in, req, err := decodeRequest(body)
	if err != nil {
		s.record(Recorded{At: s.clock.Now(), Header: r.Header.Clone(), Body: body, Rule: -1})
		send(w, badRequest(http.StatusBadRequest, err))
		return
	}
	part := s.player.pick(req)
	now := s.clock.Now()
	s.record(Recorded{At: now, Header: r.Header.Clone(), Body: body, Rule: part.rule})
	a := &answer{
		ctx: r.Context(), w: w, pace: pace{clock: s.clock}, cursor: s.player.cursor(part, req),
		wire:  newWire(s.player.scenario, part.nth, in.Model, now.Unix()),
		usage: in.StreamOptions.IncludeUsage,
	}
	if !in.Stream {
		a.whole()
		return
	}
	a.stream()
}

func badRequest(status int, err error) response {
	return Failure{Status: status, Type: "invalid_request_error", Message: err.Error()}.response()
}

// answer is an answer on its way over HTTP.
type answer struct {
	ctx    context.Context
	w      http.ResponseWriter
	pace   pace
	cursor *cursor
	wire   *wire
	usage  bool // the client asked for usage
	opened bool
	buf    []byte
}

// flushAt is how many bytes wait at most while nothing has to be waited for.
const flushAt = 16 << 10

// stream plays the answer as events until it ends, the client leaves or the
// server is closed.
func (a *answer) stream() {
	for !a.play(a.cursor.next()) {
	}
}

// play plays one beat. It returns true when there is nothing more to play.
func (a *answer) play(b beat) bool {
	if waits := b.after > 0 || b.kind == beatPause; waits && a.opened && !a.flush() {
		return true
	}
	if a.pace.keep(a.ctx, b) != nil {
		b = beat{kind: beatCut, cut: CutReset} // no proper end
	}
	switch {
	case b.kind == beatPause:
		return false
	case b.kind == beatFail && !a.opened:
		send(a.w, b.fail.response())
		return true
	case b.kind == beatCut && b.cut == CutReset:
		a.reset(nil)
		return true
	}
	a.open()
	if b.kind == beatCut && b.cut == CutHalf {
		a.reset(a.wire.append(nil, b))
		return true
	}
	if !b.auto || a.usage {
		a.buf = a.wire.append(a.buf, b)
	}
	if b.kind == beatOpen || b.last() || len(a.buf) >= flushAt {
		return !a.flush() || b.last()
	}
	return false
}

// open begins the response, unless it has begun.
func (a *answer) open() {
	if a.opened {
		return
	}
	a.opened = true
	h := a.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	a.w.WriteHeader(http.StatusOK)
}

// flush sends what waits. It returns false when the client has left.
func (a *answer) flush() bool {
	_, err := a.w.Write(a.buf)
	a.buf = a.buf[:0]
	return err == nil && http.NewResponseController(a.w).Flush() == nil
}

// reset ends the connection without a proper end, after half an event if there
// is one.
func (a *answer) reset(half []byte) {
	if a.opened && !a.flush() {
		return
	}
	conn, _, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if len(half) > 0 {
		// The length announces more than there is, as when a sender dies.
		_, _ = fmt.Fprintf(conn, "%x\r\n%s", 2*len(half), half)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// whole plays the answer as one document, for a request that wants no stream.
// Raw bytes stand before the document, keep-alives are empty lines there.
func (a *answer) whole() {
	d := document{}
	for {
		b := a.cursor.next()
		if a.pace.keep(a.ctx, b) != nil {
			a.reset(nil)
			return
		}
		switch b.kind {
		case beatFail:
			send(a.w, b.fail.response())
			return
		case beatCut:
			a.cutWhole(b, &d)
			return
		case beatRaw:
			d.before = append(d.before, b.raw...)
		case beatComment:
			for range b.count {
				d.before = append(d.before, '\n')
			}
		case beatMalformed:
			d.broken = true
		case beatEnd:
			send(a.w, response{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}, body: d.encode(a.wire)})
			return
		default:
			d.add(b)
		}
	}
}

// cutWhole ends a document early: a clean cut sends a document that is not
// complete, the others reset the connection.
func (a *answer) cutWhole(b beat, d *document) {
	if b.cut == CutReset {
		a.reset(nil)
		return
	}
	d.broken = true
	body := d.encode(a.wire)
	a.w.Header().Set("Content-Type", "application/json")
	if b.cut == CutClean {
		_, _ = a.w.Write(body)
		return
	}
	a.w.WriteHeader(http.StatusOK)
	a.opened, a.buf = true, body
	a.reset(nil)
}
