package screen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	uv "github.com/charmbracelet/ultraviolet"
)

// reading is a go of reading from the terminal.
type reading struct {
	keys interface {
		io.ReadCloser
		Cancel() bool // ends a Read that waits
	}
	cancel context.CancelFunc
	close  func()      // ends what lies between keys and their decoder
	lends  atomic.Bool // it ends since the terminal is lent
	ended  chan struct{}
}

// listen begins to read, until ctx ends.
func (t *Terminal) listen(ctx context.Context) error {
	keys, err := uv.NewCancelReader(t.tty)
	if err != nil {
		return fmt.Errorf("read from the terminal: %w", err)
	}
	r := &reading{keys: keys, close: func() {}, ended: make(chan struct{})}
	ctx, r.cancel = context.WithCancel(ctx)
	t.mu.Lock()
	t.reads = r
	t.mu.Unlock()
	go t.guard(func() {
		defer close(r.ended)
		t.read(ctx, r)
	})
	return nil
}

// deafen ends reading, without waiting for that.
func (t *Terminal) deafen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads.cancel()
	t.reads.keys.Cancel()
}

// errNoTerminal is why nothing can be lent.
var errNoTerminal = errors.New("there is no terminal")

// Lend gives the terminal to another program that do runs, as it was before, and takes it
// again when do returns. Nothing is read or shown meanwhile. It must not be called on the
// goroutine that takes what the terminal sends.
func (t *Terminal) Lend(do func(in io.Reader, out io.Writer, environ []string) error) error {
	if t.console == nil || t.ctx == nil {
		return errNoTerminal
	}
	t.mu.Lock()
	r := t.reads
	t.mu.Unlock()
	r.lends.Store(true)
	r.keys.Cancel() // what it has read by now is still told
	<-r.ended
	r.cancel()
	_ = r.keys.Close() // which closes nothing that is read from
	t.lent.Store(true)
	t.giveBack()
	err := do(t.tty, t.out, t.environ)
	t.lent.Store(false)
	if t.ctx.Err() != nil { // the program has left meanwhile
		return err
	}
	t.takeAgain()
	return errors.Join(err, t.listen(t.ctx))
}
