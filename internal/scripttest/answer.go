package scripttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"hermes-tui/providers/script"
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
		s.record(Recorded{At: s.player.Now(), Header: r.Header.Clone(), Body: body, Rule: -1})
		send(w, badRequest(http.StatusBadRequest, err))
		return
	}
	played := s.player.Answer(req)
	s.record(Recorded{At: s.player.Now(), Header: r.Header.Clone(), Body: body, Rule: played.Rule})
	a := &answer{ctx: r.Context(), w: w, Answer: played, usage: in.StreamOptions.IncludeUsage}
	if !in.Stream {
		a.whole()
		return
	}
	a.stream()
}

func badRequest(status int, err error) script.Response {
	return script.Failure{Status: status, Type: "invalid_request_error", Message: err.Error()}.Response()
}

// answer is an answer on its way over HTTP.
type answer struct {
	ctx context.Context
	w   http.ResponseWriter
	*script.Answer
	usage  bool // the client asked for usage
	opened bool
	buf    []byte
}

// flushAt is how many bytes wait at most while nothing has to be waited for.
const flushAt = 16 << 10

// stream plays the answer as events until it ends, the client leaves or the
// server is closed.
func (a *answer) stream() {
	for !a.play(a.Next()) {
	}
}

// play plays one beat. It returns true when there is nothing more to play.
func (a *answer) play(b script.Beat) bool {
	if waits := b.After > 0 || b.Kind == script.BeatPause; waits && a.opened && !a.flush() {
		return true
	}
	if a.Wait(a.ctx, b) != nil {
		b = script.Beat{Kind: script.BeatCut, Cut: script.CutReset} // no proper end
	}
	switch {
	case b.Kind == script.BeatPause:
		return false
	case b.Kind == script.BeatFail && !a.opened:
		send(a.w, b.Fail.Response())
		return true
	case b.Kind == script.BeatCut && b.Cut == script.CutReset:
		a.reset(nil)
		return true
	}
	a.open()
	if b.Kind == script.BeatCut && b.Cut == script.CutHalf {
		a.reset(a.Append(nil, b))
		return true
	}
	if !b.Auto || a.usage {
		a.buf = a.Append(a.buf, b)
	}
	if b.Kind == script.BeatOpen || b.Last() || len(a.buf) >= flushAt {
		return !a.flush() || b.Last()
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
		b := a.Next()
		if a.Wait(a.ctx, b) != nil {
			a.reset(nil)
			return
		}
		switch b.Kind {
		case script.BeatFail:
			send(a.w, b.Fail.Response())
			return
		case script.BeatCut:
			a.cutWhole(b, &d)
			return
		case script.BeatRaw:
			d.before = append(d.before, b.Raw...)
		case script.BeatComment:
			for range b.Count {
				d.before = append(d.before, '\n')
			}
		case script.BeatMalformed:
			d.broken = true
		case script.BeatEnd:
			send(a.w, script.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: d.encode(a.Answer)})
			return
		default:
			d.add(b)
		}
	}
}

// cutWhole ends a document early: a clean cut sends a document that is not
// complete, the others reset the connection.
func (a *answer) cutWhole(b script.Beat, d *document) {
	if b.Cut == script.CutReset {
		a.reset(nil)
		return
	}
	d.broken = true
	body := d.encode(a.Answer)
	a.w.Header().Set("Content-Type", "application/json")
	if b.Cut == script.CutClean {
		_, _ = a.w.Write(body)
		return
	}
	a.w.WriteHeader(http.StatusOK)
	a.opened, a.buf = true, body
	a.reset(nil)
}
