package protocoltest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"testing"
)

// asked is a request as a server saw it.
type asked struct {
	method string
	path   string // with query
	header http.Header
	body   string
	head   string // everything before the body, as it came
}

// server answers each connection with a script that writes bytes itself, and
// keeps every request.
type server struct {
	url string
	mu  sync.Mutex
	got []asked
}

// all gives the requests so far.
func (s *server) all() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]asked(nil), s.got...)
}

// last gives the newest request.
func (s *server) last() asked {
	all := s.all()
	if len(all) == 0 {
		return asked{}
	}
	return all[len(all)-1]
}

// serve starts a server. A script's connection is closed when it returns, and at
// the latest with the test.
func serve(t *testing.T, script func(c *conn)) *server {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{url: "http://" + l.Addr().String()}
	var (
		busy sync.WaitGroup
		open []net.Conn
	)
	busy.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			open = append(open, c)
			s.mu.Unlock()
			busy.Go(func() {
				defer c.Close()
				if r, ok := s.read(c); ok {
					script(&conn{Conn: c, asked: r})
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.mu.Lock()
		for _, c := range open {
			c.Close()
		}
		s.mu.Unlock()
		busy.Wait()
	})
	return s
}

// read takes a request; it is false when the client hung up.
func (s *server) read(c net.Conn) (asked, bool) {
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return asked{}, false
	}
	head, err := httputil.DumpRequest(req, false)
	if err != nil {
		return asked{}, false
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return asked{}, false
	}
	r := asked{method: req.Method, path: req.RequestURI, header: req.Header, body: string(body), head: string(head)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, r)
	return r, true
}

// conn is the connection of one request.
type conn struct {
	net.Conn
	asked asked
}

// begin sends the head of an answer whose length is not known before.
func (c *conn) begin(contentType string) {
	c.raw("HTTP/1.1 200 OK\r\nContent-Type: " + contentType + "\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
}

// raw sends bytes; a client that is gone is no matter of the server.
func (c *conn) raw(text string) { _, _ = io.WriteString(c.Conn, text) }

// send sends a part of an answer.
func (c *conn) send(part []byte) {
	if len(part) > 0 {
		c.raw(fmt.Sprintf("%x\r\n%s\r\n", len(part), part))
	}
}

// end ends an answer cleanly.
func (c *conn) end() { c.raw("0\r\n\r\n") }

// hang waits until the client goes away.
func (c *conn) hang() { _, _ = io.Copy(io.Discard, c.Conn) }

// reset breaks the connection off.
func (c *conn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the end is clean
	}
	c.Conn.Close()
}
