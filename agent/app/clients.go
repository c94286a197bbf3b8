package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/anthropic"
	"hermes-tui/providers/bedrock"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/login"
	"hermes-tui/providers/responses"
	"hermes-tui/store/config"
)

// client makes a client for a model of an endpoint, in the protocol that both speak.
func (a *App) client(c catalog.Candidate, model string) (providers.Client, error) {
	if err := c.Sendable(); err != nil {
		return nil, err
	}
	switch c.Mode(model) {
	case catalog.Anthropic:
		return a.messages(c, model)
	case catalog.Responses:
		return a.responses(c)
	case catalog.Bedrock:
		return a.converse(c)
	}
	return a.completions(c)
}

// completions is the client for chat completions of an endpoint, always the same one:
// what it learns from a list holds for the next request.
func (a *App) completions(c catalog.Candidate) (*chat.Client, error) {
	name := fmt.Sprintf("%q", []any{c.Provider, c.BaseURL, c.Key, c.Headers, c.Window, c.Extra}) // fmt sorts maps
	a.mu.Lock()
	defer a.mu.Unlock()
	if client := a.chats[name]; client != nil {
		return client, nil
	}
	client, err := a.newCompletions(c)
	if err == nil {
		a.chats[name] = client
	}
	return client, err
}

func (a *App) newCompletions(c catalog.Candidate) (*chat.Client, error) {
	r, o := a.o.Config.Routing, a.o.Config.OpenRouter
	config := chat.Config{
		Provider: c.Provider, BaseURL: c.BaseURL, APIKey: c.Key, Headers: c.Headers, NumCtx: c.Window, RouterScore: o.MinCodingScore,
		Routing: chat.Routing{
			Only: r.Only, Ignore: r.Ignore, Order: r.Order, Sort: r.Sort, RequireParameters: r.RequireParameters, DataCollection: r.DataCollection,
		},
		Transport: a.transport,
	}
	if o.ResponseCache {
		config.AnswerCache = o.ResponseCacheTTL.Duration()
	}
	if c.Extra != "" {
		if err := json.Unmarshal([]byte(c.Extra), &config.Overrides); err != nil {
			return nil, fmt.Errorf("extra_body of %s is no JSON object: %w", c.Label, err)
		}
	}
	return chat.New(config)
}

func (a *App) responses(c catalog.Candidate) (*responses.Client, error) {
	config := responses.Config{Provider: c.Provider, BaseURL: c.BaseURL, APIKey: c.Key, Headers: c.Headers, Transport: a.transport}
	switch c.Provider { // wherever it is reached
	case login.ProviderOpenAI:
		config.Variant = responses.ChatGPT
	case "xai", "xai-oauth":
		config.Variant = responses.XAI
	}
	if c.Login {
		source, err := a.token(c)
		if err != nil {
			return nil, err
		}
		config.APIKey, config.Token = "", source.Token
	}
	return responses.New(config)
}

func (a *App) messages(c catalog.Candidate, model string) (*anthropic.Client, error) {
	limit := c.ContextMax
	if limit == 0 {
		limit = catalog.ContextMax(model)
	}
	config := anthropic.Config{
		Provider: c.Provider, BaseURL: c.BaseURL, Key: c.Key, Headers: c.Headers, ContextLength: limit, Transport: a.transport,
	}
	if c.Login {
		source, err := a.token(c)
		if err != nil {
			return nil, err
		}
		config.Key, config.Token = "", source.Key
	}
	return anthropic.New(config)
}

func (a *App) converse(c catalog.Candidate) (*bedrock.Client, error) {
	b := a.o.Config.Bedrock
	base := c.BaseURL
	if base == catalog.BedrockURL {
		base = "" // the region decides
	}
	return bedrock.New(bedrock.Config{
		Provider: c.Provider, BaseURL: base, Region: b.Region, Profile: b.Profile, APIKey: c.Key, Headers: c.Headers, Env: a.env,
		Guardrail: bedrock.Guardrail{ID: b.Guardrail.ID, Version: b.Guardrail.Version, Mode: b.Guardrail.Mode, Trace: b.Guardrail.Trace},
		Transport: a.transport,
	})
}

// list asks an endpoint for its models. For one that tells of none, they are those
// that the catalogue names.
func (a *App) list(ctx context.Context, c catalog.Candidate) ([]providers.Model, error) {
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
	ask, cancel := context.WithTimeout(ctx, askBudget)
	defer cancel()
	models, err := l.Models(ask)
	if err == nil {
		a.remember(ctx, c, models)
	}
	return models, err
}

// lister is the client that lists the models of an endpoint, nil if it cannot. The
// Responses protocol has no list of its own; the servers have that of chat
// completions beside it.
func (a *App) lister(c catalog.Candidate) (providers.Lister, error) {
	if a.borrowed(c) {
		return nil, nil
	}
	if err := c.Sendable(); err != nil {
		return nil, err
	}
	switch c.Mode("") {
	case catalog.Anthropic:
		return a.messages(c, "")
	case catalog.Bedrock:
		return nil, nil
	}
	if c.Auth == catalog.ByLogin {
		return nil, nil
	}
	return a.completions(c)
}

// borrowed tells whether the login of an endpoint is that of another program, and
// nobody has asked for it: it is sent nowhere.
func (a *App) borrowed(c catalog.Candidate) bool {
	p, known := catalog.Find(a.o.Config.Model.Provider)
	return c.Login && c.Auth != catalog.ByLogin && (!known || p.ID != c.Provider)
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

// The times for which providers keep prompts.
const (
	cacheMinutes = 5 * time.Minute
	cacheHour    = time.Hour
)

// cacheFor is how long prompts are to be kept, where marks say so, and how long a
// provider keeps them: 0 if nobody knows.
func (a *App) cacheFor(c catalog.Candidate, model string) (marks, kept time.Duration) {
	marks = cacheMinutes
	if a.o.Config.PromptCaching.TTL == config.CacheHour {
		marks = cacheHour
	}
	lower := strings.ToLower(model)
	switch mode := c.Mode(model); {
	case mode == catalog.Chat:
		if client, err := a.completions(c); err == nil {
			kept = client.Marked(model, marks)
		}
	case mode == catalog.Anthropic, strings.Contains(lower, "claude"):
		kept = marks
	case mode == catalog.Bedrock && strings.Contains(lower, "nova"):
		kept = cacheMinutes
	case mode == catalog.Responses && c.Provider != "xai":
		kept = cacheMinutes // and longer, when it is not busy
	}
	return marks, kept
}
