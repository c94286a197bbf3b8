package transport

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// zip compresses size bytes of one character.
func zip(t *testing.T, size int) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, io.LimitReader(zeros{}, int64(size))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zeros is an endless text.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// answer serves one response, ended by closing.
func answer(t *testing.T, head, body string) string {
	t.Helper()
	return rawServer(t, func(c net.Conn, _ *http.Request) {
		write(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n"+head+"\r\n\r\n", body)
	})
}

func TestLimits(t *testing.T) {
	small := limits{line: 1 << 10, body: 1 << 20, errorTime: time.Second}
	for _, c := range []struct {
		name, head, body string
		want             error
	}{
		{"long line", "Content-Type: text/event-stream", strings.Repeat("x", 8<<10), ErrLineTooLong},
		{"long line, no type", "X-A: b", strings.Repeat("x", 8<<10), ErrLineTooLong},
		{"long line, binary", "Content-Type: application/octet-stream", strings.Repeat("x", 8<<10), nil},
		{"many lines", "Content-Type: text/event-stream", strings.Repeat(strings.Repeat("x", 500)+"\n", 1000), nil},
		{"large", "Content-Type: text/event-stream", strings.Repeat("\n", 2<<20), ErrBodyTooLarge},
		{"bomb", "Content-Encoding: gzip\r\nContent-Type: application/octet-stream", zip(t, 8<<20), ErrBodyTooLarge},
		{"bomb, one line", "Content-Encoding: gzip", zip(t, 8<<20), ErrLineTooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTransport(t, Options{})
			tr.limits = small
			_, err := get(tr, request(t, t.Context(), answer(t, c.head, c.body)))
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			var e *providers.Error
			if c.want != nil && (!errors.As(err, &e) || e.Kind != providers.ErrorProtocol) {
				t.Errorf("got %v, want a protocol error", err)
			}
		})
	}
}

func TestDefaultLimits(t *testing.T) {
	l := New(Options{}).limits
	want(t, "line", l.line, 16<<20)
	want(t, "body", l.body, 128<<20)
}

func TestCompression(t *testing.T) {
	t.Run("gzip", func(t *testing.T) {
		body, err := get(newTransport(t, Options{}), request(t, t.Context(), answer(t, "Content-Encoding: gzip", zip(t, 1000))))
		if err != nil || body != strings.Repeat("0", 1000) {
			t.Errorf("got %d bytes, %v", len(body), err)
		}
	})
	for _, c := range []struct {
		name, encoding, body string
		kind                 providers.ErrorKind
	}{
		{"another", "br", "x", providers.ErrorProtocol},
		{"not gzip at all", "gzip", "data: this is plain text", providers.ErrorProtocol},
		{"cut off", "gzip", zip(t, 100000)[:60], providers.ErrorBroken},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := fail(t, newTransport(t, Options{}), request(t, t.Context(), answer(t, "Content-Encoding: "+c.encoding, c.body)))
			want(t, "kind", e.Kind, c.kind)
		})
	}
}

func TestFetch(t *testing.T) {
	url := answer(t, "X-A: b", "0123456789")
	data, err := newTransport(t, Options{}).Fetch(request(t, t.Context(), url), 10)
	if err != nil || string(data) != "0123456789" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := newTransport(t, Options{}).Fetch(request(t, t.Context(), url), 9); !errors.Is(err, ErrBodyTooLarge) {
		t.Errorf("got %v, want %v", err, ErrBodyTooLarge)
	}
}
