package flight

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// take finds the request or call of the recording that the program makes, nil for one
// that was never made.
func (p *Player) take(kind Kind, name, key string) (found *held) {
	p.change(func() {
		best := -1
		for _, h := range p.order {
			if h.taken || h.begin.Kind != kind || h.begin.Name != name {
				continue
			}
			if fit := alike(h.begin.Key, key); fit > best {
				found, best = h, fit
			}
		}
		if found != nil {
			found.taken = true
		}
	})
	return found
}

// next waits for the next item of something.
func (p *Player) next(ctx context.Context, h *held) (it Item, err error) {
	p.change(func() { h.waits = true })
	err = p.until(ctx, func() bool { return len(h.items) > 0 || p.ended })
	p.change(func() {
		switch {
		case err != nil:
			h.left = true
		case len(h.items) == 0:
			err = io.ErrUnexpectedEOF
		default:
			it = h.items[0]
			h.items, h.waits = h.items[1:], false
		}
	})
	return it, err
}

// leave says that the program wants no more of something.
func (p *Player) leave(h *held) { p.change(func() { h.left = true }) }

// Wrap answers the requests of a transport from the recording.
func (p *Player) Wrap(http.RoundTripper) http.RoundTripper { return played{p} }

type played struct{ p *Player }

// RoundTrip implements [http.RoundTripper].
func (t played) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := readBody(req)
	if err != nil {
		return nil, err
	}
	u := *req.URL
	u.User, u.RawQuery = nil, ""
	h := t.p.take(KindRequest, req.Method+" "+u.String(), lastSaid(sent))
	if h == nil {
		return nil, errors.New("this request is not in the recording")
	}
	it, err := t.p.next(req.Context(), h)
	if err != nil {
		return nil, err
	}
	if it.Kind != KindResponse {
		t.p.leave(h)
		if it.Error == nil {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, it.Error.err()
	}
	resp := &http.Response{
		StatusCode: it.Status, Status: http.StatusText(it.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
		Header: http.Header{}, Request: req, Body: &playedBody{p: t.p, h: h, ctx: req.Context()},
	}
	for name, value := range it.Header {
		if !strings.EqualFold(name, "Content-Length") {
			resp.Header.Set(name, value)
		}
	}
	return resp, nil
}

// playedBody is the body of an answer.
type playedBody struct {
	p    *Player
	h    *held
	ctx  context.Context
	rest bytes.Reader
	end  error
}

func (b *playedBody) Read(buf []byte) (int, error) {
	for b.rest.Len() == 0 && b.end == nil {
		it, err := b.p.next(b.ctx, b.h)
		switch {
		case err != nil:
			b.end = err
		case it.Kind == KindChunk:
			b.rest.Reset(it.text())
		default:
			b.p.leave(b.h)
			b.end = io.EOF
			if it.Error != nil {
				b.end = it.Error.err()
			}
		}
	}
	if b.rest.Len() > 0 {
		return b.rest.Read(buf)
	}
	return 0, b.end
}

func (b *playedBody) Close() error {
	b.p.leave(b.h)
	return nil
}

// Asked gives what a tool has said of a call before it was made. ok is false for what is
// not in the recording.
func (p *Player) Asked(tool, key string, into any) (ok bool, err error) {
	p.change(func() {
		at := slices.IndexFunc(p.asked, func(i *Item) bool { return i.Name == tool && i.Key == key })
		if at < 0 {
			return
		}
		it := p.asked[at]
		p.asked = slices.Delete(p.asked, at, at+1)
		ok = json.Unmarshal(it.Val, into) == nil
		if it.Error != nil {
			err = it.Error.err()
		}
	})
	return ok, err
}

// Call gives what a call of a tool did, writing its live output to out. ok is false for
// one that is not in the recording.
func (p *Player) Call(ctx context.Context, tool string, args json.RawMessage, out io.Writer, into any) (ok bool, err error) {
	h := p.take(KindCall, tool, string(args))
	if h == nil {
		return false, nil
	}
	defer p.leave(h)
	for {
		it, err := p.next(ctx, h)
		switch {
		case err != nil:
			return true, err
		case it.Kind == KindOutput:
			_, _ = io.WriteString(out, it.Text) // see [Item]: it never fails
		case it.Error != nil:
			return true, it.Error.err()
		default:
			return true, json.Unmarshal(it.Val, into)
		}
	}
}

// End ends what still waits for items, as the playing is over.
func (p *Player) End() {
	p.change(func() { p.ended = true })
	if p.speed != nil {
		p.speed.change(func() { p.speed.over = true })
	}
}
