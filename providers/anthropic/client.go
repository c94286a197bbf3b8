package anthropic

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// ID names the protocol.
const ID providers.Protocol = "anthropic"

// Protocol registers the protocol.
func Protocol() transport.Protocol {
	return transport.Protocol{
		ID: ID, List: ID,
		New:  func(s transport.Service) (providers.Client, error) { return New(Config{Service: s}) },
		Kept: func(_ providers.Client, _ string, marks time.Duration) time.Duration { return marks },
	}
}

// Config describes one endpoint. /v1/messages lies below its BaseURL, of which a path
// that ends in /v1 is not given a second one; empty is [DefaultBaseURL]. Its query goes
// along with every request. The key may be the access token of a login. Answers are
// capped below ContextMax.
type Config struct {
	transport.Service
}

// DefaultBaseURL is the endpoint of Anthropic itself.
const DefaultBaseURL = "https://api.anthropic.com"

// version is the protocol's, sent with every request.
const version = "2023-06-01"

// Client speaks to one endpoint. It is safe for concurrent use.
type Client struct {
	config Config
	base   *url.URL // the address of the API's version, without query
	query  string
	host   host
}

var _ providers.Client = (*Client)(nil)

// New makes a client. It is an error if the base URL is no HTTP address or the
// key cannot be a header.
func New(c Config) (*Client, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(c.BaseURL) == "" {
		c.BaseURL = DefaultBaseURL
	}
	base, query, err := transport.ParseBase(c.BaseURL, DefaultBaseURL)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(base.Path, "/v1") {
		base = base.JoinPath("v1")
	}
	return &Client{config: c, base: base, query: query, host: hostOf(base)}, nil
}

// Stream implements [providers.Client]. It returns when the response headers of
// a successful answer are in. What [transport.WithCall] put into the context is
// applied last.
func (c *Client) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	body, keep, err := c.body(r)
	if err != nil {
		return nil, c.unbuilt(ctx, err)
	}
	req, err := c.request(ctx, http.MethodPost, "/messages", body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	c.setBetas(req.Header, r, keep.changes)
	c.setHeaders(req.Header)
	resp, err := c.config.Transport.Do(req) //nolint:bodyclose // the stream closes it
	if err != nil {
		return nil, err
	}
	return c.stream(ctx, r.Model, keep, resp), nil
}

// stream reads an answer.
func (c *Client) stream(ctx context.Context, model string, keep notes, resp *http.Response) *transport.Stream {
	return transport.NewStream(ctx, resp, transport.Answer{
		Protocol: "messages", Endpoint: transport.Endpoint(c.base) + "/messages",
		Events: transport.NewEvents(resp.Body), Decoder: &decoder{issuer: c.config.Provider, model: model, notes: keep},
	})
}

// request makes an HTTP request with its credential.
func (c *Client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, c.unbuilt(ctx, err)
	}
	req.URL.RawQuery = c.query
	req.Header.Set("anthropic-version", version)
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body, req.GetBody = http.NoBody, nil
	}
	if err := c.authorise(ctx, req.Header); err != nil {
		return nil, err
	}
	return req, nil
}

// setHeaders gives a request the endpoint's own headers, which win.
func (c *Client) setHeaders(h http.Header) {
	for k, v := range c.config.Headers {
		h.Set(k, v)
	}
}

// unbuilt is a request that could not be built.
func (c *Client) unbuilt(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &providers.Error{
		Kind: providers.ErrorRequest, Endpoint: transport.Endpoint(c.base) + "/messages", Message: err.Error(), Cause: err,
	}
}
