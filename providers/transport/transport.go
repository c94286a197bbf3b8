// Package transport is the HTTP layer below every protocol package.
//
// Guarantees:
//
//   - Whatever goes wrong comes back as a [*providers.Error] that says where it
//     went wrong, or as the cause of the context when that has ended.
//   - A status that is not success is an error, with at most 64 KB of its body.
//   - No credential of a request appears in an error. A request goes to the server
//     that was asked and to no other, wherever it redirects to.
//   - A response that delivers no byte for [Options.ReadTimeout] fails; time
//     during which no one reads does not count.
//   - What a server can make us hold is bounded: [MaxLine] and [MaxBody], both
//     counted after decompression.
//   - Nothing is read from the environment of the process except what Options
//     hands in; the certificate store is the system's unless Options names one.
package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"
)

// Defaults and limits.
const (
	// DefaultConnectTimeout bounds name lookup and connecting, and once more the
	// TLS handshake.
	DefaultConnectTimeout = 30 * time.Second
	// DefaultReadTimeout is how long a server may be silent.
	DefaultReadTimeout = 120 * time.Second
	// MaxLine bounds one line of a textual response, in bytes.
	MaxLine = 16 << 20
	// MaxBody bounds a response as a whole, in bytes.
	MaxBody = 128 << 20

	maxErrorBody = 64 << 10
	maxRedirects = 5
)

// limits are what one response may take.
type limits struct {
	line, body int64         // bytes
	errorTime  time.Duration // for the body of an error to arrive
}

// Options configure a [Transport]. The zero value works.
type Options struct {
	// Version is this program's, for the User-Agent header.
	Version string
	// Headers are the user's own. They win over what a protocol package or a
	// call sets.
	Headers map[string]string
	// Env looks up environment variables for the proxy settings HTTP_PROXY,
	// HTTPS_PROXY, ALL_PROXY and NO_PROXY, in upper or lower case. Nil means
	// that there are none.
	Env func(key string) string
	// ConnectTimeout is [DefaultConnectTimeout] if 0.
	ConnectTimeout time.Duration
	// ReadTimeout is, if 0, [DefaultReadTimeout] for servers elsewhere and no
	// limit for local ones (see [IsLocal]), which may load a model first. A
	// positive value holds for every server, a negative one is no limit.
	ReadTimeout time.Duration
	// Answered hears of every answer that is a success and tells of allowances. host is
	// the one that was asked, with its port. It must be quick; nil hears nothing.
	Answered func(host string, list []Quota)
	// RootCAs are the authorities to trust, nil for those of the system.
	RootCAs *x509.CertPool
	// Resolver looks up names, nil for the default one.
	Resolver *net.Resolver
	// Now is the clock that dates in Retry-After are compared with, nil for the
	// real one.
	Now func() time.Time
}

// Transport sends requests. It is safe for concurrent use and keeps connections
// for reuse until [Transport.CloseIdle].
type Transport struct {
	agent       string
	headers     map[string]string
	readTimeout time.Duration
	answered    func(host string, list []Quota)
	connectTime time.Duration
	now         func() time.Time
	proxied     func(*http.Request) bool // for messages
	limits      limits
	base        *http.Transport
	client      *http.Client
}

// New makes a transport.
func New(o Options) *Transport {
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = DefaultConnectTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	version := o.Version
	if version == "" {
		version = "dev"
	}
	dialer := &net.Dialer{Timeout: o.ConnectTimeout, KeepAliveConfig: alive(), Control: unanswered, Resolver: o.Resolver}
	proxy := ProxyFrom(o.Env)
	base := &http.Transport{
		Proxy:                  proxy,
		OnProxyConnectResponse: checkProxyAnswer,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    o.ConnectTimeout,
		MaxIdleConnsPerHost:    8, // agents that work side by side ask the same host
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true, // we decompress ourselves, within limits
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	return &Transport{
		agent:       "hermes-tui/" + version,
		headers:     maps.Clone(o.Headers),
		readTimeout: o.ReadTimeout,
		answered:    o.Answered,
		connectTime: o.ConnectTimeout,
		now:         o.Now,
		proxied:     isProxied(proxy),
		limits:      limits{line: MaxLine, body: MaxBody, errorTime: 5 * time.Second},
		base:        base,
		client:      &http.Client{Transport: base, CheckRedirect: checkRedirect},
	}
}

// alive has a connection over which nothing comes any more noticed within 45 seconds, as
// the pings of HTTP/2 do.
func alive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 10 * time.Second, Count: 3}
}

// CloseIdle closes the connections that no request is using.
func (t *Transport) CloseIdle() { t.base.CloseIdleConnections() }

// Do sends a request and returns when the headers of a successful response are
// in. The caller closes the body. Every error is a [*providers.Error] or, when
// the context of the request has ended, the context's cause; the same holds for
// errors from reading the body. What [WithCall] put into the context is applied.
func (t *Transport) Do(req *http.Request) (*http.Response, error) {
	parent := req.Context()
	ctx, cancel := context.WithCancelCause(parent)
	x := &exchange{
		t: t, parent: parent, ctx: ctx, cancel: cancel, asked: req.URL,
		watch: newWatchdog(t.silence(req.URL.Hostname()), cancel),
	}
	resp, err := x.send(req)
	if err != nil {
		x.stop()
		return nil, err
	}
	return resp, nil
}

// silence is how long a host may say nothing, 0 for as long as it likes.
func (t *Transport) silence(host string) time.Duration {
	switch {
	case t.readTimeout < 0, t.readTimeout == 0 && IsLocal(host):
		return 0
	case t.readTimeout == 0:
		return DefaultReadTimeout
	}
	return t.readTimeout
}

// send makes the request and judges the response's status.
func (x *exchange) send(req *http.Request) (*http.Response, error) {
	var err error
	x.sent, err = x.t.prepare(req.Clone(httptrace.WithClientTrace(x.ctx, x.trace())), x.watch)
	if err != nil {
		return nil, x.failure(err)
	}
	resp, err := x.t.client.Do(x.sent) // closed by the caller, through our own body
	x.watch.disarm()
	if err != nil {
		return nil, x.sendError(err)
	}
	if err := x.attach(resp); err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return nil, x.statusError(resp)
	}
	if x.t.answered != nil {
		if list := Quotas(resp.Header, x.t.now()); len(list) > 0 {
			x.t.answered(x.asked.Host, list)
		}
	}
	return resp, nil
}
