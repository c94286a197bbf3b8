package app

import (
	"context"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/models"
)

type (
	// ModelInfo describes a model in a list.
	ModelInfo = api.ModelInfo
	// ModelGroup is what one endpoint offers.
	ModelGroup = api.ModelGroup
	// ModelPrice is what a million tokens of a model cost.
	ModelPrice = api.ModelPrice
	// Choice names a model of an endpoint.
	Choice = api.Choice
)

var _ api.Models = (*App)(nil)

// IsDemo reports whether a model is the built-in demonstration.
func IsDemo(m event.Model) bool { return models.IsDemo(m) }

// AskModels asks every endpoint that can be used for its models; see
// [models.Access.Ask].
func (a *App) AskModels(ctx context.Context, take func(ModelGroup)) error {
	return a.models.Ask(ctx, take)
}

// KeylessModels are the endpoints of the settings whose key is missing; see
// [models.Access.Keyless].
func (a *App) KeylessModels() map[string]string { return a.models.Keyless() }

// MissingServices are those of the settings that cannot be asked; see [models.Access.Missing].
func (a *App) MissingServices() []models.Missing { return a.models.Missing() }

// StandsIn reports whether the settings name a service, so that the demonstration only
// stands in for it.
func (a *App) StandsIn() bool { return a.models.StandsIn() }

// ProveModels is [App.AskModels] that has every endpoint show that it takes its key; see
// [models.Access.Prove].
func (a *App) ProveModels(ctx context.Context, take func(ModelGroup)) error {
	return a.models.Prove(ctx, take)
}

// About is what is known of a model without asking anyone.
func (a *App) About(m event.Model) ModelInfo { return a.models.About(m) }

// Pick changes what answers in a conversation, from its next turn on and whenever
// it is resumed; see [models.Access.Pick].
func (a *App) Pick(ctx context.Context, id event.ConvID, to Choice, known ModelInfo) error {
	a.mu.Lock()
	c := a.open[id]
	a.mu.Unlock()
	if c == nil {
		return journal.ErrClosed
	}
	rt, err := a.models.Pick(ctx, c.Runtime().Model, to, known)
	if err != nil {
		return err
	}
	return c.SetRuntime(rt)
}
