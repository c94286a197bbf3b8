package agent

import (
	"context"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/failure"
)

// Runtime is what answers: a client and what is known of the model behind it.
type Runtime struct {
	Client providers.Client
	Model  event.Model
	// MaxOutput caps answers in tokens; 0 leaves it to the provider.
	MaxOutput int
	// Ceiling is the longest answer the model can give in tokens, 0 if unknown.
	Ceiling int
	// CacheFor is how long prompts are to be kept where a provider wants marks; 0
	// marks nothing.
	CacheFor time.Duration
	// Account stands for the credential and the address; it shows neither.
	Account string
	// KeyFrom says where the credential comes from, empty if unknown; see
	// [failure.Context].
	KeyFrom string
	// KeyPage is where new ones are made, empty if unknown.
	KeyPage string
	// Login is the command that logs in, empty if there is none.
	Login string
	// Keys are the credentials of the service, nil for one that cannot change.
	Keys Keys
	// Stale is how long an answer may bring nothing new before the call counts as
	// stuck; 0 is for ever. Large prompts get longer.
	Stale time.Duration
	// Local says that the model runs on this machine or in its network, so that calls
	// side by side hold each other up.
	Local bool
	// Longest is how long a whole model call may take, however much it brings; 0 is
	// for ever.
	Longest time.Duration
	// Reset drops the connections to the service, so that the next request opens
	// a new one. It may be nil.
	Reset func()
	// Learnt hears of a context window in tokens that the service stated in an
	// error. It must not block, and may be nil.
	Learnt func(tokens int)
	// Offline says that the service was not heard yet. The badge of the model, which says
	// so to the user, goes with its first answer.
	Offline bool
	// Worked hears of the size in tokens of prompts that the service answered. It
	// must not block, and may be nil.
	Worked func(tokens int)
	// Dearer is the size that a prompt of so many tokens is beyond, and so costs more, 0 if
	// there is none; nil when nothing is known.
	Dearer func(tokens int) int
	// Price says what a call cost; nil when nothing is known.
	Price func(providers.Usage) event.Bill
}

// bill is what a call cost.
func (rt Runtime) bill(u *providers.Usage) event.Bill {
	if rt.Price == nil || u == nil {
		return event.Bill{Status: event.CostUnknown}
	}
	return rt.Price(*u)
}

// Keys are the credentials of a service. Methods are safe for concurrent use.
type Keys interface {
	// Client gives a client with the credential that is due. It is asked at the
	// start of a turn; an error says that none can be used now.
	Client(ctx context.Context) (providers.Client, error)
	// Spare counts the usable credentials beside the one in use.
	Spare() int
	// Renewable reports whether the credential in use can be renewed.
	Renewable() bool
	// Rotate sets the credential in use aside because of a failure and gives a
	// client with another one; nil when there is none.
	Rotate(ctx context.Context, f recovery.Fault) (providers.Client, error)
	// Renew renews the credential in use; nil when that did not work.
	Renew(ctx context.Context) (providers.Client, error)
	// Good says that the service answered.
	Good(ctx context.Context)
}

// Fallback is a service to go to when another one fails.
type Fallback struct {
	// Name is how the user knows it.
	Name string
	// Open connects to it.
	Open func(ctx context.Context) (Runtime, error)
}

// The sizes of a prompt, in tokens, from which on an answer may take longer to
// go on, and how long.
const (
	largePrompt, hugePrompt = 50_000, 100_000
	largeStale, hugeStale   = 240 * time.Second, 300 * time.Second
)

// stale is how long an answer to a prompt may bring nothing new; 0 is for ever.
func (rt Runtime) stale(tokens int) time.Duration {
	switch {
	case rt.Stale <= 0:
		return 0
	case tokens > hugePrompt:
		return max(rt.Stale, hugeStale)
	case tokens > largePrompt:
		return max(rt.Stale, largeStale)
	}
	return rt.Stale
}

// means is what a turn with this runtime can fall back on.
func (rt Runtime) means(fallbacks int, compression bool) recovery.Means {
	m := recovery.Means{Fallbacks: fallbacks, Compression: compression}
	if rt.Keys != nil {
		m.Spare, m.Refresh = rt.Keys.Spare(), rt.Keys.Renewable()
	}
	return m
}

// about is what is known of a request to this runtime.
func (rt Runtime) about(tokens, messages int) failure.Context {
	return failure.Context{
		KeyFrom: rt.KeyFrom, KeyPage: rt.KeyPage, Login: rt.Login,
		Provider: rt.Model.Provider, Model: rt.Model.Name, ContextMax: rt.Model.ContextMax, Tokens: tokens, Messages: messages,
	}
}
