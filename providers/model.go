package providers

import "context"

// Model is what is known of a model. Figures are 0, and everything else empty, where
// no one says. It is written to files as JSON.
type Model struct {
	ID string `json:"id"`
	// Name is for people.
	Name string `json:"name,omitempty"`
	// ContextMax is in tokens, 0 if unknown.
	ContextMax int `json:"context_max,omitempty"`
	// OutputMax is in tokens, 0 if unknown.
	OutputMax int `json:"output_max,omitempty"`
	// What the model can do.
	Vision    Ability `json:"vision,omitempty"`
	Tools     Ability `json:"tools,omitempty"`
	Reasoning Ability `json:"reasoning,omitempty"`
	// Price is what the endpoint says its tokens cost, nil if it says nothing.
	Price *ListPrice `json:"price,omitempty"`
}

// Ability says whether a model can do something.
type Ability int8

// The answers, as numbers in files. The zero value is that no one knows.
const (
	Unknown Ability = 0
	Yes     Ability = 1
	No      Ability = 2
)

// ListPrice is what an endpoint charges, in US dollars per token as it wrote them;
// an empty text is a price that it does not name.
type ListPrice struct {
	Input      string `json:"input,omitempty"`
	Output     string `json:"output,omitempty"`
	CacheRead  string `json:"cache_read,omitempty"`
	CacheWrite string `json:"cache_write,omitempty"`
}

// Lister is a [Client] whose endpoint tells what it offers.
type Lister interface {
	// Models asks for the list, in the endpoint's own order. An answer that is no
	// such list is an [*Error] of [ErrorProtocol].
	Models(ctx context.Context) ([]Model, error)
}

// Reasoner is a [Client] that knows how much reasoning models can be asked for.
type Reasoner interface {
	// Effort is the effort that is asked for where another is wanted: the nearest that the
	// model takes, "on" where reasoning can only be switched, empty where nothing is sent.
	Effort(model, wanted string) string
}

// Steerer is a [Client] that can change the effort of some models within a conversation
// so that a prompt cache keeps what was said before.
type Steerer interface {
	// Steers reports whether it can do so from one wanted effort to another.
	Steers(model, from, to string) bool
}

// As returns what a client can do besides, or one that it wraps: a wrapper has a method Unwrap
// that returns the client below.
func As[T any](c Client) (able T, ok bool) {
	for c != nil {
		if able, ok = c.(T); ok {
			return able, true
		}
		w, wraps := c.(interface{ Unwrap() Client })
		if !wraps {
			break
		}
		c = w.Unwrap()
	}
	return able, false
}

// Embedder is a [Client] whose endpoint turns texts into vectors.
type Embedder interface {
	// Embed gives a vector for each text, all of one length; usage is nil when the
	// endpoint does not say. An answer that is no such list is an [*Error] of
	// [ErrorProtocol].
	Embed(ctx context.Context, model string, texts []string) (vectors [][]float32, usage *Usage, err error)
}

// Describer is a [Client] that may know more of one model than a list usually says.
type Describer interface {
	// LoadsModels reports whether the endpoint is a server that loads models on demand and
	// so has more to say of one.
	LoadsModels() bool
	// TakesWindow reports whether the context window is the one that is asked for; see
	// [Endpoint.Window].
	TakesWindow() bool
	// Describe asks the endpoint about one model. Where it says nothing, only the id is
	// set.
	Describe(ctx context.Context, model string) (Model, error)
}
