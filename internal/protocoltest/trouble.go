package protocoltest

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// wait gives something that must happen the time to do so.
func wait(t *testing.T, done <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(liveness):
		t.Error(otherwise)
	}
}

// incomplete cuts an answer at every place: at the end of each step and in the
// middle of it, cleanly and not. It is never complete.
func (s suite) incomplete(t *testing.T) {
	steps, _ := twoCalls()
	whole := append(append([]Step{reason("r"), text("first")}, steps...), count(figures), finish(providers.FinishToolCalls))
	parts := s.p.Encode(whole)
	ends := map[string]func(c *conn){
		"clean":  func(c *conn) { c.end() },
		"broken": func(*conn) {},
		"reset":  func(c *conn) { c.reset() },
	}
	var sent []byte
	for i, part := range parts {
		cuts := map[string][]byte{"before": sent}
		if len(part) > 1 {
			cuts["within"] = append(append([]byte(nil), sent...), part[:len(part)/2]...)
		}
		for where, body := range cuts {
			for how, end := range ends {
				t.Run(fmt.Sprintf("%s step %d %s", where, i, how), func(t *testing.T) {
					s.cut(t, body, end)
				})
			}
		}
		sent = append(sent, part...)
	}
}

// cut serves a part of an answer.
func (s suite) cut(t *testing.T, body []byte, end func(c *conn)) {
	t.Helper()
	srv := serve(t, func(c *conn) { c.begin(s.p.ContentType); c.send(body); end(c) })
	a, err := ask(t, s.p.New(t, srv.url), hello())
	if err == nil {
		t.Fatalf("a part of an answer counts as complete: %+v", a)
	}
	if a.finish != providers.FinishNone {
		t.Errorf("a part of an answer finishes with %s", a.finish)
	}
	_ = failed(t, err, providers.ErrorBroken)
}

// failures are errors in the middle of a stream, and events that make no sense.
func (s suite) failures(t *testing.T) {
	t.Run("error event", func(t *testing.T) {
		a, err := s.get(t, text("a"), failure("overloaded_error", "we are too busy, "+Key), text("b"), finish(providers.FinishStop))
		e := failed(t, err, providers.ErrorStream)
		same(t, "text", a.text, "a")
		if !strings.Contains(e.Message, "we are too busy") || e.Type == "" && e.Code == "" {
			t.Errorf("got type %q, code %q, message %q", e.Type, e.Code, e.Message)
		}
	})
	t.Run("error event first", func(t *testing.T) {
		_, err := s.get(t, failure("overloaded_error", "not now"))
		if e := failed(t, err, providers.ErrorStream); !strings.Contains(e.Message, "not now") {
			t.Errorf("got %q", e.Message)
		}
	})
	t.Run("junk", func(t *testing.T) {
		a, err := s.get(t, text("a"), plain(Junk), text("b"), finish(providers.FinishStop))
		_ = failed(t, err, providers.ErrorProtocol)
		same(t, "text", a.text, "a")
	})
}

// strangers are servers that speak something else.
func (s suite) strangers(t *testing.T) {
	for _, c := range []struct{ name, kind, body string }{
		{"page", "text/html", "<!doctype html><title>Welcome</title>" + strings.Repeat("<p>hello</p>\n", 50)},
		{"page called a stream", "", "<!doctype html><title>Welcome</title>" + strings.Repeat("<p>hello</p>\n", 50)},
		{"other JSON", "application/json", `{"status":"ok","key":"` + Key + `"}`},
		{"other JSON called a stream", "", `{"status":"ok","key":"` + Key + `"}`},
		{"text", "text/plain", "It works!\n"},
		{"bytes", "application/octet-stream", string([]byte{0, 1, 2, 255, 254, '\n', 0, 0, 0, 16, 0, 0, 0, 0})},
		{"bytes called a stream", "", strings.Repeat("\x00\x01\xff\n", 40)},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.kind == "" {
				c.kind = s.p.ContentType
			}
			srv := serve(t, func(conn *conn) { conn.begin(c.kind); conn.send([]byte(c.body)); conn.end() })
			a, err := ask(t, s.p.New(t, srv.url), hello())
			_ = failed(t, err, providers.ErrorProtocol, providers.ErrorBroken)
			same(t, "text", a.text, "")
		})
	}
}

// statuses are responses that are no success. Each request is made once: trying
// again is decided elsewhere.
func (s suite) statuses(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 413, 429, 500, 503, 529} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			headers, body := s.p.ErrorBody(status, "some_error", "it went wrong with "+Key)
			srv := serve(t, func(c *conn) {
				head := fmt.Sprintf("HTTP/1.1 %d Oh\r\nRetry-After: 7\r\nConnection: close\r\nContent-Length: %d\r\n", status, len(body))
				for k, v := range headers {
					head += k + ": " + v + "\r\n"
				}
				c.raw(head + "\r\n" + body)
			})
			_, err := ask(t, s.p.New(t, srv.url), hello())
			e := failed(t, err, providers.ErrorStatus)
			same(t, "status", e.Status, status)
			same(t, "wait", e.RetryAfter, 7*time.Second)
			if !strings.Contains(e.Message, "it went wrong") || e.Type == "" && e.Code == "" || len(e.Body) == 0 || e.Header.Get("Retry-After") != "7" {
				t.Errorf("got type %q, code %q, message %q, body %q, header %v", e.Type, e.Code, e.Message, e.Body, e.Header)
			}
			same(t, "requests", len(srv.all()), 1)
		})
	}
	t.Run("a page", func(t *testing.T) {
		srv := serve(t, func(c *conn) {
			c.raw("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><title>502 Bad Gateway</title></html>")
		})
		_, err := ask(t, s.p.New(t, srv.url), hello())
		if e := failed(t, err, providers.ErrorStatus); e.Status != 502 || !strings.Contains(e.Message, "502 Bad Gateway") {
			t.Errorf("got %+v", e)
		}
		same(t, "requests", len(srv.all()), 1)
	})
}

// redirects keep a request on the server that was asked: another one gets neither
// conversation nor key. On the same one they are followed.
func (s suite) redirects(t *testing.T) {
	to := func(t *testing.T, status int, address func() string) *server {
		return serve(t, func(c *conn) {
			c.raw(fmt.Sprintf("HTTP/1.1 %d Moved\r\nLocation: %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", status, address()))
		})
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			other := s.streams(t, s.body(text("a"), finish(providers.FinishStop)))
			srv := to(t, status, func() string { return other.url + "/v1" })
			_, err := ask(t, s.p.New(t, srv.url), hello())
			e := failed(t, err, providers.ErrorProtocol)
			here, there := strings.TrimPrefix(srv.url, "http://"), strings.TrimPrefix(other.url, "http://")
			if !strings.Contains(e.Message, here) || !strings.Contains(e.Message, there) || !strings.Contains(e.Message, "base_url") || strings.Contains(err.Error(), Key) {
				t.Errorf("got %v", err)
			}
			same(t, "requests", len(srv.all()), 1)
			same(t, "requests to the other server", len(other.all()), 0)
		})
	}
	t.Run("same server", func(t *testing.T) {
		srv := serve(t, func(c *conn) {
			if !strings.Contains(c.asked.path, "moved") {
				c.raw("HTTP/1.1 307 Moved\r\nLocation: /moved\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				return
			}
			c.begin(s.p.ContentType)
			c.send(s.body(text("a"), finish(providers.FinishStop)))
			c.end()
		})
		a, err := ask(t, s.p.New(t, srv.url), hello())
		if err != nil {
			t.Fatal(err)
		}
		same(t, "text", a.text, "a")
		same(t, "body", srv.last().body, srv.all()[0].body)
	})
}

// unreachable are servers that are not there, or are gone before they answer.
func (s suite) unreachable(t *testing.T) {
	t.Run("nobody", func(t *testing.T) {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		_, err = ask(t, s.p.New(t, "http://"+l.Addr().String()), hello())
		if e := failed(t, err, providers.ErrorConnect); !strings.Contains(e.Message, "connection refused by "+l.Addr().String()) {
			t.Errorf("got %q", e.Message)
		}
	})
	t.Run("gone", func(t *testing.T) {
		srv := serve(t, func(c *conn) { c.reset() })
		_, err := ask(t, s.p.New(t, srv.url), hello())
		_ = failed(t, err, providers.ErrorBroken)
		same(t, "requests", len(srv.all()), 1)
	})
}

// errStop is the cause that cancelling gives.
var errStop = errors.New("the user said stop")
