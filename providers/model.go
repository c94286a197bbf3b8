package providers

import "context"

// Model is what is known of a model that an endpoint offers. Figures are 0, and
// everything else empty, where the endpoint does not say.
type Model struct {
	ID string
	// Name is for people.
	Name string
	// ContextMax and OutputMax are in tokens.
	ContextMax int
	OutputMax  int
	// What the model can do.
	Vision    Ability
	Tools     Ability
	Reasoning Ability
	// Price is what the endpoint says its tokens cost, nil if it says nothing.
	Price *ListPrice
}

// Ability tells whether a model can do something.
type Ability int8

// The answers. The zero value is that nobody knows.
const (
	Unsaid Ability = iota
	Able
	Unable
)

// ListPrice is what an endpoint charges, in US dollars per token as it wrote them;
// an empty text is a price that it does not name.
type ListPrice struct {
	Input, Output, CacheRead, CacheWrite string
}

// Lister is a [Client] whose endpoint tells what it offers.
type Lister interface {
	// Models asks for the list, in the endpoint's own order. An answer that is no
	// such list is an [*Error] of [ErrorProtocol].
	Models(ctx context.Context) ([]Model, error)
}
