package bedrock

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// DefaultRegion is asked where nothing names another one.
const DefaultRegion = "us-east-1"

// Config describes access to Bedrock.
type Config struct {
	// Provider names who answers. It is the issuer of native items.
	Provider string
	// BaseURL takes the place of the endpoint of the region, for private endpoints
	// and gateways. Where its host names a region, that region is meant. Its query goes
	// along with every request.
	BaseURL string
	// Region is asked where neither the host of BaseURL nor AWS_REGION nor
	// AWS_DEFAULT_REGION names one. When it is empty as well, the region of the
	// profile counts, and then [DefaultRegion].
	Region string
	// Profile is the profile in ~/.aws to use. Empty goes by AWS_PROFILE.
	Profile string
	// APIKey is an API key of Bedrock, which is sent as a bearer token in place of a
	// signature. Empty goes by AWS_BEARER_TOKEN_BEDROCK. Without either, requests are
	// signed with the credentials that AWS's usual chain gives.
	APIKey string
	// Guardrail is applied to every request if it has an ID.
	Guardrail Guardrail
	// Fields are added to the model's own request fields and win over what this
	// package puts there, except that lists of anthropic_beta are joined.
	Fields map[string]any
	// Headers are set on every request.
	Headers map[string]string
	// Env looks up the AWS_ variables named here, AWS_ACCESS_KEY_ID,
	// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Nil is the environment of the
	// process, from which the SDK reads all others in any case.
	Env func(key string) string
	// Transport sends the requests.
	Transport *transport.Transport
}

// Guardrail names a guardrail of Bedrock.
type Guardrail struct {
	ID      string
	Version string
	// Mode is "sync", which holds text back until it is checked, or "async". Empty is
	// the service's default.
	Mode string
	// Trace is "enabled", "enabled_full" or "disabled". Empty is the service's
	// default.
	Trace string
}

const (
	// credentialTime bounds the search for credentials, in which a program may have
	// to ask the person something.
	credentialTime = 60 * time.Second
)

// Client speaks to Bedrock in one region. It is safe for concurrent use.
type Client struct {
	config   Config
	override string // the base URL without its query and what does not belong there
	query    string // of the base URL
	env      func(string) string
	grace    time.Duration

	mu   sync.Mutex
	open *account // nil before the first request, and when it must be looked up anew
}

var _ providers.Client = (*Client)(nil)

// New makes a client. It is an error if the base URL is no HTTP address, the key
// cannot be a header or the guardrail has no version.
func New(c Config) (*Client, error) {
	if c.Transport == nil {
		return nil, errors.New("bedrock client: no transport")
	}
	c.APIKey = strings.TrimSpace(c.APIKey)
	if !isHeader(c.APIKey) {
		return nil, errors.New("the API key holds blanks, line breaks or letters that no key has; set it again")
	}
	if c.Guardrail.ID != "" && c.Guardrail.Version == "" {
		return nil, errors.New("the guardrail has no version; set a number, or DRAFT")
	}
	override, query, err := parseBase(c.BaseURL)
	if err != nil {
		return nil, err
	}
	env := c.Env
	if env == nil {
		env = os.Getenv
	}
	c.Headers, c.Fields = maps.Clone(c.Headers), maps.Clone(c.Fields)
	return &Client{config: c, override: override, query: query, env: env, grace: transport.FinishGrace}, nil
}

// isHeader tells whether a credential can be sent as it is.
func isHeader(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// parseBase checks an address that takes the place of the region's.
func parseBase(address string) (base, query string, err error) {
	address = strings.TrimSpace(address)
	if address == "" {
		return "", "", nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The address itself may hold a password and is not repeated.
		return "", "", errors.New("the base URL is not an address; it must look like https://bedrock-runtime.us-east-1.amazonaws.com")
	}
	query = u.RawQuery
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u.String(), query, nil
}

// Stream implements [providers.Client]. It returns when the response headers of a
// successful answer are in.
func (c *Client) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	input, err := c.input(r)
	if err != nil {
		return nil, c.unsent(nil, err.Error(), err)
	}
	a, err := c.account(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.authenticate(ctx, a); err != nil {
		return nil, err
	}
	x := &exchange{client: c, whole: r.Whole}
	if _, err := a.sdk.ConverseStream(ctx, input, x.attach); err != nil {
		return nil, c.refused(ctx, a, err)
	}
	return c.stream(ctx, r.Model, x.resp), nil
}

// stream reads an answer.
func (c *Client) stream(ctx context.Context, model string, resp *http.Response) *transport.Stream {
	return transport.NewStream(ctx, resp, transport.Answer{
		Protocol: "Converse", Endpoint: transport.Endpoint(resp.Request.URL), Grace: c.grace,
		Events: newFrames(resp.Body), Decoder: &decoder{issuer: c.config.Provider, model: model},
	})
}
