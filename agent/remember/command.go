package remember

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

	mu      sync.Mutex
	started bool
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

// Block implements [Provider].
func (c *Command) Block(ctx context.Context, s Session) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, beginTime+askTime) // it waits for the program to start
	defer cancel()
	return c.text(ctx, request{Verb: "system_prompt_block", Session: s})
}

// Prefetch implements [Provider].
func (c *Command) Prefetch(ctx context.Context, s Session, message string, chars int) (string, error) {
	text, err := c.text(ctx, request{Verb: "prefetch", Session: s, Query: message, Chars: chars})
	if r := []rune(text); len(r) > chars {
		text = string(r[:chars])
	}
	return text, err
}

// text asks for a text that is to be shown to the model.
func (c *Command) text(ctx context.Context, r request) (string, error) {
	a, err := c.ask(ctx, r, askTime)
	if err != nil {
		return "", err
	}
	if found := c.o.Scan(a.Text); len(found) > 0 {
		return "", problem("The memory provider gave a text that reads as an attempt to take over the agent (%s): it was left out.", strings.Join(found, ", "))
	}
	return strings.TrimSpace(a.Text), nil
}

// Sync implements [Provider].
func (c *Command) Sync(s Session, t Turn, failed func(error)) {
	c.tell(request{Verb: "sync_turn", Session: s, Turn: t}, failed)
}

// Wrote implements [Provider].
func (c *Command) Wrote(s Session, w Write, failed func(error)) {
	c.tell(request{Verb: "memory_write", Session: s, Write: w}, failed)
}

// End implements [Provider].
func (c *Command) End(s Session) {
	if c.running() {
		c.tell(request{Verb: "session_end", Session: s}, func(error) {})
	}
}

func (c *Command) running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started && c.why == nil
}

// tell asks in the background.
func (c *Command) tell(r request, failed func(error)) {
	c.calls.Go(func() {
		if _, err := c.ask(c.ctx, r, tellTime); err != nil {
			failed(err)
		}
	})
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
	_, _ = c.ask(polite, request{Verb: "shutdown"}, CloseTime)
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
