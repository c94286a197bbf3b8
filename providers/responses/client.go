package responses

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// Config describes one endpoint.
type Config struct {
	// Provider names who answers. It is the issuer of native items.
	Provider string
	// Variant says what the server asks for. Empty goes by the host of BaseURL.
	Variant Variant
	// BaseURL is the address below which /responses lies; empty is the usual one of
	// the variant. Its query goes along with every request.
	BaseURL string
	// APIKey is sent as a bearer token; empty sends none.
	APIKey string
	// Token gives the token of a login and the id of its account, and is asked before
	// every request, with the context of the request. Where it names no account, the
	// account is read from the token. It takes the place of APIKey.
	Token func(ctx context.Context) (token, accountID string, err error)
	// Headers are sent with every request.
	Headers map[string]string
	// Summary is the kind of reasoning summary to ask for: "auto", which empty means,
	// "concise", "detailed", or [SummaryNone].
	Summary string
	// Transport sends the requests.
	Transport *transport.Transport
}

// SummaryNone asks for no reasoning summaries, which OpenAI gives for some models
// only to organisations that it has verified.
const SummaryNone = "none"

// Client speaks to one endpoint. It is safe for concurrent use.
type Client struct {
	config Config
	rules  rules
	base   *url.URL // without trailing slash and query
	query  string
}

var _ providers.Client = (*Client)(nil)

// New makes a client. It is an error if the variant is unknown, the base URL is no
// HTTP address or the key cannot be a header. Nothing is sent.
func New(c Config) (*Client, error) {
	if c.Transport == nil {
		return nil, errors.New("responses client: no transport")
	}
	r, ok := rulesFor(c.Variant, c.BaseURL)
	if !ok {
		return nil, fmt.Errorf("%q is no variant of the Responses protocol; there are openai, chatgpt and xai", c.Variant)
	}
	c.APIKey = strings.TrimSpace(c.APIKey)
	if !isHeader(c.APIKey) {
		return nil, errors.New("the API key holds blanks, line breaks or letters that no key has; set it again")
	}
	if c.Summary == "" {
		c.Summary = "auto"
	}
	c.Headers = maps.Clone(c.Headers)
	if strings.TrimSpace(c.BaseURL) == "" {
		c.BaseURL = r.base
	}
	base, query, err := parseBase(c.BaseURL, r.path)
	if err != nil {
		return nil, err
	}
	return &Client{config: c, rules: r, base: base, query: query}, nil
}

// isHeader tells whether a credential can be sent as it is.
func isHeader(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// parseBase takes a base URL apart.
func parseBase(address, path string) (base *url.URL, query string, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The address itself may hold a password and is not repeated.
		return nil, "", errors.New("the base URL is not an address; it must look like https://host/v1")
	}
	query = u.RawQuery
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/responses"), strings.TrimSuffix(u.RawPath, "/responses")
	if u.Path == "" {
		u.Path, u.RawPath = path, ""
	}
	return u, query, nil
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
	return c.stream(ctx, r.Model, resp), nil
}

// stream reads an answer.
func (c *Client) stream(ctx context.Context, model string, resp *http.Response) *transport.Stream {
	return transport.NewStream(ctx, resp, transport.Answer{
		Protocol: "Responses", Endpoint: c.endpoint(),
		Events: transport.NewEvents(resp.Body), Decoder: &decoder{issuer: c.config.Provider, model: model},
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
	if isHeader(r.Session) {
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
	token = c.config.APIKey
	if c.config.Token != nil {
		token, account, err = c.config.Token(ctx)
		switch {
		case ctx.Err() != nil:
			return "", "", context.Cause(ctx)
		case err != nil:
			return "", "", c.unsent("the login gives no token: "+err.Error(), err)
		case token == "":
			return "", "", c.unsent("the login gives no token; log in again", nil)
		case !isHeader(token):
			return "", "", c.unsent("the token of the login is damaged; log in again", nil)
		}
	}
	if account == "" && c.rules.account != "" {
		account = accountOf(token)
	}
	if !isHeader(account) {
		account = ""
	}
	return token, account, nil
}

// unsent is a request that could not be made.
func (c *Client) unsent(message string, cause error) error {
	return &providers.Error{Kind: providers.ErrorRequest, Endpoint: c.endpoint(), Message: message, Cause: cause}
}

func (c *Client) endpoint() string { return transport.Endpoint(c.base) + "/responses" }
