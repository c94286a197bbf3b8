package agent

import (
	"context"
	"sync"

	"hermes-tui/agent/event"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
)

// learnt is what the agents of a conversation found out about services: the forms of requests
// that those turned out to need. It is safe for concurrent use.
type learnt struct {
	mu sync.Mutex
	of map[endpoint]recovery.Shape
}

// about returns what is known of a model.
func (l *learnt) about(m event.Model) recovery.Shape {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[endpointOf(m)]
}

// keep adds what a request to a model had to be like.
func (l *learnt) keep(m event.Model, s recovery.Shape) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[endpoint]recovery.Shape{}
	}
	l.of[endpointOf(m)] = s.Lasting().And(l.of[endpointOf(m)])
}

// Knowing returns a client for side calls of the conversation, whose requests have the form that
// the model at m turned out to need.
func (c *Conversation) Knowing(m event.Model, client providers.Client) providers.Client {
	k := &knowing{client, func() recovery.Shape { return c.learnt.about(m) }}
	if e, makes := client.(providers.Embedder); makes {
		return struct {
			*knowing
			providers.Embedder
		}{k, e}
	}
	return k
}

type knowing struct {
	providers.Client
	shape func() recovery.Shape
}

// Stream implements [providers.Client].
func (k *knowing) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	return k.Client.Stream(ctx, reshape(r, k.shape()))
}

// Unwrap returns the client below, for [providers.As].
func (k *knowing) Unwrap() providers.Client { return k.Client }
