package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// remote is the transport to a server that is elsewhere.
func (s *server) remote(long, ctx context.Context) (sdk.Transport, error) {
	client, login, err := s.o.HTTP(ctx, s.c)
	if err != nil {
		return nil, err
	}
	s.letGo() // of a try before
	s.mu.Lock()
	s.client = client
	sse := s.c.SSE || s.older
	s.mu.Unlock()
	client.Transport = &asking{s: s, to: client.Transport, headers: s.c.Headers, login: login, sse: sse}
	if sse {
		return lasting{&sdk.SSEClientTransport{Endpoint: s.c.URL, HTTPClient: client, MaxEventSize: maxFrame}, long}, nil
	}
	return &sdk.StreamableClientTransport{Endpoint: s.c.URL, HTTPClient: client, MaxEventSize: maxFrame, OAuthHandler: login}, nil
}

// lasting is a transport whose connections last longer than connecting does.
type lasting struct {
	sdk.Transport
	long context.Context //nolint:containedctx // of the connections
}

// Connect implements [sdk.Transport].
func (l lasting) Connect(ctx context.Context) (sdk.Connection, error) {
	inner, end := context.WithCancel(l.long)
	stop := context.AfterFunc(ctx, end)
	conn, err := l.Transport.Connect(inner)
	if err != nil {
		end()
		return nil, err
	}
	stop()
	return lastingConn{conn, end}, nil
}

type lastingConn struct {
	sdk.Connection
	end context.CancelFunc
}

// Close implements [sdk.Connection].
func (c lastingConn) Close() error {
	defer c.end()
	return c.Connection.Close()
}

// Login logs in at a server.
type Login = auth.OAuthHandler

// Client makes requests to a server.
type Client = http.Client

// HTTP gives the client for requests to a server, and what logs in there; nil for nothing.
type HTTP func(ctx context.Context, c Config) (client *Client, login Login, err error)

// asking adds the headers of an entry to requests, and knows the answer that a login is
// missing. The older transport leaves logging in to it.
type asking struct {
	s       *server
	to      http.RoundTripper
	headers map[string]string
	login   Login
	sse     bool
}

// RoundTrip implements [http.RoundTripper].
func (a *asking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range a.headers {
		r.Header.Set(name, value)
	}
	if a.login != nil && a.sse {
		if err := a.show(r); err != nil {
			return nil, err
		}
	}
	answer, err := a.to.RoundTrip(r)
	if err == nil {
		answer.Body = guarded(answer, callOf(r.Context()), a.s.breaks, a.s.skip)
	}
	if err == nil && r.Method == http.MethodPost && (answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusMethodNotAllowed) {
		a.s.mu.Lock()
		a.s.refuses = true
		a.s.mu.Unlock()
	}
	if err != nil || answer.StatusCode != http.StatusUnauthorized || a.login != nil && !a.sse {
		return answer, err
	}
	err = error(keyRefused{})
	if a.login != nil {
		if err = a.login.Authorize(r.Context(), r, answer); err == nil {
			err = errors.New("its login was renewed just now")
		}
	}
	_ = answer.Body.Close()
	return nil, err
}

// show adds the token of the login to a request.
func (a *asking) show(r *http.Request) error {
	source, err := a.login.TokenSource(r.Context())
	if err != nil {
		return err
	}
	token, err := source.Token()
	if err == nil && token != nil {
		token.SetAuthHeader(r)
	}
	return err
}

// CloseIdleConnections lets go of the connections: it is called when no request follows.
func (a *asking) CloseIdleConnections() {
	switch to := a.to.(type) {
	case io.Closer: // which knows all of them
		_ = to.Close()
	case interface{ CloseIdleConnections() }:
		to.CloseIdleConnections()
	}
}
