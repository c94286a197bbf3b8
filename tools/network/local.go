package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// localhost is the one name of this machine, as its own programs reach it.
const localhost = "localhost"

// oneName is a name, or localhost for another name of this machine.
func oneName(n Name) Name {
	if n.addr == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || n.addr == netip.IPv6Loopback() {
		return Name{text: localhost}
	}
	return n
}

// AtPort takes over a listener at which processes find what listens outside at a port of
// this machine, as Serve does. Its connections are those of the process that makes them,
// which is asked about by the name localhost and the port; they are reset when that may not
// connect there or is not known.
func (p *Proxy) AtPort(l net.Listener, port int) {
	p.listen(l, func(c *conn) {
		defer c.Close()
		if !p.pass(c, port) {
			reset(c.Conn)
		}
	})
}

// pass connects a process to a port of this machine. It reports whether it could.
func (p *Proxy) pass(c *conn, port int) bool {
	client := p.ownerOf(c.Conn)
	if client == nil || !p.bind(c, client) {
		return false
	}
	to := target{localhost, port}
	ctx, early := untilGone(client.ctx, c)
	up, err := net.Conn(nil), client.note(to, client.answer(ctx, to))
	if err == nil {
		up, err = dialSelf(ctx, port)
	}
	sent := early()
	if err != nil {
		return false
	}
	defer up.Close()
	p.tunnel(c, up, sent)
	return true
}

// reset closes a connection so that the other end sees an error.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // or it ends like any other
	}
	c.Close()
}

// dialSelf connects to a port of this machine.
func dialSelf(ctx context.Context, port int) (net.Conn, error) {
	dialer := net.Dialer{Timeout: DefaultConnectTimeout}
	var failed []error
	for _, host := range []string{"127.0.0.1", "::1"} {
		c, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return c, nil
		}
		failed = append(failed, err)
	}
	return nil, fmt.Errorf("connect to port %d of this machine: %w", port, errors.Join(failed...))
}
