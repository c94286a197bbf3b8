package uitest

import (
	"io"
	"sync"
)

// queue is what is to be typed: any amount, in order. Whoever adds to it never
// waits, so that a program that does not read holds up no one else.
type queue struct {
	mu     sync.Mutex
	data   []byte
	closed bool
	wake   chan struct{} // has one place
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// add appends to the queue; after close it does nothing.
func (q *queue) add(p []byte) {
	q.mu.Lock()
	if !q.closed {
		q.data = append(q.data, p...)
	}
	q.mu.Unlock()
	q.poke()
}

// close ends [queue.drain].
func (q *queue) close() {
	q.mu.Lock()
	q.closed, q.data = true, nil
	q.mu.Unlock()
	q.poke()
}

func (q *queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// drain writes what is added until the queue is closed or writing fails.
func (q *queue) drain(w io.Writer) {
	for range q.wake {
		q.mu.Lock()
		data, closed := q.data, q.closed
		q.data = nil
		q.mu.Unlock()
		if closed {
			return
		}
		if _, err := w.Write(data); err != nil {
			return
		}
	}
}

// copyTo adds all that is read.
func (q *queue) copyFrom(r io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		q.add(buf[:n])
		if err != nil {
			return
		}
	}
}

// discard reads and forgets.
func discard(r io.Reader) { _, _ = io.Copy(io.Discard, r) }
