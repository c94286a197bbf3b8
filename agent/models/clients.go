package models

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/models"
	"hermes-tui/providers/transport"
	"hermes-tui/store/config"
)

// client makes a client for a model of an endpoint, in the protocol that both speak.
func (a *Access) client(c catalog.Candidate, model string) (providers.Client, error) {
	if c.ContextMax == 0 {
		c.ContextMax = models.ContextMax(model)
	}
	return a.speaking(c, c.Mode(model))
}

// speaking makes a client for an endpoint in a protocol.
func (a *Access) speaking(c catalog.Candidate, id providers.Protocol) (providers.Client, error) {
	if err := c.Sendable(); err != nil {
		return nil, err
	}
	p, known := a.protocol(id)
	if !known {
		return nil, fmt.Errorf("%s is spoken to in the protocol %q, which this program does not speak", c.Label, id)
	}
	s := transport.Service{Endpoint: c.Endpoint, Env: a.env, Transport: a.transport}
	if c.Login != "" {
		source, err := a.token(c)
		if err != nil {
			return nil, err
		}
		s.Key, s.Token = "", source.Token
	}
	if !p.Learns {
		return p.New(s)
	}
	name := fmt.Sprintf("%q", []any{id, c.Provider, c.BaseURL, c.Key, c.Login, c.Headers, c.Window, c.Extra}) // fmt sorts maps
	a.mu.Lock()
	defer a.mu.Unlock()
	client, err := a.clients[name], error(nil)
	if client == nil {
		if client, err = p.New(s); err == nil {
			a.clients[name] = client
		}
	}
	return client, err
}

// list asks an endpoint for its models. For one that tells of none, they are those
// that the catalogue names.
func (a *Access) list(ctx context.Context, c catalog.Candidate) ([]providers.Model, error) {
	asked := c
	if c.Key == "" {
		asked.Key = a.storedKey(c)
	}
	l, err := a.lister(asked)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return named(c), nil
	}
	ask, cancel := context.WithTimeoutCause(ctx, askBudget, errSlow)
	defer cancel()
	models, err := l.Models(ask)
	if err == nil {
		a.remember(ctx, c, models)
	}
	return models, err
}

// lister is the client that lists the models of an endpoint, nil if it cannot.
func (a *Access) lister(c catalog.Candidate) (providers.Lister, error) {
	if a.borrowed(c) {
		return nil, nil
	}
	p, _ := a.protocol(c.Mode(""))
	if p.List == "" || c.Auth == catalog.ByLogin {
		return nil, nil
	}
	client, err := a.speaking(c, p.List)
	if err != nil {
		return nil, err
	}
	l, _ := client.(providers.Lister)
	return l, nil
}

// borrowed reports whether the login of an endpoint is that of another program, and
// no one has asked for it: it is sent nowhere.
func (a *Access) borrowed(c catalog.Candidate) bool {
	p, known := catalog.Find(a.settings().Model.Provider)
	return c.Login != "" && c.Auth != catalog.ByLogin && (!known || p.ID != c.Provider)
}

// named are the models of an endpoint that the catalogue names outright.
func named(c catalog.Candidate) []providers.Model {
	var out []providers.Model
	for _, id := range c.Models {
		if !strings.Contains(id, "*") {
			out = append(out, providers.Model{ID: id})
		}
	}
	if c.Model != "" && !slices.ContainsFunc(out, func(m providers.Model) bool { return m.ID == c.Model }) {
		out = append(out, providers.Model{ID: c.Model})
	}
	return out
}

// cacheFor is how long prompts are to be kept, where marks say so, and how long a
// provider keeps them: 0 if no one knows.
func (a *Access) cacheFor(c catalog.Candidate, client providers.Client, model string) (marks, kept time.Duration) {
	marks = 5 * time.Minute
	if a.settings().PromptCaching.TTL == config.CacheHour {
		marks = time.Hour
	}
	if p, known := a.protocol(c.Mode(model)); known {
		kept = p.Kept(client, model, marks)
	}
	return marks, kept
}
