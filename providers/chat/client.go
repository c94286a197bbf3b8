package chat

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// Config describes one endpoint.
type Config struct {
	// Provider names who answers. It is the issuer of native items.
	Provider string
	// BaseURL is the address below which /chat/completions and /models lie. Where
	// it has no path, /v1 is meant. Its query goes along with every request.
	BaseURL string
	// APIKey is sent as a bearer token; empty sends none.
	APIKey string
	// Headers are sent with every request.
	Headers map[string]string
	// MaxTokensKey is the name of the field that caps the answer. Empty takes
	// max_completion_tokens where that is known to be right and max_tokens
	// elsewhere.
	MaxTokensKey string
	// Transport sends the requests.
	Transport *transport.Transport
}

// finishGrace is how long a stream may stay silent behind its finish marker
// before the answer is taken as it is.
const finishGrace = 5 * time.Second

// Client speaks to one endpoint. It is safe for concurrent use.
type Client struct {
	config Config
	base   *url.URL // without trailing slash and query
	query  string
	grace  time.Duration
}

var _ providers.Client = (*Client)(nil)

// New makes a client. It is an error if the base URL is no HTTP address or the
// key cannot be a header.
func New(c Config) (*Client, error) {
	if c.Transport == nil {
		return nil, errors.New("chat client: no transport")
	}
	c.APIKey = strings.TrimSpace(c.APIKey)
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, errors.New("the API key holds blanks, line breaks or letters that no key has; set it again")
	}
	c.Headers = maps.Clone(c.Headers)
	base, query, err := parseBase(c.BaseURL)
	if err != nil {
		return nil, err
	}
	return &Client{config: c, base: base, query: query, grace: finishGrace}, nil
}

// parseBase takes a base URL apart.
func parseBase(address string) (base *url.URL, query string, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The address itself may hold a password and is not repeated.
		return nil, "", errors.New("the base URL is not an address; it must look like https://host/v1")
	}
	query = u.RawQuery
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	if u.Path == "" {
		u.Path, u.RawPath = "/v1", ""
	}
	return u, query, nil
}

// Stream implements [providers.Client]. It returns when the response headers of
// a successful answer are in. What [transport.WithCall] put into the context is
// applied last.
func (c *Client) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	ctx = transport.WithCall(ctx, transport.Call{Extra: c.extra(r)})
	x := &exchange{client: c}
	config := openai.DefaultConfig(c.config.APIKey)
	config.BaseURL, config.HTTPClient = c.base.String(), x
	raw, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, c.request(r))
	if err != nil {
		return nil, c.sendError(ctx, err)
	}
	return newStream(ctx, c, r.Model, raw, x), nil
}

// sendError keeps the errors of the transport and wraps what remains: a request
// that could not be written as JSON.
func (c *Client) sendError(ctx context.Context, err error) error {
	var known *providers.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return known
	}
	return &providers.Error{
		Kind: providers.ErrorRequest, Endpoint: transport.Endpoint(c.base), Message: err.Error(), Cause: err,
	}
}

// exchange is the HTTP client of one request: it completes the request and
// puts our reader between the response and go-openai.
type exchange struct {
	client *Client
	resp   *http.Response
	events *events
}

// Do implements openai.HTTPDoer.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	x.client.address(req)
	resp, err := x.client.config.Transport.Do(req)
	if err != nil {
		return nil, err
	}
	x.resp, x.events = resp, newEvents(resp.Body)
	resp.Body = x.events
	return resp, nil
}

// address gives a request the query of the base URL and the endpoint's headers.
func (c *Client) address(req *http.Request) {
	req.URL.RawQuery = c.query
	for k, v := range c.config.Headers {
		req.Header.Set(k, v)
	}
}
