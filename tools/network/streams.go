package network

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// Streams makes requests whose answers may take as long as they like, to one service of
// the user's: hosts are judged as [Dialer.Client] does, and a redirect that leads to
// another host, or changes what is asked, is not followed. certificates say whom to trust,
// nil those that the system does. Its transport is an [io.Closer]: when the service is no
// longer wanted, that ends all connections.
func (d *Dialer) Streams(certificates *tls.Config) *http.Client {
	c := d.Client()
	c.Timeout = 0
	if t, ok := c.Transport.(*routes); ok {
		t.TLSClientConfig = certificates
		t.DisableKeepAlives = false
		t.ResponseHeaderTimeout = 0 // an answer may be begun when it is known
		l := &lines{routes: t, open: map[net.Conn]bool{}}
		t.DialContext = l.dialer(d)
		c.Transport = l
	}
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		from := via[len(via)-1]
		switch {
		case len(via) > maxHops:
			return fmt.Errorf("more than %d redirects", maxHops)
		case r.URL.Scheme != from.URL.Scheme || r.URL.Host != from.URL.Host:
			return fmt.Errorf("it leads to another host, %s", shownURL(r.URL))
		case r.Method != from.Method:
			return errors.New("its redirect changes what is asked")
		}
		return nil
	}
	return c
}

// lines is a transport that knows its connections. One that was dialled for a request which
// found another in the meantime would stay open otherwise.
type lines struct {
	*routes

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

// line is one of the connections.
type line struct {
	net.Conn
	of *lines
}

// Close implements [net.Conn].
func (c *line) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func (l *lines) dialer(d *Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &line{conn, l}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.closed {
			_ = conn.Close()
			return nil, net.ErrClosed
		}
		l.open[c] = true
		return c, nil
	}
}

// Close ends all connections, also those in use, and lets no others be made.
func (l *lines) Close() error {
	l.mu.Lock()
	l.closed = true
	open := l.open
	l.open = map[net.Conn]bool{}
	l.mu.Unlock()
	for c := range open {
		_ = c.Close()
	}
	l.CloseIdleConnections()
	return nil
}
