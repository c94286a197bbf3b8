package remember

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Start starts the program of a provider in a process group of its own, with its input
// and output, until ctx ends. wait gives its exit code once it has ended.
type Start func(ctx context.Context, in io.Reader, out, errs io.Writer) (wait func() (code int, err error), err error)

// CommandOptions say how a [Command] is run.
type CommandOptions struct {
	Start Start
	// Scan names what in a text tries to take over the agent; such a text is not used.
	Scan func(string) []string
}

// The times that a program has to answer.
const (
	beginTime = 5 * time.Second
	askTime   = 2 * time.Second
	tellTime  = 30 * time.Second
)

// maxSlow is how many answers may be late, one after the other, until the program is not
// asked any more.
const maxSlow = 3

// Command is a [Provider] that is a program: it reads a request a line from its input, as
// a JSON object, and answers each with a line of its output, in any order. It is started
// by the first call. One that ends, says what is no answer or is late again and again is
// not asked any more, and of that a call gets the error once; all others then do nothing.
type Command struct {
	o      CommandOptions
	ctx    context.Context // of the program
	cancel context.CancelFunc
	in     *input
	begin  sync.Once
	begun  chan struct{} // closed when the program answers or never will
	gone   chan struct{} // closed when it is not asked any more
	ended  chan struct{} // closed when its process has ended
	calls  sync.WaitGroup
	told   order

	mu      sync.Mutex
	runs    bool
	waiting map[int]chan answer
	last    int   // id of the newest request
	why     error // of gone
	said    bool  // a call got it
	slow    int
	strays  int
	errs    tail
}

var _ Provider = (*Command)(nil)

// NewCommand makes a provider that is a program. Nothing is started yet.
func NewCommand(o CommandOptions) *Command {
	c := &Command{o: o, in: newInput(), begun: make(chan struct{}), gone: make(chan struct{}), ended: make(chan struct{}), waiting: map[int]chan answer{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// Name implements [Provider].
func (*Command) Name() string { return "provider" }

// Available implements [Provider].
func (c *Command) Available(ctx context.Context) error {
	if err := c.started(ctx); err != nil { // which has asked
		return err
	}
	if c.isGone() {
		return c.lost()
	}
	return nil
}

// Begin implements [Provider].
func (c *Command) Begin(ctx context.Context, s Session) ([]Tool, error) {
	a, err := c.ask(ctx, request{Verb: VerbInitialize, Session: s}, beginTime)
	if err != nil {
		return nil, err
	}
	return usableTools(a.Tools, c.o.Scan)
}

// Block implements [Provider].
func (c *Command) Block(ctx context.Context, s Session) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, beginTime+askTime) // it waits for the program to start
	defer cancel()
	return c.text(ctx, request{Verb: VerbBlock, Session: s}, askTime)
}

// Prefetch implements [Provider].
func (c *Command) Prefetch(ctx context.Context, s Session, q Query) (string, error) {
	text, err := c.text(ctx, request{Verb: VerbPrefetch, Session: s, Event: Event{Query: q.Text}, Chars: q.Chars}, askTime)
	return beginning(text, q.Chars), err
}

// Compressing implements [Provider].
func (c *Command) Compressing(ctx context.Context, s Session, left []Message) (string, error) {
	text, err := c.text(ctx, request{Verb: VerbCompress, Session: s, Messages: clipped(left), Chars: compressChars}, beginTime)
	return beginning(text, compressChars), err
}

// Call implements [Provider].
func (c *Command) Call(ctx context.Context, s Session, tool string, args json.RawMessage) (string, error) {
	return c.text(ctx, request{Verb: VerbTool, Session: s, Tool: tool, Args: args}, tellTime)
}

// text asks for a text that is to be shown to the model.
func (c *Command) text(ctx context.Context, r request, within time.Duration) (string, error) {
	a, err := c.ask(ctx, r, within)
	if err != nil {
		return "", err
	}
	return usable(a.Text, c.o.Scan)
}

// Tell implements [Provider]. A program that was not started hears of no end.
func (c *Command) Tell(s Session, e Event, failed func(error)) {
	if e.Verb == VerbEnd && !c.running() {
		return
	}
	c.told.add(&c.calls, func() {
		if _, err := c.ask(c.ctx, request{Verb: e.Verb, Session: s, Event: e}, tellTime); err != nil {
			failed(err)
		}
	})
}

func (c *Command) running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs && c.why == nil
}

// Close implements [Provider].
func (c *Command) Close(ctx context.Context) {
	c.begin.Do(func() { // nothing was started, and nothing will be
		c.fail(errClosed)
		close(c.begun)
		close(c.ended)
	})
	polite, cancel := context.WithTimeout(ctx, CloseTime-time.Second)
	defer cancel()
	told := make(chan struct{})
	go func() {
		c.calls.Wait()
		close(told)
	}()
	select {
	case <-told:
	case <-polite.Done():
	}
	_, _ = c.ask(polite, request{Verb: VerbShutdown}, CloseTime)
	c.in.close()
	select {
	case <-c.ended:
	case <-polite.Done():
	}
	c.fail(errClosed)
	select { // TERM and KILL come within moments
	case <-c.ended:
	case <-time.After(time.Second):
	}
}

// Problem is what went wrong with a provider, in a sentence for the user.
type Problem struct{ text string }

// Error implements error.
func (p *Problem) Error() string { return p.text }

func problem(format string, args ...any) error { return &Problem{fmt.Sprintf(format, args...)} }

// errClosed is why a program that was closed is not asked.
var errClosed = errors.New("the memory provider is closed")
