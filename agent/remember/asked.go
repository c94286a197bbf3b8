package remember

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// asked is what providers outside of the program have in common: each method of [Provider]
// is a request, and an answer that is bounded and looked through.
type asked struct {
	scan func(string) []string
	// ask sends a request, and waits so long for the answer.
	ask func(ctx context.Context, r request, within time.Duration) (answer, error)
	// hears reports whether the provider is told of a verb.
	hears func(verb string) bool

	ctx    context.Context // of what it is told
	cancel context.CancelFunc
	calls  sync.WaitGroup
	told   order
}

// Name implements [Provider].
func (*asked) Name() string { return "provider" }

// Begin implements [Provider].
func (p *asked) Begin(ctx context.Context, s Session) ([]Tool, error) {
	a, err := p.ask(ctx, request{Verb: VerbInitialize, Session: s}, beginTime)
	if err != nil {
		return nil, err
	}
	return usableTools(a.Tools, p.scan)
}

// Block implements [Provider].
func (p *asked) Block(ctx context.Context, s Session) (string, error) {
	return p.text(ctx, request{Verb: VerbBlock, Session: s}, askTime)
}

// Prefetch implements [Provider].
func (p *asked) Prefetch(ctx context.Context, s Session, q Query) (string, error) {
	r := request{Verb: VerbPrefetch, Session: s, Event: Event{Query: q.Text}, Chars: q.Chars}
	text, err := p.text(ctx, r, askTime)
	return beginning(text, q.Chars), err
}

// Compressing implements [Provider].
func (p *asked) Compressing(ctx context.Context, s Session, left []Message) (string, error) {
	r := request{Verb: VerbCompress, Session: s, Messages: clipped(left), Chars: compressChars}
	text, err := p.text(ctx, r, beginTime)
	return beginning(text, compressChars), err
}

// Call implements [Provider].
func (p *asked) Call(ctx context.Context, s Session, tool string, args json.RawMessage) (string, error) {
	return p.text(ctx, request{Verb: VerbTool, Session: s, Tool: tool, Args: args}, tellTime)
}

// text asks for a text that is to be shown to the model.
func (p *asked) text(ctx context.Context, r request, within time.Duration) (string, error) {
	a, err := p.ask(ctx, r, within)
	if err != nil {
		return "", err
	}
	return usable(a.Text, p.scan)
}

// Tell implements [Provider].
func (p *asked) Tell(s Session, e Event, failed func(error)) {
	if !p.hears(e.Verb) {
		return
	}
	p.told.add(&p.calls, func() {
		if _, err := p.ask(p.ctx, request{Verb: e.Verb, Session: s, Event: e}, tellTime); err != nil {
			failed(err)
		}
	})
}

// heard returns a channel that is closed when the provider has heard all that it was told.
func (p *asked) heard() <-chan struct{} {
	all := make(chan struct{})
	go func() {
		p.calls.Wait()
		close(all)
	}()
	return all
}

// until waits until either channel is closed.
func until(done, enough <-chan struct{}) {
	select {
	case <-done:
	case <-enough:
	}
}
