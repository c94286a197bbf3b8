package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// ID names the protocol.
const ID providers.Protocol = "chat"

// Protocol registers the protocol.
func Protocol(o Options) transport.Protocol {
	return transport.Protocol{
		ID: ID, List: ID, Learns: true,
		New: func(s transport.Service) (providers.Client, error) { return New(Config{Service: s, Options: o}) },
		Kept: func(c providers.Client, model string, marks time.Duration) time.Duration {
			return c.(*Client).marked(model, marks)
		},
	}
}

// Config describes one endpoint. /chat/completions and /models lie below its BaseURL;
// where that has no path, /v1 is meant, and its query goes along with every request.
// The key is sent as a bearer token.
type Config struct {
	transport.Service
	Options
}

// Options are what is particular to this protocol.
type Options struct {
	// Routing says where OpenRouter may send calls.
	Routing Routing
	// RouterScore is how good at coding a model must be that OpenRouter's Pareto
	// router chooses, above 0 up to 1; 0 leaves it to the router.
	RouterScore float64
	// AnswerCache lets OpenRouter keep answers for so long, in whole seconds, to give
	// them again for equal requests; 0 does not.
	AnswerCache time.Duration
}

// Routing says where a service that has models of many hosts may send calls. The
// zero value leaves it to the service.
type Routing struct {
	// Only, Ignore and Order name hosts: those that may be taken, those that may not,
	// and those to try first.
	Only, Ignore, Order []string
	// Sort is what counts most: price, throughput or latency.
	Sort string
	// RequireParameters takes only hosts that understand every field of the request.
	RequireParameters bool
	// DataCollection reports whether hosts may keep what they see: allow or deny.
	DataCollection string
}

// wire is the object for requests, nil if nothing is to be said.
func (r Routing) wire() any {
	out := map[string]any{}
	for k, list := range map[string][]string{"only": r.Only, "ignore": r.Ignore, "order": r.Order} {
		if len(list) > 0 {
			out[k] = list
		}
	}
	for k, word := range map[string]string{"sort": r.Sort, "data_collection": r.DataCollection} {
		if word != "" {
			out[k] = word
		}
	}
	if r.RequireParameters {
		out["require_parameters"] = true
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// Client speaks to one endpoint. It is safe for concurrent use.
type Client struct {
	config    Config
	overrides map[string]any // fields that win over everything; nil removes one
	base      *url.URL       // without trailing slash and query
	query     string
	grace     time.Duration

	mu      sync.Mutex
	efforts map[string][]string // that the service lists, by model
}

var (
	_ providers.Client    = (*Client)(nil)
	_ providers.Lister    = (*Client)(nil)
	_ providers.Describer = (*Client)(nil)
	_ providers.Embedder  = (*Client)(nil)
)

// New makes a client. It is an error if the base URL is no HTTP address, the key
// cannot be a header, or something is configured that cannot be sent.
func New(c Config) (*Client, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	overrides, err := c.overrides()
	if err != nil {
		return nil, err
	}
	base, query, err := transport.ParseBase(c.BaseURL, "https://host/v1")
	if err != nil {
		return nil, err
	}
	if base.Path == "" {
		base.Path = "/v1"
	}
	return &Client{config: c, overrides: overrides, base: base, query: query, grace: transport.FinishGrace}, nil
}

// overrides are the fields of Extra. What would break every request is refused.
func (c *Config) overrides() (fields map[string]any, err error) {
	if c.RouterScore < 0 || c.RouterScore > 1 {
		return nil, fmt.Errorf("the score for the Pareto router is %v; it must be between 0 and 1", c.RouterScore)
	}
	if c.Extra == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(c.Extra), &fields); err != nil {
		return nil, fmt.Errorf("extra_body is no JSON object: %w", err)
	}
	for _, k := range []string{"messages", "tools", "stream"} {
		if _, set := fields[k]; set {
			return nil, fmt.Errorf("the request overrides of the endpoint must not hold %q, which belongs to the conversation; take it out", k)
		}
	}
	return fields, nil
}

// Stream implements [providers.Client]. It returns when the response headers of
// a successful answer are in. What [transport.WithCall] put into the context is
// applied last.
func (c *Client) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	n := c.needs(r.Model)
	body, err := json.Marshal(c.request(r))
	if err != nil {
		return nil, c.sendError(ctx, err)
	}
	ctx = transport.WithCall(ctx, transport.Call{Extra: c.extra(r, n)})
	req, err := c.newRequest(ctx, http.MethodPost, c.base.String()+"/chat/completions", body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Cache-Control", "no-cache")
	c.setHeaders(req, n.extraHeaders(query{config: &c.config, model: r.Model, session: r.Session}))
	resp, err := c.config.Transport.Do(req) //nolint:bodyclose // the stream closes it
	if err != nil {
		return nil, err
	}
	return transport.NewStream(ctx, resp, transport.Answer{
		Protocol: "chat", Endpoint: transport.Endpoint(c.base) + "/chat/completions", Grace: c.grace,
		Events: transport.NewEvents(resp.Body), Decoder: &decoder{issuer: c.config.Provider, model: r.Model, tagged: n.tagged},
	}), nil
}

// newRequest makes a request with its credential.
func (c *Client) newRequest(ctx context.Context, method, address string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, c.sendError(ctx, err)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.config.Key)
	}
	return req, nil
}

// sendError is a request that could not be built.
func (c *Client) sendError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &providers.Error{
		Kind: providers.ErrorRequest, Endpoint: transport.Endpoint(c.base), Message: err.Error(), Cause: err,
	}
}

// setHeaders gives a request the query of the base URL, headers of its own, and those
// of the endpoint, which win.
func (c *Client) setHeaders(req *http.Request, own map[string]string) {
	req.URL.RawQuery = c.query
	for _, headers := range []map[string]string{own, c.config.Headers} {
		for k, v := range headers {
			req.Header.Set(k, v)
		}
	}
}
