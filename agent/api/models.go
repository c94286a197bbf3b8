package api

import (
	"context"
	"time"

	"hermes-tui/agent/event"
)

// Models is the topic of the models that answer.
type Models interface {
	// Services returns those that can be set up with a key, TryService asks one of them for its
	// models, Keep has a model of it answer from now on.
	Services() []Service
	TryService(ctx context.Context, s Service, key string) (ModelGroup, error)
	Keep(ctx context.Context, s Service, key, model string) error
	// AskModels asks every endpoint that can be used for its models. take is called on the
	// caller's goroutine: first once for each endpoint, then with each answer.
	AskModels(ctx context.Context, take func(ModelGroup)) error
	// About returns what is known about a model without asking anyone.
	About(m event.Model) ModelInfo
	// Pick has a model answer in a conversation from the next turn on; known is what its
	// endpoint has said about it, the zero value where it was not asked.
	Pick(ctx context.Context, id event.ConvID, to Choice, known ModelInfo) error
}

// Choice names a model of an endpoint. An empty provider is the endpoint that
// answers now; an empty host is any of that provider.
type Choice struct{ Provider, Host, Name string }

// Service is a model service that a user can set up: one of the catalogue that opens with
// a key, or, with an ID that stands for none of these, an address.
type Service struct {
	ID, Name string
	// Variable is the environment variable that may hold its key, KeyPage where keys are
	// made.
	Variable, KeyPage string
	// Address is that of a service that the catalogue does not know.
	Address string
}

// ModelGroup holds the models of one endpoint.
type ModelGroup struct {
	// At is its place among the others, from 0.
	At int
	// Provider and Host name the endpoint, for [Choice]; Label is for people, Aliases
	// are other names that people know the provider by.
	Provider, Host, Label string
	Aliases               []string
	// Key says where the credential comes from, as in [ModelInfo].
	Key string
	// Asking reports whether the endpoint has yet to answer.
	Asking bool
	// Problem says in a sentence why its models could not be listed. There may be
	// models all the same: those of the settings.
	Problem string
	Models  []ModelInfo
	// Usual is the default among them.
	Usual string
	// Took is how long the answer took.
	Took time.Duration
}

// ModelPrice is the price of a million tokens of a model, CacheRead that of tokens from a prompt
// cache. All are 0 where the calls are paid for already.
type ModelPrice struct {
	Input, Output, CacheRead event.Money
	// Old is the date of the price list of this program where that is long ago, else zero.
	Old time.Time
}

// ModelInfo describes a model in a list.
type ModelInfo struct {
	Provider   string // id, for [Models.Pick]
	Label      string // of the provider
	Name       string
	ContextMax int
	// OutputMax is the longest answer in tokens, 0 if unknown.
	OutputMax int
	// Sees, Reasons and Calls say whether the model takes images, reasons, and calls
	// tools.
	Sees, Reasons, Calls event.Ability
	// Price is what a million tokens cost, nil where it is not known.
	Price *ModelPrice
	// Key says where the credential comes from, "env NAME", "config.yaml", "a login";
	// empty where none is needed.
	Key string
	// Problem says why the provider's models could not be listed; Name is empty
	// then.
	Problem string
}
