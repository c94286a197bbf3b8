package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// serveHTTP answers a request that a process sends to its proxy: one for a tunnel,
// or one to be sent on.
func (p *Proxy) serveHTTP(w http.ResponseWriter, r *http.Request) {
	c, ok := r.Context().Value(connKey{}).(*conn)
	if !ok || !p.enter() {
		panic(http.ErrAbortHandler)
	}
	defer p.work.Done()
	user, password := proxyAuth(r)
	client := p.clientOf(c, user, password)
	if client == nil {
		w.Header().Set("Proxy-Authenticate", `Basic realm="confined commands"`)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusProxyAuthRequired)
		_, _ = io.WriteString(w, "The proxy takes only the credentials that this very command finds in HTTP_PROXY.\n")
		return
	}
	if !p.bind(c, client) {
		refuse(w, r, &statusError{http.StatusServiceUnavailable, fmt.Errorf("a command may have %d connections open", MaxConnections)})
		return
	}
	if r.Method == http.MethodConnect {
		p.connect(w, r, client)
	} else {
		p.forward(w, r, client)
	}
}

// proxyAuth gives the credentials of a request.
func proxyAuth(r *http.Request) (user, password string) {
	user, password, _ = (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
	return user, password
}

// connect opens a tunnel.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request, c *client) {
	upstream, err := p.open(r.Context(), c, r.RequestURI)
	if err != nil {
		refuse(w, r, err)
		return
	}
	defer upstream.Close()
	down, buffered, err := hijack(w)
	if err != nil {
		return
	}
	defer down.Close()
	if _, err := io.WriteString(down, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
		p.tunnel(down, upstream, buffered)
	}
}

// open connects a process to HOST:PORT when it may.
func (p *Proxy) open(ctx context.Context, c *client, address string) (net.Conn, error) {
	name, port, err := splitAddress(address)
	if err != nil {
		return nil, &statusError{http.StatusBadRequest, err}
	}
	if err := c.allow(ctx, name, port); err != nil {
		return nil, err
	}
	upstream, err := p.dialer.open(ctx, name, port)
	return upstream, c.note(target{name.text, port}, err)
}

// forward sends a request on, and what is answered back.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, c *client) {
	name, port, err := destination(r.URL)
	if err == nil {
		err = c.allow(r.Context(), name, port)
	}
	if err != nil {
		refuse(w, r, err)
		return
	}
	host := bracketed(name)
	if port != 80 {
		host = net.JoinHostPort(name.text, strconv.Itoa(port))
	}
	reverse := httputil.ReverseProxy{
		Transport: p.routes, FlushInterval: -1, ErrorLog: p.http.ErrorLog,
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.URL.Host, pr.Out.Host = host, host // whatever the request's own header says
			pr.Out.URL.RawQuery = pr.In.URL.RawQuery
			if user := pr.In.URL.User; user != nil && pr.In.Header.Get("Authorization") == "" {
				password, _ := user.Password() // none is the empty one
				pr.Out.SetBasicAuth(user.Username(), password)
			}
			for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
				if values, ok := pr.In.Header[name]; ok {
					pr.Out.Header[name] = values
				}
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { // the request it gives is the one sent on
			refuse(w, r, c.note(target{name.text, port}, err))
		},
	}
	_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1 can
	reverse.ServeHTTP(w, r)
}

// destination is where a request is to be sent.
func destination(u *url.URL) (Name, int, error) {
	if u.Scheme != "http" || u.Host == "" {
		return Name{}, 0, &statusError{http.StatusBadRequest, errors.New("this is a proxy: it sends on requests for http addresses and opens tunnels for all others")}
	}
	address := u.Host
	if u.Port() == "" {
		address = strings.TrimSuffix(address, ":") + ":80"
	}
	name, port, err := splitAddress(address)
	if err != nil {
		err = &statusError{http.StatusBadRequest, err}
	}
	return name, port, err
}

func bracketed(name Name) string {
	if strings.Contains(name.text, ":") {
		return "[" + name.text + "]"
	}
	return name.text
}

func hijack(w http.ResponseWriter) (net.Conn, []byte, error) {
	down, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	buffered, _ := rw.Reader.Peek(rw.Reader.Buffered()) // as much as there is
	return down, buffered, nil
}

// statusError is an error with its HTTP status.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// classify gives the status for an error and its type in RFC 9209.
func classify(err error) (status int, kind string) {
	if own, ok := errors.AsType[*statusError](err); ok {
		return own.status, "http_protocol_error"
	}
	if _, ok := errors.AsType[*ForbiddenError](err); ok {
		return http.StatusForbidden, "destination_ip_prohibited"
	}
	if _, ok := errors.AsType[*deniedError](err); ok {
		return http.StatusForbidden, "http_request_denied"
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && !dns.IsTimeout {
		return http.StatusBadGateway, "dns_error"
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusGatewayTimeout, "connection_timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return http.StatusBadGateway, "connection_refused"
	}
	return http.StatusBadGateway, "destination_unavailable"
}

// refuse answers with an error. It stands in Proxy-Status (RFC 9209), in the body and
// where possible in the status line, since programs show one or the other.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, kind := classify(err)
	body, line := err.Error()+"\n", printable(err.Error())
	if r.ContentLength != 0 { // what is sent has to be taken, which net/http does
		w.Header().Set("Proxy-Status", fmt.Sprintf("proxy; error=%s; details=%q", kind, line))
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // or the process has gone
		return
	}
	down, _, herr := hijack(w)
	if herr != nil {
		panic(http.ErrAbortHandler)
	}
	defer down.Close()
	_ = down.SetDeadline(time.Now().Add(time.Second)) // fails with the connection
	_, werr := fmt.Fprintf(down, "HTTP/1.1 %d %s\r\nProxy-Status: proxy; error=%s; details=%q\r\n"+
		"Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, line, kind, line, len(body), body)
	if c, ok := down.(*conn); ok && werr == nil && closeWrite(c.Conn) {
		_, _ = io.CopyN(io.Discard, down, 256<<10) // so that the answer is read before a reset comes
	}
}

// printable is a text for one line of ASCII, of at most 300 bytes.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '"', r == '\\':
			return '\''
		case r < ' ', r > '~':
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), 300)]
}
