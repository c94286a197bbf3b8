package bedrock

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
	"hermes-tui/providers/transport"
)

// DefaultRegion is asked where nothing names another one.
const DefaultRegion = "us-east-1"

// ID names the protocol.
const ID providers.Protocol = "bedrock"

// Protocol registers the protocol.
func Protocol(o Options) transport.Protocol {
	return transport.Protocol{
		ID:   ID,
		New:  func(s transport.Service) (providers.Client, error) { return New(Config{Service: s, Options: o}) },
		Kept: kept,
	}
}

// kept is how long prompts are kept: Claude goes by the marks.
func kept(_ providers.Client, model string, marks time.Duration) time.Duration {
	switch model = strings.ToLower(model); {
	case strings.Contains(model, "claude"):
		return marks
	case strings.Contains(model, "nova"):
		return 5 * time.Minute
	}
	return 0
}

// Config describes access to Bedrock.
//
// BaseURL takes the place of the endpoint of the region, for private endpoints and
// gateways; [AnyRegion] does not. Where its host names a region, that region is meant.
// Its query goes along with every request. The key is an API key of Bedrock, which is
// sent as a bearer token in place of a signature; empty goes by
// AWS_BEARER_TOKEN_BEDROCK. Without either, requests are signed with the credentials
// that AWS's usual chain gives. Env looks up the AWS_ variables named here,
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; the SDK reads all
// others from the environment of the process in any case.
type Config struct {
	transport.Service
	Options
}

// AnyRegion stands for the endpoint of whichever region is in use.
const AnyRegion = "https://bedrock-runtime.amazonaws.com"

// Options are what is particular to Bedrock.
type Options struct {
	// Region is asked where neither the host of BaseURL nor AWS_REGION nor
	// AWS_DEFAULT_REGION names one. When it is empty as well, the region of the
	// profile counts, and then [DefaultRegion].
	Region string
	// Profile is the profile in ~/.aws to use. Empty goes by AWS_PROFILE.
	Profile string
	// Guardrail is applied to every request if it has an ID.
	Guardrail Guardrail
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
	// to ask the user something.
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
	open *account // nil before the first request, and when it must be looked up again
}

var _ providers.Client = (*Client)(nil)

// New makes a client. It is an error if the base URL is no HTTP address, the key
// cannot be a header or the guardrail has no version.
func New(c Config) (*Client, error) {
	if err := c.Ready(); err != nil {
		return nil, err
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
	return &Client{config: c, override: override, query: query, env: env, grace: transport.FinishGrace}, nil
}

// parseBase checks an address that takes the place of the region's.
func parseBase(address string) (base, query string, err error) {
	address = strings.TrimSpace(address)
	if address == "" || address == AnyRegion {
		return "", "", nil
	}
	u, query, err := transport.ParseBase(address, "https://bedrock-runtime.us-east-1.amazonaws.com")
	if err != nil {
		return "", "", err
	}
	u.User = nil
	return u.String(), query, nil
}

// Stream implements [providers.Client]. It returns when the response headers of a
// successful answer are in.
func (c *Client) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	prefix := ""
	if models.Of(r.Model).Bound {
		prefix = transport.Unbind(&r, c.config.Provider)
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
	return c.stream(ctx, r.Model, prefix, x.resp), nil
}

// stream reads an answer.
func (c *Client) stream(ctx context.Context, model, prefix string, resp *http.Response) *transport.Stream {
	return transport.NewStream(ctx, resp, transport.Answer{
		Protocol: "Converse", Endpoint: transport.Endpoint(resp.Request.URL), Grace: c.grace,
		Events: newFrames(resp.Body), Decoder: &decoder{issuer: c.config.Provider, model: model, prefix: prefix},
	})
}
