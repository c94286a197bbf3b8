package process

import (
	"errors"
	"io"
	"sync"
)

// maxInput is how much input a job may leave unread, in bytes.
const maxInput = 1 << 20

var (
	errInputClosed = errors.New("its input was closed")
	errInputFull   = errors.New("it does not read its input; wait until it does, or end it")
)

// input is what is typed into a job. Writing never blocks. It is safe for
// concurrent use.
type input struct {
	mu     sync.Mutex
	more   *sync.Cond
	buf    []byte
	closed bool
}

func newInput() *input {
	in := &input{}
	in.more = sync.NewCond(&in.mu)
	return in
}

// Read gives what was typed, and waits for more.
func (in *input) Read(b []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.buf) == 0 && !in.closed {
		in.more.Wait()
	}
	if len(in.buf) == 0 {
		return 0, io.EOF
	}
	n := copy(b, in.buf)
	in.buf = in.buf[n:]
	return n, nil
}

func (in *input) write(text string) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.closed:
		return errInputClosed
	case len(in.buf)+len(text) > maxInput:
		return errInputFull
	}
	in.buf = append(in.buf, text...)
	in.more.Broadcast()
	return nil
}

// close ends the input after what was typed. It may be called more than once.
func (in *input) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	in.more.Broadcast()
}
