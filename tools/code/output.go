package code

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// capture passes output on as it comes and keeps the beginning and the end of it.
// It belongs to one goroutine at a time.
type capture struct {
	live      io.Writer
	head, max int // bytes kept of the beginning, and in all

	first, last []byte
	total       int
}

// newCapture keeps max bytes, head of them from the beginning.
func newCapture(live io.Writer, head, max int) *capture {
	return &capture{live: live, head: head, max: max}
}

// Write implements [io.Writer]. It never fails.
func (c *capture) Write(b []byte) (int, error) {
	_, _ = c.live.Write(b) // a sink does not fail
	n := len(b)
	c.total += n
	if room := c.head - len(c.first); room > 0 {
		take := min(room, len(b))
		c.first = append(c.first, b[:take]...)
		b = b[take:]
	}
	room := c.max - c.head
	if len(b) > room {
		b = b[len(b)-room:]
	}
	if c.last = append(c.last, b...); len(c.last) > 2*room {
		c.last = append(c.last[:0], c.last[len(c.last)-room:]...)
	}
	return n, nil
}

// text is what is kept, without control sequences of terminals. A note stands for
// what is left out.
func (c *capture) text() string {
	if c.total <= c.max {
		return trim(plain(string(c.first) + string(c.last)))
	}
	first, last := c.first, c.last[max(0, len(c.last)-(c.max-c.head)):]
	for len(first) > 0 && !whole(first) {
		first = first[:len(first)-1]
	}
	for len(last) > 0 && !utf8.RuneStart(last[0]) {
		last = last[1:]
	}
	note := fmt.Sprintf("[… %d of %d bytes left out …]", c.total-len(first)-len(last), c.total)
	if len(last) == 0 {
		return trim(plain(string(first))) + "\n" + note
	}
	return trim(plain(string(first)) + "\n\n" + note + "\n\n" + plain(string(last)))
}

// whole reports whether bytes do not end within a character.
func whole(b []byte) bool {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			return utf8.FullRune(b[i:])
		}
	}
	return true
}

// trim drops blank space at the end and empty lines at the beginning.
func trim(s string) string {
	return strings.TrimLeft(strings.TrimRight(s, " \t\r\n"), "\r\n")
}

// plain removes control sequences of terminals and control characters other than
// tabs and line breaks, and makes the rest valid UTF-8.
func plain(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsFunc(s, control) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += sequence(s[i:])
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !control(r) {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// control reports whether a character does something instead of being shown.
func control(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0
}

// longestSequence is how far the end of a control sequence is looked for.
const longestSequence = 4096

// sequence gives the length of the control sequence at the beginning of s, which
// is ESC. Without an end it is the ESC alone, so that it cannot hide text.
func sequence(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch c := s[1]; {
	case c == '[':
		for i := 2; i < min(len(s), longestSequence); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e {
				break
			}
		}
	case strings.IndexByte("]PX^_", c) >= 0:
		for i := 2; i < min(len(s), longestSequence); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
	case c >= 0x20 && c <= 0x2f:
		if len(s) > 2 && s[2] >= 0x30 && s[2] <= 0x7e {
			return 3
		}
	case c >= 0x30 && c <= 0x7e:
		return 2
	}
	return 1
}

// shared lets two writers use one sink.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

// Write implements [io.Writer].
func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(b)
}
