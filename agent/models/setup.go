package models

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/failure"
)

// Services are those of the catalogue that open with a key.
func (a *Access) Services() []api.Service {
	var out []api.Service
	for _, p := range catalog.Providers() {
		if p.Auth == catalog.ByKey && len(p.KeyEnv) > 0 {
			out = append(out, api.Service{ID: p.ID, Name: p.Name, Variable: p.KeyEnv[len(p.KeyEnv)-1], KeyPage: p.KeyPage})
		}
	}
	return out
}

// tryBudget is how long a service may take to show that it takes a key.
const tryBudget = 10 * time.Second

// TryError says in a sentence why a service cannot be used, and whether that is because of
// the key, or because nothing was heard of it, so that the key may well be right.
type TryError struct {
	Text         string
	Key, Unheard bool
}

// Error implements error.
func (e *TryError) Error() string { return e.Text }

// Try asks a service for its models with a key, empty for none, and has it show that it
// takes the key. The error is a sentence that says what to do next; where it is
// [TryError.Unheard], the models are those that the catalogue names. Nothing is kept.
func (a *Access) Try(ctx context.Context, s api.Service, key string) (api.ModelGroup, error) {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return api.ModelGroup{}, errors.New("a key is one word of letters, digits and signs, and this is something else: copy it again")
	}
	c, err := a.candidate(s, key)
	if err != nil {
		return api.ModelGroup{}, err
	}
	ask, cancel := context.WithTimeout(ctx, tryBudget)
	defer cancel()
	models, err := a.try(ask, c)
	switch {
	case ctx.Err() != nil:
		return api.ModelGroup{}, context.Cause(ctx)
	case err != nil && (ask.Err() != nil || failure.Classify(err, failure.Context{}).Retryable):
		text := a.sentence(c, err)
		if ask.Err() != nil {
			text = fmt.Sprintf("%s has not answered within %d seconds: try again, or choose something else for now", c.Label, int(tryBudget/time.Second))
		}
		known := named(c)
		return answered(groupOf(c), c, a.infos(c, known)), &TryError{Text: text, Unheard: len(known) > 0}
	case err != nil:
		f, _ := errors.AsType[*providers.Error](err)
		if f == nil || f.Status != 401 && f.Status != 403 {
			return api.ModelGroup{}, &TryError{Text: a.sentence(c, err)}
		}
		next := "copy it again"
		if c.KeyPage != "" {
			next += ", or make a new one at " + c.KeyPage
		}
		return api.ModelGroup{}, &TryError{Text: fmt.Sprintf("%s does not accept this key (HTTP %d): %s", c.Label, f.Status, next), Key: true}
	case len(models) == 0:
		return api.ModelGroup{}, fmt.Errorf("%s answers, but offers no model: load one there, or check the address", c.Label)
	}
	return answered(groupOf(c), c, a.infos(c, models)), nil
}

// candidate is a service with a key.
func (a *Access) candidate(s api.Service, key string) (catalog.Candidate, error) {
	list, err := a.choose(catalog.Config{Layers: []catalog.Layer{{Endpoint: providers.Endpoint{Provider: s.ID, BaseURL: s.Address, Key: key, Where: "the address"}}}})
	if err != nil {
		return catalog.Candidate{}, err
	}
	c := list[0]
	c.Key, c.KeyFrom = key, "what you typed"
	return c, nil
}

// try asks an endpoint for its models, and for the proof that it takes the key.
func (a *Access) try(ctx context.Context, c catalog.Candidate) ([]providers.Model, error) {
	l, err := a.lister(c)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, fmt.Errorf("%s has no list of models, so a key cannot be checked there: put it into the environment", c.Label)
	}
	models, err := l.Models(ctx)
	if err == nil {
		err = a.prove(ctx, c)
	}
	return models, err
}
