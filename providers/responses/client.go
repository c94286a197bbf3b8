package responses

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
	"hermes-tui/providers/transport"
)

// ID names the protocol.
const ID providers.Protocol = "responses"

// Protocol registers the protocol. It has no list of models of its own; the servers
// have that of chat completions beside it.
func Protocol() transport.Protocol {
	return transport.Protocol{
		ID: ID, List: "chat",
		New: func(s transport.Service) (providers.Client, error) { return New(Config{Service: s}) },
		Kept: func(c providers.Client, model string, _ time.Duration) time.Duration {
			own, promised := c.(*Client).rules, models.Of(model)
			if own.maker != promised.Maker {
				return own.kept
			}
			return max(own.kept, promised.Keeps)
		},
	}
}

// Config describes one endpoint. /responses lies below its BaseURL; empty is the usual
// one of the variant. Its query goes along with every request. The key is sent as a
// bearer token. Where Token names no account, the account is read from the token.
//
// What the server asks for goes by Provider and then by the host of BaseURL.
type Config struct {
	transport.Service
}

// Client speaks to one endpoint. It is safe for concurrent use.
type Client struct {
	config Config
	rules  rules
	base   *url.URL // without trailing slash and query
	query  string
}

var _ providers.Client = (*Client)(nil)

// New makes a client. It is an error if the base URL is no HTTP address or the key
// cannot be a header. Nothing is sent.
func New(c Config) (*Client, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	r := rulesFor(c.Provider, c.BaseURL)
	if strings.TrimSpace(c.BaseURL) == "" {
		c.BaseURL = r.base
	}
	base, query, err := transport.ParseBase(c.BaseURL, "https://host/v1")
	if err != nil {
		return nil, err
	}
	base.Path, base.RawPath = strings.TrimSuffix(base.Path, "/responses"), strings.TrimSuffix(base.RawPath, "/responses")
	if base.Path == "" {
		base.Path, base.RawPath = r.path, ""
	}
	return &Client{config: c, rules: r, base: base, query: query}, nil
}

// Stream implements [providers.Client]. It returns when the response headers of a
// successful answer are in. What [transport.WithCall] put into the context is applied
// last.
func (c *Client) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	resp, err := c.config.Transport.Do(req) //nolint:bodyclose // the stream closes it
	if err != nil {
		return nil, c.refused(err)
	}
	return c.stream(ctx, r.Model, c.steer(r).Note, resp), nil
}

// stream reads an answer.
func (c *Client) stream(ctx context.Context, model string, effort *providers.Item, resp *http.Response) *transport.Stream {
	return transport.NewStream(ctx, resp, transport.Answer{
		Protocol: "Responses", Endpoint: c.endpoint(),
		Events: transport.NewEvents(resp.Body), Decoder: &decoder{issuer: c.config.Provider, model: model, effort: effort},
	})
}

// request makes the request to send.
func (c *Client) request(ctx context.Context, r providers.Request) (*http.Request, error) {
	body, err := c.body(r)
	if err != nil {
		return nil, c.unsent("the request cannot be written as JSON: "+err.Error(), err)
	}
	token, account, err := c.credential(ctx)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+"/responses", bytes.NewReader(body))
	if err != nil {
		return nil, c.unsent(err.Error(), err)
	}
	req.URL.RawQuery = c.query
	set := func(key, value string) {
		if key != "" && value != "" {
			req.Header.Set(key, value)
		}
	}
	set("Content-Type", "application/json")
	set("Accept", "text/event-stream")
	for k, v := range c.rules.headers {
		set(k, v)
	}
	set(c.rules.account, account)
	if transport.IsHeader(r.Session) {
		set(c.rules.session, r.Session)
	}
	if token != "" {
		set("Authorization", "Bearer "+token)
	}
	for k, v := range c.config.Headers {
		req.Header.Set(k, v)
	}
	return req, nil
}

// credential gives the token to send, and the account it belongs to.
func (c *Client) credential(ctx context.Context) (token, account string, err error) {
	token = c.config.Key
	if c.config.Token != nil {
		token, account, err = c.config.Token(ctx)
		switch {
		case ctx.Err() != nil:
			return "", "", context.Cause(ctx)
		case err != nil:
			return "", "", c.unsent("the login gives no token: "+err.Error(), err)
		case token == "":
			return "", "", c.unsent("the login gives no token; log in again", nil)
		case !transport.IsHeader(token):
			return "", "", c.unsent("the token of the login is damaged; log in again", nil)
		}
	}
	if account == "" && c.rules.account != "" {
		account = accountOf(token)
	}
	if !transport.IsHeader(account) {
		account = ""
	}
	return token, account, nil
}

// unsent is a request that could not be made.
func (c *Client) unsent(message string, cause error) error {
	return &providers.Error{Kind: providers.ErrorRequest, Endpoint: c.endpoint(), Message: message, Cause: cause}
}

func (c *Client) endpoint() string { return transport.Endpoint(c.base) + "/responses" }
