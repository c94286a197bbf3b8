package bind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"hermes-tui/tools/place"
	"hermes-tui/tools/web"
)

// readerPatience is how long the process that makes a text, which ends itself before that,
// is waited for.
const readerPatience = 40 * time.Second

// readersAtOnce is how many of them work at a time: each may take a gigabyte.
const readersAtOnce = 2

// TextReader makes text of pages with processes of this program, which are confined where the
// place can do that: they reach no network.
func TextReader(p place.Place, env []string) web.Reader {
	busy := make(chan struct{}, readersAtOnce)
	return func(ctx context.Context) web.Making {
		ctx, cancel := context.WithCancelCause(ctx)
		m := &making{cancel: cancel, busy: busy, out: &bounded{left: web.MaxAnswer}, said: &bounded{left: 1000}, over: make(chan struct{})}
		in, feed := io.Pipe()
		m.feed = feed
		go func() {
			defer close(m.over)
			m.code, m.err = m.run(ctx, p, env, in)
			_ = in.Close()
		}()
		return m
	}
}

// making is a process that makes a text.
type making struct {
	cancel    context.CancelCauseFunc
	busy      chan struct{}
	feed      *io.PipeWriter
	out, said *bounded

	over chan struct{} // closed when these are set
	code int
	err  error
}

// run runs the process to its end.
func (m *making) run(ctx context.Context, p place.Place, env []string, in io.Reader) (int, error) {
	self, err := program()
	if err != nil {
		return 0, err
	}
	proc := place.Proc{Argv: append([]string{self}, web.ReaderArgs()...), Dir: os.TempDir(), Env: userEnv(env), Stdin: in, Stdout: m.out, Stderr: m.said}
	if p.Info().Confines {
		proc.Confine = &place.Confine{}
	}
	wait, err := startUser(ctx, p, proc)
	if err != nil {
		return 0, err
	}
	return wait()
}

// program is the path by which this program starts itself.
func program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil // confined processes need not see the file, and it may have been replaced
	}
	return os.Executable()
}

// Close implements [web.Making].
func (m *making) Close() {
	m.cancel(context.Canceled)
	<-m.over
}

// Text implements [web.Making].
func (m *making) Text(ctx context.Context, s web.Source) (made web.Made, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readerPatience, errors.New("it takes too long to read"))
	defer cancel()
	select {
	case m.busy <- struct{}{}:
		defer func() { <-m.busy }()
	case <-ctx.Done():
		return made, context.Cause(ctx)
	}
	stop := context.AfterFunc(ctx, func() { m.cancel(context.Cause(ctx)) })
	defer stop()
	_, err = io.Copy(m.feed, web.Ask(s))
	_ = m.feed.Close()
	<-m.over
	switch {
	case ctx.Err() != nil:
		return made, context.Cause(ctx)
	case m.err != nil:
		return made, fmt.Errorf("it cannot be read: %w", m.err)
	case m.code != 0:
		return made, web.Refused(m.said.String())
	case err != nil: // it has ended before it had read all
		return made, fmt.Errorf("it cannot be read: %w", err)
	}
	return web.Answer(m.out.Bytes())
}
