package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"syscall"

	"hermes-tui/providers"
)

// The causes of errors about responses that exceed a limit.
var (
	// ErrLineTooLong is a response whose line exceeds [MaxLine].
	ErrLineTooLong = errors.New("a line of the response is longer than 16 MB")
	// ErrBodyTooLarge is a response that exceeds [MaxBody].
	ErrBodyTooLarge = errors.New("the response is larger than 128 MB")
)

// body is the body of a response within its limits. Read belongs to one
// goroutine; Close may be called at any time.
type body struct {
	x     *exchange
	raw   io.ReadCloser
	src   io.Reader // raw, decompressed
	lines bool      // whether lines are bounded
	line  int64     // bytes since the last newline
	total int64
	err   error // sticky
}

// attach puts our body over that of a response.
func (x *exchange) attach(resp *http.Response) error {
	b := &body{x: x, raw: resp.Body, src: resp.Body, lines: isText(resp.Header.Get("Content-Type"))}
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		b.src = &lazyGzip{src: resp.Body}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength = -1
	default:
		if resp.StatusCode >= 300 { // the status says enough
			b.src = strings.NewReader("")
			break
		}
		resp.Body.Close()
		return &providers.Error{
			Kind: providers.ErrorProtocol, Endpoint: Endpoint(x.asked), Status: resp.StatusCode,
			Message: fmt.Sprintf("the answer is compressed as %q, which was not asked for", encoding),
		}
	}
	resp.Body = b
	return nil
}

// isText reports whether a content type has lines. Without one it is assumed.
func isText(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err != nil || strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json")
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	b.x.watch.arm()
	n, err := b.src.Read(p)
	b.x.watch.disarm()
	if err == nil {
		err = b.measure(p[:n])
	} else {
		err = b.x.readError(err)
	}
	b.err = err
	return n, err
}

// measure holds what came against the limits.
func (b *body) measure(p []byte) error {
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		b.line = int64(len(p) - 1 - i)
	} else {
		b.line += int64(len(p))
	}
	b.total += int64(len(p))
	switch {
	case b.lines && b.line > b.x.t.limits.line:
		return b.x.exceeds(ErrLineTooLong)
	case b.total > b.x.t.limits.body:
		return b.x.exceeds(ErrBodyTooLarge)
	}
	return nil
}

func (x *exchange) exceeds(limit error) error {
	return &providers.Error{
		Kind: providers.ErrorProtocol, Endpoint: Endpoint(x.asked), Code: providers.CodeTooLarge, Message: limit.Error(), Cause: limit,
	}
}

// Close releases the connection and makes a Read that waits return.
func (b *body) Close() error {
	b.x.stop()
	return b.raw.Close()
}

// readError judges an error of reading a body.
func (x *exchange) readError(err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if ended := x.ended(); ended != nil {
		return ended
	}
	host := x.asked.Host
	switch {
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return &providers.Error{
			Kind: providers.ErrorProtocol, Endpoint: Endpoint(x.asked),
			Message: "the answer says that it is gzip, but it is not", Cause: err,
		}
	case errors.Is(err, syscall.ECONNRESET):
		return x.broken("connection reset by peer: "+host+" broke off in the middle of the answer", err)
	}
	return x.broken("the connection was closed by "+host+" in the middle of the answer", err)
}

// lazyGzip begins to decompress with the first Read, which may wait.
type lazyGzip struct {
	src io.Reader
	z   *gzip.Reader
}

// Read implements io.Reader.
func (g *lazyGzip) Read(p []byte) (int, error) {
	if g.z == nil {
		z, err := gzip.NewReader(g.src)
		if err != nil {
			return 0, err
		}
		g.z = z
	}
	return g.z.Read(p)
}

// Fetch reads a small resource whole. It is an error if it exceeds limit bytes.
func (t *Transport) Fetch(req *http.Request, limit int64) ([]byte, error) {
	resp, err := t.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &providers.Error{
			Kind: providers.ErrorProtocol, Endpoint: Endpoint(req.URL),
			Message: fmt.Sprintf("the answer is larger than the %d bytes that were expected at most", limit),
			Cause:   ErrBodyTooLarge,
		}
	}
	return data, nil
}

// Get is [Transport.Fetch] for a plain GET of a URL.
func (t *Transport) Get(ctx context.Context, url string, limit int64) ([]byte, error) {
	return t.GetAs(ctx, url, "", limit)
}

// GetAs is [Transport.Get] with a key as the bearer of the request, if it is not empty.
func (t *Transport) GetAs(ctx context.Context, url, key string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", url, err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return t.Fetch(req, limit)
}
