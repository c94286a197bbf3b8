package scrub

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// line knows what is shown on the present line, and whether it is code. The zero
// value is the beginning of a text.
type line struct {
	code  bool // whether to follow code
	inked bool // more than white space is shown
	long  bool // openings on this line are mentions
	last  rune // the last that is shown

	run   int  // length of the run of backticks or tildes that is shown last
	mark  byte // what it is made of
	first bool // it starts the line

	ticks   int  // backticks that opened the code span, 0 outside of one
	fence   byte // what opened the fenced block, 0 outside of one
	width   int  // how many of them
	info    bool // still on the line that opened it
	closing bool // on a line that closes it if nothing else follows
}

// see takes text that is shown. It must not end inside a rune that continues in
// the next text.
func (l *line) see(s string) {
	if s == "" {
		return
	}
	if l.code && (l.run > 0 || l.info || l.closing || strings.IndexByte(s, '`') >= 0 || strings.IndexByte(s, '~') >= 0) {
		l.follow(s)
	} else {
		l.skim(s)
	}
	l.last, _ = utf8.DecodeLastRuneInString(s)
}

// skim takes text that begins and ends no code.
func (l *line) skim(s string) {
	if (l.long || l.ticks > 0) && strings.IndexByte(s, '\n') >= 0 {
		l.end()
	}
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if r == '\n' {
			l.inked = false
			return
		}
		if !unicode.IsSpace(r) {
			l.inked = true
			return
		}
		s = s[:len(s)-n]
	}
}

// follow takes any text.
func (l *line) follow(s string) {
	for _, r := range s {
		if r == '`' || r == '~' {
			l.add(byte(r))
			continue
		}
		l.settle()
		switch {
		case r == '\n':
			l.end()
		case !unicode.IsSpace(r):
			l.inked, l.closing = true, false
		}
	}
}

// add takes a backtick or tilde.
func (l *line) add(c byte) {
	if l.run > 0 && c == l.mark {
		l.run++
		return
	}
	l.settle()
	l.run, l.mark, l.first = 1, c, !l.inked
	l.inked, l.closing = true, false
}

// settle ends a run of backticks or tildes: what comes next is something else.
func (l *line) settle() {
	n := l.run
	l.run = 0
	switch {
	case n == 0:
	case l.info && l.mark == '`' && l.fence == '`':
		// The line that opens a block has no further backticks: this is a span.
		l.ticks, l.fence, l.info = l.width, 0, false
		l.span(n)
	case l.info:
	case l.fence != 0:
		l.closing = l.first && l.mark == l.fence && n >= l.width
	case l.first && n >= 3:
		l.fence, l.width, l.info = l.mark, n, true
	case l.mark == '`':
		l.span(n)
	}
}

// span takes a run of n backticks inside a line.
func (l *line) span(n int) {
	switch l.ticks {
	case 0:
		l.ticks = n
	case n:
		l.ticks = 0
	}
}

// end takes a line break.
func (l *line) end() {
	if l.closing {
		l.fence = 0
	}
	l.inked, l.long, l.ticks, l.info, l.closing = false, false, 0, false, false
}

// inCode reports whether what comes next is code.
func (l *line) inCode() bool { return l.fence != 0 || l.ticks > 0 }

// quoted reports whether what comes next stands directly behind a quotation mark or
// a backtick.
func (l *line) quoted() bool {
	switch l.last {
	case '`', '"', '\'', '“', '‘', '«', '「':
		return true
	}
	return false
}

// unfinished is the number of bytes at the end of s that may be the beginning of
// a rune.
func unfinished(s string) int {
	for n := 1; n < min(utf8.UTFMax, len(s)+1); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if c < utf8.RuneSelf || utf8.FullRuneInString(s[len(s)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
