package remember

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Start starts the program of a provider in a process group of its own, with its input
// and output, until ctx ends. wait returns its exit code once it has ended.
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
// by the first call. A program that ends, answers in another form or is late again and
// again is not asked any more: one call returns the reason, all others then do nothing.
type Command struct {
	asked
	start Start
	in    *input
	begin sync.Once
	begun chan struct{} // closed when the program answers or never will
	gone  chan struct{} // closed when it is not asked any more
	ended chan struct{} // closed when its process has ended

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
	c := &Command{
		start: o.Start, in: newInput(), waiting: map[int]chan answer{},
		begun: make(chan struct{}), gone: make(chan struct{}), ended: make(chan struct{}),
	}
	c.asked = asked{scan: o.Scan, ask: c.request, hears: c.hears}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

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

// Block implements [Provider]. It waits for the program to start.
func (c *Command) Block(ctx context.Context, s Session) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, beginTime+askTime)
	defer cancel()
	return c.asked.Block(ctx, s)
}

// hears reports whether the program is told of a verb. One that was not started is told
// of no end.
func (c *Command) hears(verb string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return verb != VerbEnd || c.runs && c.why == nil
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
	until(c.heard(), polite.Done())
	_, _ = c.ask(polite, request{Verb: VerbShutdown}, CloseTime)
	c.in.close()
	until(c.ended, polite.Done())
	c.fail(errClosed)
	select { // TERM and KILL come within moments
	case <-c.ended:
	case <-time.After(time.Second):
	}
}

// Problem is a failure of a provider, in a sentence for the user.
type Problem struct{ text string }

// Error implements error.
func (p *Problem) Error() string { return p.text }

func problem(format string, args ...any) error { return &Problem{fmt.Sprintf(format, args...)} }

// errClosed is why a program that was closed is not asked.
var errClosed = errors.New("the memory provider is closed")
