package network

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// SOCKS, version 5 (RFC 1928), with user name and password (RFC 1929).
const (
	socksVersion = 5

	socksByPassword = 2
	socksNoMethod   = 0xff
	socksConnect    = 1

	socksIPv4   = 1
	socksDomain = 3
	socksIPv6   = 4

	socksDone        = 0
	socksFailed      = 1
	socksNotAllowed  = 2
	socksUnreachable = 4
	socksConnRefused = 5
	socksNoCommand   = 7
	socksNoAddress   = 8
)

var errSOCKS = errors.New("this is not SOCKS")

// serveSOCKS serves a connection until it ends. It closes it.
func (p *Proxy) serveSOCKS(c *conn) {
	defer c.Close()
	client, err := p.socksClient(c)
	if err != nil {
		return
	}
	address, answer, err := socksRequest(c)
	if err != nil {
		if answer != 0 {
			_ = socksReply(c, answer) // or the process has gone
		}
		return
	}
	_ = c.SetDeadline(time.Time{}) // fails with the connection
	ctx, early := untilGone(client.ctx, c)
	upstream, err := p.open(ctx, client, address)
	sent := early()
	if err != nil {
		_ = socksReply(c, socksAnswer(err)) // or the process has gone
		return
	}
	defer upstream.Close()
	if socksReply(c, socksDone) == nil {
		p.tunnel(c, upstream, sent)
	}
}

// socksClient reads the greeting and the credentials.
func (p *Proxy) socksClient(c *conn) (*client, error) {
	methods, err := socksField(c, 1)
	if err != nil {
		return nil, err
	}
	method := byte(socksNoMethod)
	for _, m := range methods {
		if m == socksByPassword {
			method = m
		}
	}
	if _, err = c.Write([]byte{socksVersion, method}); err == nil && method == socksNoMethod {
		err = errSOCKS
	}
	if err != nil {
		return nil, err
	}
	user, err := socksField(c, 1)
	if err != nil {
		return nil, err
	}
	password, err := socksField(c, 0)
	if err != nil {
		return nil, err
	}
	client := p.clientOf(c, string(user), string(password))
	if client == nil || !p.bind(c, client) {
		_, _ = c.Write([]byte{1, 1}) // or the process has gone
		return nil, errSOCKS
	}
	_, err = c.Write([]byte{1, 0})
	return client, err
}

// socksField reads a field behind its length, having read as many bytes before that.
func socksField(r io.Reader, before int) ([]byte, error) {
	head := make([]byte, before+1)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	field := make([]byte, head[before])
	_, err := io.ReadFull(r, field)
	return field, err
}

// socksRequest reads what is asked for; with an error, answer says what to reply,
// unless it is 0.
func socksRequest(r io.Reader) (address string, answer byte, err error) {
	head := make([]byte, 4)
	if _, err = io.ReadFull(r, head); err != nil {
		return "", 0, err
	}
	var host string
	switch head[3] {
	case socksDomain:
		name, err := socksField(r, 0)
		if err != nil {
			return "", 0, err
		}
		host = string(name)
	case socksIPv4, socksIPv6:
		raw := make([]byte, 4*int(head[3])) // 4 and 16
		if _, err = io.ReadFull(r, raw); err != nil {
			return "", 0, err
		}
		addr, _ := netip.AddrFromSlice(raw) // it has the right length
		host = addr.String()
	default:
		return "", socksNoAddress, errSOCKS
	}
	port := make([]byte, 2)
	if _, err = io.ReadFull(r, port); err != nil {
		return "", 0, err
	}
	if head[0] != socksVersion || head[1] != socksConnect {
		return "", socksNoCommand, errSOCKS
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port[0])<<8|int(port[1]))), 0, nil
}

// socksReply answers a request; the address in it means nothing.
func socksReply(w io.Writer, answer byte) error {
	_, err := w.Write([]byte{socksVersion, answer, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
	return err
}

func socksAnswer(err error) byte {
	_, dns := errors.AsType[*net.DNSError](err)
	switch {
	case isRefusal(err):
		return socksNotAllowed
	case errors.Is(err, syscall.ECONNREFUSED):
		return socksConnRefused
	case dns:
		return socksUnreachable
	}
	return socksFailed
}

// untilGone gives a context that ends when the process closes its connection. early
// ends that, and gives what the process has sent meanwhile.
func untilGone(parent context.Context, c net.Conn) (ctx context.Context, early func() []byte) {
	ctx, cancel := context.WithCancelCause(parent)
	sent := make(chan []byte, 1)
	go func() {
		first := make([]byte, 1)
		n, err := c.Read(first)
		if err != nil {
			cancel(err)
		}
		sent <- first[:n]
	}()
	return ctx, func() []byte {
		_ = c.SetReadDeadline(time.Unix(1, 0)) // fails with the connection
		defer cancel(nil)
		first := <-sent
		_ = c.SetReadDeadline(time.Time{}) // as above
		return first
	}
}
