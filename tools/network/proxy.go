package network

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Limits of a proxy.
const (
	// MaxConnections are what one process may have open at a time, and as many again
	// to the servers that it talks to.
	MaxConnections = 128
	// MaxHosts are what one process may ask for in its life, each with its port.
	MaxHosts = 1024

	maxFresh  = 256      // connections that have not said yet whose they are
	maxAsked  = 4        // hosts that are decided about at a time, for one process
	maxHeader = 32 << 10 // bytes of a request's header

	freshWithin  = 250 * time.Millisecond // that a connection has for that at least
	helloWithin  = 10 * time.Second       // until a connection has said what it wants
	keptIdle     = 2 * time.Minute        // between two requests
	tunnelIdle   = 10 * time.Minute       // without a byte in a tunnel
	upstreamIdle = 30 * time.Second       // for a server's connection to be used again
	askedWithout = 30 * time.Second       // a question goes on although no connection waits for it
)

// Options configure a [Proxy].
type Options struct {
	// Dialer makes the connections; nil is one that reaches public hosts only.
	Dialer *Dialer
	// Owner finds the process that has the other end of a connection: what [Proxy.Env] was
	// called with for it, nil when it is not known. It must be safe for concurrent use.
	// With it, credentials serve only the process that they were made for.
	Owner func(net.Conn) any
}

// Proxy lets processes that have no network of their own connect to hosts, one by
// one, by name. It is safe for concurrent use.
type Proxy struct {
	dialer *Dialer
	owner  func(net.Conn) any
	http   *http.Server
	routes *routes
	limits limits
	work   sync.WaitGroup // what ends with Close
	closed chan struct{}
	take   chan net.Conn // connections that speak HTTP

	mu        sync.Mutex
	address   string // where processes reach it
	listeners map[net.Listener]struct{}
	clients   map[string]*client // by user name
	fresh     []*conn            // the oldest first
}

// limits are the times above, which tests shorten.
type limits struct{ hello, idle, asked time.Duration }

// NewProxy makes a proxy that serves nothing yet. The caller closes it.
func NewProxy(o Options) *Proxy {
	return newProxy(o, limits{hello: helloWithin, idle: tunnelIdle, asked: askedWithout})
}

func newProxy(o Options, l limits) *Proxy {
	if o.Dialer == nil {
		o.Dialer = &Dialer{}
	}
	p := &Proxy{
		dialer:    o.Dialer,
		owner:     o.Owner,
		limits:    l,
		closed:    make(chan struct{}),
		take:      make(chan net.Conn),
		listeners: map[net.Listener]struct{}{},
		clients:   map[string]*client{},
	}
	p.routes = p.dialer.routes(&http.Transport{
		DisableCompression: true, ExpectContinueTimeout: time.Second,
		MaxIdleConns: 32, MaxIdleConnsPerHost: 4, IdleConnTimeout: upstreamIdle, MaxResponseHeaderBytes: 256 << 10,
	})
	p.http = &http.Server{
		Handler: http.HandlerFunc(p.serveHTTP), DisableGeneralOptionsHandler: true, ErrorLog: log.New(io.Discard, "", 0),
		ReadHeaderTimeout: p.limits.hello, IdleTimeout: keptIdle, MaxHeaderBytes: maxHeader,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	p.work.Go(func() { _ = p.http.Serve(handover{p}) }) // ends with Close
	return p
}

// Serve takes over a listener, until that is closed or the proxy is; it does not
// block. It may be called for several: processes are told the address of the newest.
func (p *Proxy) Serve(l net.Listener) {
	if p.listen(l, p.greet) {
		p.mu.Lock()
		p.address = l.Addr().String()
		p.mu.Unlock()
	}
}

// listen serves what a listener accepts. It reports whether the proxy was open.
func (p *Proxy) listen(l net.Listener, serve func(*conn)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isClosed() {
		l.Close()
		return false
	}
	p.listeners[l] = struct{}{}
	p.work.Go(func() {
		p.accept(l, serve)
		l.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.listeners, l)
	})
	return true
}

// accept takes connections until the listener fails for good.
func (p *Proxy) accept(l net.Listener, serve func(*conn)) {
	for wait := time.Duration(0); ; {
		c, err := l.Accept()
		switch {
		case err == nil:
			wait = 0
			p.admit(c, serve)
			continue
		case errors.Is(err, net.ErrClosed), wait >= time.Second:
			return
		}
		wait = max(2*wait, 5*time.Millisecond) // out of descriptors, say
		select {
		case <-time.After(wait):
		case <-p.closed:
		}
	}
}

// Close ends all connections and waits until nothing is left of them.
func (p *Proxy) Close() {
	p.mu.Lock()
	if p.isClosed() {
		p.mu.Unlock()
		p.work.Wait()
		return
	}
	close(p.closed)
	for l := range p.listeners {
		l.Close()
	}
	fresh, clients := p.fresh, p.clients
	p.fresh, p.clients = nil, map[string]*client{}
	p.mu.Unlock()
	for _, c := range fresh {
		c.Close()
	}
	for _, c := range clients {
		c.end()
	}
	p.http.Close()
	p.work.Wait()
	p.routes.CloseIdleConnections()
}

// enter counts work that Close waits for; it reports whether there may be any more.
func (p *Proxy) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isClosed() {
		return false
	}
	p.work.Add(1)
	return true
}

func (p *Proxy) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// Env returns the variables with which a process, and what it starts, finds the proxy
// and says who it is; they end with done, and so do its connections. Before
// [Proxy.Serve] and after Close there are none. owner is what [Options.Owner] knows the
// process by.
//
// reach decides about each host and port once: every connection to it waits for
// that, and the answer holds for the life of the process. Its context ends with the
// process, and some time after the last connection that waited for it has gone, so
// that a program which tries again finds the question still there. The text of its
// error is told to the program. refused hears of every HOST:PORT that the process was
// not let connect to, once, before done returns; nil hears nothing.
func (p *Proxy) Env(owner any, reach func(ctx context.Context, host string, port int) error, refused func(address string)) (env []string, done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.address == "" || p.isClosed() {
		return nil, func() {}
	}
	c := newClient(p, owner, reach, refused)
	p.clients[c.user] = c
	return environ(&url.URL{Scheme: "http", User: url.UserPassword(c.user, c.password), Host: p.address}), func() {
		p.mu.Lock()
		delete(p.clients, c.user)
		p.mu.Unlock()
		c.end()
	}
}

// environ are the variables that programs look for. ALL_PROXY is the same proxy and
// not the one for SOCKS, which many HTTP libraries cannot speak and fail for.
func environ(proxy *url.URL) []string {
	address, local := proxy.String(), "localhost,127.0.0.1,::1"
	var env []string
	for _, name := range []string{
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
		"npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY", // these win over files of settings
		"CARGO_HTTP_PROXY",
	} {
		env = append(env, name+"="+address)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy", "npm_config_noproxy"} {
		env = append(env, name+"="+local)
	}
	env = append(env, "NODE_USE_ENV_PROXY=1") // fetch of Node.js
	return append(env, quietPrograms...)
}

// quietPrograms keep programs from reaching hosts for what no one has asked for, news of
// their versions and reports of their use, since the user would be asked about it.
var quietPrograms = []string{
	"npm_config_update_notifier=false", "NO_UPDATE_NOTIFIER=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "GH_NO_UPDATE_NOTIFIER=1",
	"YARN_ENABLE_TELEMETRY=0", "NEXT_TELEMETRY_DISABLED=1", "DOTNET_CLI_TELEMETRY_OPTOUT=1", "DO_NOT_TRACK=1",
}

// clientOf finds the process that credentials belong to; nil where another one is known
// to use them.
func (p *Proxy) clientOf(from *conn, user, password string) *client {
	p.mu.Lock()
	c, bound := p.clients[user], from.owner
	p.mu.Unlock()
	if c == nil || subtle.ConstantTimeCompare([]byte(c.password), []byte(password)) == 0 {
		return nil
	}
	if bound == nil {
		bound = p.ownerOf(from.Conn)
	}
	if bound != nil && bound != c {
		return nil
	}
	return c
}

// ownerOf finds the process that has the other end of a connection; nil where it is not
// known.
func (p *Proxy) ownerOf(c net.Conn) *client {
	if p.owner == nil {
		return nil
	}
	owner := p.owner(c)
	if owner == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.clients {
		if c.owner == owner {
			return c
		}
	}
	return nil
}

func newClient(p *Proxy, owner any, reach func(context.Context, string, int) error, refused func(string)) *client {
	c := &client{
		p: p, owner: owner, user: rand.Text()[:8], password: rand.Text(), reach: reach, refused: refused,
		asking: make(chan struct{}, maxAsked), hosts: map[target]*decision{}, told: map[target]bool{}, conns: map[*conn]struct{}{},
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}
