package anthropic

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// Config describes one endpoint.
type Config struct {
	// Provider names who answers. It is the issuer of native items.
	Provider string
	// BaseURL is the address below which /v1/messages lies; a path that ends in /v1
	// is not given a second one. Its query goes along with every request. Empty is
	// [DefaultBaseURL].
	BaseURL string
	// Key is an API key or the access token of a login; empty sends none.
	Key string
	// Token gives the access token of a login for each request, for logins that are
	// renewed. It is used instead of Key unless nil.
	Token func(ctx context.Context) (string, error)
	// Auth says how the credential is sent.
	Auth Auth
	// Headers are sent with every request.
	Headers map[string]string
	// Betas are sent besides those that the endpoint and the model need.
	Betas []string
	// ContextLength is the model's, in tokens; answers are capped below it. 0 is
	// unknown.
	ContextLength int
	// Transport sends the requests.
	Transport *transport.Transport
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
	if c.Transport == nil {
		return nil, errors.New("messages client: no transport")
	}
	key, err := cleanKey(c.Key)
	if err != nil {
		return nil, err
	}
	c.Key = key
	c.Headers, c.Betas = maps.Clone(c.Headers), slices.Clone(c.Betas)
	if strings.TrimSpace(c.BaseURL) == "" {
		c.BaseURL = DefaultBaseURL
	}
	base, query, err := parseBase(c.BaseURL)
	if err != nil {
		return nil, err
	}
	return &Client{config: c, base: base, query: query, host: hostOf(base)}, nil
}

// parseBase takes a base URL apart.
func parseBase(address string) (base *url.URL, query string, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The address itself may hold a password and is not repeated.
		return nil, "", errors.New("the base URL is not an address; it must look like " + DefaultBaseURL)
	}
	query = u.RawQuery
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	if !strings.HasSuffix(u.Path, "/v1") {
		u = u.JoinPath("v1")
	}
	return u, query, nil
}

// Stream implements [providers.Client]. It returns when the response headers of
// a successful answer are in. What [transport.WithCall] put into the context is
// applied last.
func (c *Client) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	body, err := c.body(r)
	if err != nil {
		return nil, c.unbuilt(ctx, err)
	}
	req, err := c.request(ctx, http.MethodPost, "/messages", body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	c.setBetas(req.Header, r)
	c.setHeaders(req.Header)
	resp, err := c.config.Transport.Do(req) //nolint:bodyclose // the stream closes it
	if err != nil {
		return nil, err
	}
	return c.stream(ctx, r.Model, resp), nil
}

// stream reads an answer.
func (c *Client) stream(ctx context.Context, model string, resp *http.Response) *transport.Stream {
	return transport.NewStream(ctx, resp, transport.Answer{
		Protocol: "messages", Endpoint: transport.Endpoint(c.base) + "/messages",
		Events: transport.NewEvents(resp.Body), Decoder: &decoder{issuer: c.config.Provider, model: model},
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
