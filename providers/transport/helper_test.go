package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rawServer answers each connection with a script that writes bytes itself. The
// script's connection is closed when it returns or the test ends.
func rawServer(t *testing.T, script func(c net.Conn, req *http.Request)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		open []net.Conn
	)
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				req, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return // the client hung up, or never sent a request
				}
				if _, err := io.Copy(io.Discard, req.Body); err == nil {
					script(c, req)
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return "http://" + l.Addr().String()
}

// hang waits until the client goes away.
func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// write sends bytes; a client that is gone is no matter of the server.
func write(c net.Conn, parts ...string) {
	for _, p := range parts {
		_, _ = io.WriteString(c, p)
	}
}

// newTransport makes a transport that keeps no connection beyond the test.
func newTransport(t *testing.T, o Options) *Transport {
	t.Helper()
	tr := New(o)
	t.Cleanup(tr.CloseIdle)
	return tr
}

// request makes a POST with a small JSON body.
func request(t *testing.T, ctx context.Context, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"model":"m","n":12345678901234567890}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer sk-secret-0123456789")
	return req
}

// fail sends a request that must fail before or while its body is read.
func fail(t *testing.T, tr *Transport, req *http.Request) *providers.Error {
	t.Helper()
	_, err := get(tr, req)
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *providers.Error", err)
	}
	return e
}

// get sends a request and reads the whole body.
func get(tr *Transport, req *http.Request) (string, error) {
	resp, err := tr.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// want compares two figures.
func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

// wantIn checks that a text holds a part.
func wantIn(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q does not contain %q", text, part)
	}
}

// within fails the test when f takes longer than it may.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("it took longer than %s", limit)
	}
}
