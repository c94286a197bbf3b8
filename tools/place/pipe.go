package place

import (
	"io"
	"os"
	"time"
)

// pipe carries one output of a process to a writer.
type pipe struct {
	r, w *os.File
	to   io.Writer
	eof  chan struct{} // closes when copy has returned
	buf  []byte        // belongs to copy, afterwards to sweep
}

func newPipe(to io.Writer) (*pipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if to == nil {
		to = io.Discard
	}
	return &pipe{r: r, w: w, to: to, eof: make(chan struct{})}, nil
}

// copyBuffer is as large as a pipe usually is.
const copyBuffer = 64 << 10

// copy runs until the other end is closed by all, or a deadline passes.
func (p *pipe) copy() {
	defer close(p.eof)
	p.buf = make([]byte, copyBuffer)
	for {
		n, err := p.r.Read(p.buf)
		if n > 0 {
			_, _ = p.to.Write(p.buf[:n]) // refused output is dropped
		}
		if err != nil {
			return
		}
	}
}

// finish waits for the end of the output, for grace at most. What lay in the
// pipe until then is delivered even when the machine was too busy to read it. With keep,
// what is written later is read and dropped, so that who writes it goes on.
func (p *pipe) finish(grace time.Duration, keep bool) {
	if p.r.SetReadDeadline(time.Now().Add(grace)) == nil {
		<-p.eof
		p.sweep()
		if keep && p.r.SetReadDeadline(time.Time{}) == nil {
			go p.drop()
			return
		}
		_ = p.r.Close()
		return
	}
	late := time.NewTimer(grace) // no deadlines for pipes on this system
	defer late.Stop()
	select {
	case <-p.eof:
	case <-late.C:
	}
	_ = p.r.Close()
}

// drop reads on until the other end is closed by all.
func (p *pipe) drop() {
	_, _ = io.Copy(io.Discard, p.r)
	_ = p.r.Close()
}

// feed gives a process its input. It ends with the input, or when the process
// no longer reads.
func feed(w *os.File, r io.Reader) {
	_, _ = io.Copy(w, r) // a process need not read all of it
	_ = w.Close()
}
