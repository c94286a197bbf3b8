package anthropic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
	"hermes-tui/providers/transport"
)

// The betas that requests ask for.
const (
	betaInterleaved = "interleaved-thinking-2025-05-14"
	betaFineGrained = "fine-grained-tool-streaming-2025-05-14"
	betaLongContext = "context-1m-2025-08-07"
	betaLongAnswer  = "output-128k-2025-02-19"
	betaSteering    = "mid-conversation-output-config-2026-07-01"
	// betaLogin is what the protocol wants with the token of a login.
	betaLogin = "oauth-2025-04-20"
)

// host is what is particular to an endpoint.
type host struct {
	suffixes []string // of the host's name
	native   bool     // Anthropic itself
	bearer   bool     // takes credentials as bearer tokens
	noBetas  bool     // does not know the header for betas
	long     bool     // gives contexts beyond 200,000 tokens only with their beta
}

// hosts are the endpoints that differ from the others. The first that fits
// counts.
func hosts() []host {
	return []host{
		{suffixes: []string{".anthropic.com"}, native: true},
		{suffixes: []string{".minimax.io", ".minimaxi.com", ".minimax.chat"}, bearer: true, noBetas: true},
		{suffixes: []string{".azure.com"}, bearer: true, long: true},
	}
}

// hostOf finds what is particular to an address.
func hostOf(u *url.URL) host {
	name := "." + strings.ToLower(u.Hostname())
	for _, h := range hosts() {
		if slices.ContainsFunc(h.suffixes, func(s string) bool { return strings.HasSuffix(name, s) }) {
			return h
		}
	}
	return host{}
}

// isLogin reports whether a credential is the access token of a login and no API
// key. Other services have keys of their own forms, so that this holds at
// Anthropic only.
func isLogin(key string) bool {
	if strings.HasPrefix(key, "sk-ant-") {
		return !strings.HasPrefix(key, "sk-ant-api")
	}
	return strings.HasPrefix(key, "eyJ") || strings.HasPrefix(key, "cc-")
}

// authorise sets the credential of a request.
func (c *Client) authorise(ctx context.Context, h http.Header) error {
	key, login := c.config.Key, false
	if c.config.Token != nil {
		token, _, err := c.config.Token(ctx)
		if err == nil {
			token, err = transport.CleanKey(token)
		}
		if err != nil {
			return c.noToken(ctx, err)
		}
		key, login = token, true
	}
	if key == "" {
		return nil
	}
	login = login || c.host.native && isLogin(key)
	if login || c.host.bearer {
		h.Set("Authorization", "Bearer "+key)
	} else {
		h.Set("X-Api-Key", key)
	}
	if login && c.host.native {
		h.Set("Anthropic-Beta", betaLogin)
	}
	return nil
}

// noToken is a login that gives no token.
func (c *Client) noToken(ctx context.Context, err error) error {
	var known *providers.Error
	if ctx.Err() == nil && errors.As(err, &known) {
		return known
	}
	return c.unbuilt(ctx, fmt.Errorf("get the login's token: %w", err))
}

// setBetas names the betas of a request behind the one that a credential set. steered says
// that the effort changes in it.
func (c *Client) setBetas(h http.Header, r providers.Request, steered bool) {
	if c.host.noBetas {
		h.Del("Anthropic-Beta")
		return
	}
	var list []string
	if first := h.Get("Anthropic-Beta"); first != "" {
		list = append(list, first)
	}
	a := askOf(r.Model)
	if a.Think == models.ByBudget {
		list = append(list, betaInterleaved)
	}
	list = append(list, betaFineGrained)
	if a.LongAnswer && c.host.native {
		list = append(list, betaLongAnswer)
	}
	if c.host.long && !r.ShortContext {
		list = append(list, betaLongContext)
	}
	if steered {
		list = append(list, betaSteering)
	}
	h.Set("Anthropic-Beta", strings.Join(list, ","))
}
