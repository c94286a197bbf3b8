package flight

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"unicode/utf8"

	"hermes-tui/providers/redact"
)

// Wrap records the requests of a transport and what is read of the answers.
func (r *Recorder) Wrap(base http.RoundTripper) http.RoundTripper { return recording{r, base} }

type recording struct {
	r    *Recorder
	base http.RoundTripper
}

// maxBody is how much of the body of a request is compared with that of the next one.
const maxBody = 8 << 20

// RoundTrip implements [http.RoundTripper].
func (t recording) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := readBody(req)
	if err != nil {
		return nil, err
	}
	id := t.r.request(req, sent)
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		t.r.add(Item{Kind: KindEnd, ID: id, Error: t.r.failure(req.Context(), err)})
		return nil, err
	}
	header := map[string]string{}
	for name := range resp.Header {
		if name != "Set-Cookie" && name != "Www-Authenticate" {
			header[name] = t.r.Mask(resp.Header.Get(name))
		}
	}
	t.r.add(Item{Kind: KindResponse, ID: id, Status: resp.StatusCode, Header: header})
	resp.Body = &recordedBody{ReadCloser: resp.Body, ctx: req.Context(), r: t.r, id: id}
	return resp, nil
}

// readBody takes the body of a request and puts an equal one in its place.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	sent, err := io.ReadAll(req.Body)
	if err = errors.Join(err, req.Body.Close()); err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(sent))
	return sent, nil
}

// request records a request, without its headers, in which the keys are.
func (r *Recorder) request(req *http.Request, sent []byte) int {
	u := *req.URL
	u.User, u.RawQuery = nil, ""
	i := Item{Kind: KindRequest, ID: r.id(), Name: req.Method + " " + r.Mask(u.String()), Key: lastSaid(sent)}
	text := redact.JSON(string(sent), r.Mask)
	if !utf8.ValidString(text) {
		i.Byte = []byte(r.Mask(text))
		r.add(i)
		return i.ID
	}
	r.mu.Lock()
	before := r.bodies[i.Name]
	if len(text) <= maxBody {
		r.bodies = map[string]body{i.Name: {i.ID, text}}
	}
	r.mu.Unlock()
	first, last := bounds(before.text, text)
	if first+last > 1<<10 {
		i.Like, i.Shares, text = before.id, [2]int{first, last}, text[first:len(text)-last]
	}
	i.Text = text
	r.add(i)
	return i.ID
}

// recordedBody records what is read, in whole lines where it is text, so that a secret
// that two reads cut apart is found.
type recordedBody struct {
	io.ReadCloser
	ctx   context.Context // of the request
	r     *Recorder
	id    int
	line  []byte // not ended yet
	ended bool
}

// maxLine is how long a line is kept to be masked as a whole.
const maxLine = 256 << 10

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.line = append(b.line, p[:n]...)
	end := bytes.LastIndexByte(b.line, '\n') + 1
	if err != nil || len(b.line) > maxLine || !utf8.Valid(b.line[:max(0, len(b.line)-utf8.UTFMax)]) {
		end = len(b.line)
	}
	b.flush(end)
	if err != nil {
		b.end(err)
	}
	return n, err
}

// flush records the first bytes of what is held.
func (b *recordedBody) flush(end int) {
	if end == 0 {
		return
	}
	i := Item{Kind: KindChunk, ID: b.id}
	text := string(b.line[:end])
	if utf8.ValidString(text) {
		var out strings.Builder
		for line := range strings.SplitAfterSeq(text, "\n") {
			out.WriteString(b.maskLine(line))
		}
		text = out.String()
	} else if masked := b.r.Mask(text); masked != text {
		text = masked
	}
	i.setText([]byte(text))
	b.line = append(b.line[:0], b.line[end:]...)
	b.r.add(i)
}

// maskLine masks the strings of a line that is JSON, or that has it behind a name.
func (b *recordedBody) maskLine(line string) string {
	at := strings.IndexAny(line, "{[")
	if at < 0 {
		return b.r.Mask(line)
	}
	return b.r.Mask(line[:at]) + redact.JSON(line[at:], b.r.Mask)
}

// end records the end once.
func (b *recordedBody) end(err error) {
	if b.ended {
		return
	}
	b.ended = true
	i := Item{Kind: KindEnd, ID: b.id}
	if err != nil && !errors.Is(err, io.EOF) {
		i.Error = b.r.failure(b.ctx, err)
	}
	b.r.add(i)
}

func (b *recordedBody) Close() error {
	b.flush(len(b.line))
	b.end(context.Canceled) // unless it has ended
	return b.ReadCloser.Close()
}

// cancelled is the kind of what the program has ended itself.
const cancelled = "cancelled"

// failureKind names what an error is for those who look at it.
func failureKind(err error) string {
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return cancelled
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "eof"
	case errors.As(err, &dns):
		return "host"
	}
	return ""
}

// failure is an error of something that the program may have ended itself.
func (r *Recorder) failure(ctx context.Context, err error) *Failure {
	kind := failureKind(err)
	if ctx.Err() != nil {
		kind = cancelled
	}
	return &Failure{kind, r.Mask(err.Error())}
}

// err makes an error again.
func (f *Failure) err() error {
	switch f.Kind {
	case cancelled:
		return context.Canceled
	case "refused":
		return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case "reset":
		return &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	case "eof":
		return io.ErrUnexpectedEOF
	case "host":
		return &net.DNSError{Err: "no such host", IsNotFound: true}
	}
	return errors.New(f.Text)
}
