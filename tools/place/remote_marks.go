package place

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"hermes-tui/tools/shorten"
)

// markFilter takes what the client of a process delivers and passes on what the
// process itself wrote. The script in the place writes a mark before the
// program starts and one after it has ended, each with a number; what comes
// before the first mark was said by something on the way. After the second,
// output of what the process left behind goes on.
type markFilter struct {
	begin, end []byte // up to the number, which ends with a semicolon

	mu     sync.Mutex
	to     io.Writer // nil once it must not be used any more
	hold   []byte    // not decided yet
	before tail
	begun  bool
	done   bool

	first chan int      // gets the number of the first mark, once
	last  chan int      // gets that of the second, once
	ended chan struct{} // closes at the second mark or the end of the stream
}

func newMarkFilter(to io.Writer, begin, end string) *markFilter {
	if to == nil {
		to = io.Discard
	}
	return &markFilter{
		to: to, begin: markStart(begin), end: markStart(end),
		first: make(chan int, 1), last: make(chan int, 1), ended: make(chan struct{}),
	}
}

// markStart is what a script writes before the number.
func markStart(nonce string) []byte { return []byte("\x1e" + nonce + " ") }

// Write takes a part of the stream. It never fails.
func (s *markFilter) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data := b
	if len(s.hold) > 0 {
		data = append(s.hold, b...)
		s.hold = nil
	}
	for !s.done && len(data) > 0 {
		mark := s.begin
		if s.begun {
			mark = s.end
		}
		i, number, after := findMark(data, mark)
		s.pass(data[:i])
		if after < 0 {
			s.hold = bytes.Clone(data[i:])
			return len(b), nil
		}
		s.marked(number)
		data = data[after:]
	}
	s.pass(data)
	return len(b), nil
}

// findMark finds a mark. Data up to i is none of it; after is where it ends, or
// -1 when it is not there, or not whole.
func findMark(data, mark []byte) (i, number, after int) {
	for from := 0; ; {
		i = bytes.Index(data[from:], mark)
		if i < 0 {
			return len(data) - partOf(data, mark), 0, -1
		}
		i += from
		rest := data[i+len(mark):]
		if n, ok := digits(rest); ok {
			return i, n, i + len(mark) + bytes.IndexByte(rest, ';') + 1
		}
		if len(rest) < 11 {
			return i, 0, -1
		}
		from = i + 1
	}
}

// partOf is how much of the end of data may be the beginning of mark.
func partOf(data, mark []byte) int {
	for n := min(len(data), len(mark)-1); n > 0; n-- {
		if data[len(data)-n] == mark[0] && bytes.HasPrefix(mark, data[len(data)-n:]) {
			return n
		}
	}
	return 0
}

func (s *markFilter) pass(data []byte) {
	switch {
	case len(data) == 0:
	case !s.begun:
		_, _ = s.before.Write(data)
	case s.to != nil:
		_, _ = s.to.Write(data) // refused output is dropped
	}
}

func (s *markFilter) marked(number int) {
	if !s.begun {
		s.begun = true
		s.first <- number
		return
	}
	s.done = true
	s.last <- number
	close(s.ended)
}

// finish notes the end of the stream. What was held back is delivered.
func (s *markFilter) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass(s.hold)
	s.hold = nil
	if !s.done {
		s.done = true
		close(s.ended)
	}
}

// stop makes sure that the writer is not used any more.
func (s *markFilter) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = nil
}

// opening is what was said before the process began.
func (s *markFilter) opening() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(s.before.words() + " " + shorten.Join(string(s.hold)))
}
