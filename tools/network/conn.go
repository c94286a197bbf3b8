package network

import (
	"net"
	"slices"
	"sync"
	"time"
)

// conn is a connection of a process. The proxy keeps it until it is closed: among
// those that have not said whose they are, or with the process.
type conn struct {
	net.Conn
	p     *Proxy
	since time.Time
	head  []byte  // read already
	owner *client // guarded by p.mu
	once  sync.Once
}

type connKey struct{} // finds the *conn of a request

func (c *conn) Read(b []byte) (int, error) {
	if len(c.head) > 0 {
		n := copy(b, c.head)
		c.head = c.head[n:]
		return n, nil
	}
	return c.Conn.Read(b)
}

func (c *conn) Close() error {
	err := net.ErrClosed
	c.once.Do(func() {
		c.p.forget(c)
		err = c.Conn.Close()
	})
	return err
}

// admit takes a connection in. Where too many have not said yet whose they are, the
// one that has waited longest goes, after it had time for that: who floods the proxy
// drives out its own.
func (p *Proxy) admit(raw net.Conn, serve func(*conn)) {
	p.makeRoom()
	c := &conn{Conn: raw, p: p, since: time.Now()}
	p.mu.Lock()
	if p.isClosed() {
		p.mu.Unlock()
		raw.Close()
		return
	}
	p.fresh = append(p.fresh, c)
	p.work.Add(1)
	p.mu.Unlock()
	go func() {
		defer p.work.Done()
		serve(c)
	}()
}

// makeRoom waits until there may be one more connection that belongs to no process.
func (p *Proxy) makeRoom() {
	p.mu.Lock()
	if len(p.fresh) < maxFresh {
		p.mu.Unlock()
		return
	}
	oldest := p.fresh[0]
	p.mu.Unlock()
	select {
	case <-time.After(time.Until(oldest.since.Add(freshWithin))):
	case <-p.closed:
	}
	p.mu.Lock()
	full := len(p.fresh) >= maxFresh && p.fresh[0] == oldest
	p.mu.Unlock()
	if full {
		oldest.Close()
	}
}

// greet finds out what a connection speaks.
func (p *Proxy) greet(c *conn) {
	first := make([]byte, 1)
	_ = c.SetReadDeadline(time.Now().Add(p.limits.hello)) // fails with the connection
	if _, err := c.Conn.Read(first); err != nil {
		c.Close()
		return
	}
	c.head = first
	if first[0] == socksVersion {
		p.serveSOCKS(c)
		return
	}
	select {
	case p.take <- c:
	case <-p.closed:
		c.Close()
	}
}

// bind makes a connection that of a process. It reports whether the process may
// have one more, and fails for a connection that belongs to another.
func (p *Proxy) bind(c *conn, to *client) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.owner != nil || p.clients[to.user] != to {
		return c.owner == to
	}
	if len(to.conns) >= MaxConnections {
		return false
	}
	p.fresh = slices.DeleteFunc(p.fresh, func(o *conn) bool { return o == c })
	c.owner = to
	to.conns[c] = struct{}{}
	return true
}

func (p *Proxy) forget(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.owner != nil {
		delete(c.owner.conns, c)
		return
	}
	p.fresh = slices.DeleteFunc(p.fresh, func(o *conn) bool { return o == c })
}

// handover is the listener that gives net/http the connections which speak it.
type handover struct{ p *Proxy }

func (h handover) Accept() (net.Conn, error) {
	select {
	case c := <-h.p.take:
		return c, nil
	case <-h.p.closed:
		return nil, net.ErrClosed
	}
}

func (h handover) Close() error   { return nil }
func (h handover) Addr() net.Addr { return &net.TCPAddr{} }
