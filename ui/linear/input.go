package linear

import (
	"bufio"
	"context"
	"io"
	"time"
)

// burstTime is how soon a line must follow another one to belong to the same paste.
const burstTime = 50 * time.Millisecond

// lineBytes bounds a line of input.
const lineBytes = 4 << 20

// line is a line of input.
type line struct {
	text  string
	at    time.Time
	ended bool
}

// reader reads the input of a run.
type reader struct {
	in       io.Reader
	ctx      context.Context
	now      func() time.Time
	terminal bool
}

// read reads the input. On a terminal, lines that follow each other within a burst are one.
func (r reader) read(lines chan<- line) {
	single := make(chan line)
	go r.scan(single)
	for l := range single {
		ended := l.ended
		for burst := time.After(burstTime); r.terminal && !ended; burst = time.After(burstTime) {
			next, more := line{}, false
			select {
			case next, more = <-single:
			case <-burst:
			}
			if ended = next.ended; !more || ended {
				break
			}
			l.text += "\n" + next.text
		}
		r.hand(lines, l)
		if ended && !l.ended {
			r.hand(lines, line{ended: true})
		}
	}
}

// scan reads the lines of the input.
func (r reader) scan(lines chan<- line) {
	defer close(lines)
	in := bufio.NewScanner(r.in)
	in.Buffer(nil, lineBytes)
	for in.Scan() {
		if !r.hand(lines, line{text: in.Text(), at: r.now()}) {
			return
		}
	}
	r.hand(lines, line{ended: true})
}

// hand sends a line, and reports whether any is still taken.
func (r reader) hand(lines chan<- line, l line) bool {
	select {
	case lines <- l:
		return true
	case <-r.ctx.Done():
		return false
	}
}
