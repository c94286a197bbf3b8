package redact

import (
	"bytes"
	"io"
	"strings"
)

// LongestHeld is how many bytes of an unfinished line a [Writer] holds back.
const LongestHeld = 8 << 10

// Writer masks a stream as it passes. It works on whole lines: an unfinished
// line is held back until its newline, until it has [LongestHeld] bytes, or until
// [Writer.Flush]. A private key block is masked across lines and writes. A secret
// that is cut by a Flush, or that lies around the place where an over-long line
// had to be cut, may pass.
//
// What is written equals what [Masker.Text] makes of the whole, as long as no
// line is too long. A Writer belongs to one goroutine.
type Writer struct {
	out  io.Writer
	mask Masker
	line []byte // the unfinished line
	// key holds the lines of a block that may become a private key.
	key string
	// walk follows a block that has become one; its lines are dropped.
	walk   keyWalk
	inside bool
	// head is what stands before it on its first line.
	head   string
	ended  bool // the last line dropped had a newline
	midway bool // the next byte does not begin a line
	err    error
}

// NewWriter returns a Writer that writes to out what m leaves.
func NewWriter(out io.Writer, m Masker) *Writer { return &Writer{out: out, mask: m} }

// Write takes all of p. The first error of the underlying writer is returned
// then and ever after.
func (w *Writer) Write(p []byte) (int, error) {
	taken := 0
	for len(p) > 0 && w.err == nil {
		n := bytes.LastIndexByte(p, '\n') + 1
		if n == 0 {
			n = min(len(p), LongestHeld-len(w.line))
		}
		w.line = append(w.line, p[:n]...)
		p = p[n:]
		taken += n
		w.drain()
	}
	return taken, w.err
}

// drain passes on the whole lines, and the beginning of a line that is too long.
func (w *Writer) drain() {
	n := bytes.LastIndexByte(w.line, '\n') + 1
	if rest := w.line[n:]; len(rest) >= LongestHeld {
		cut := len(rest)
		if blank := bytes.LastIndexAny(rest, " \t"); blank > len(rest)/2 {
			cut = blank + 1
		}
		n += cut
	}
	if n == 0 {
		return
	}
	s := string(w.line[:n])
	w.line = append(w.line[:0], w.line[n:]...)
	w.pass(s, false)
}

// Flush writes everything that is held back.
func (w *Writer) Flush() error {
	s := string(w.line)
	w.line = w.line[:0]
	w.pass(s, true)
	return w.err
}

// pass masks s, which ends with a line, and writes it. Only at the end is nothing
// held back.
func (w *Writer) pass(s string, end bool) {
	if w.inside {
		s = w.drop(s, end)
	}
	s, w.key = w.key+s, ""
	from, walk, open := openKey(s)
	if !open && !end {
		from, walk, open = openBody(s)
	}
	if !open || end && !walk.enough() {
		w.text(s)
		return
	}
	line := strings.LastIndexByte(s[:from], '\n') + 1
	w.text(s[:line])
	if !walk.enough() {
		w.key = s[line:]
		return
	}
	w.inside, w.walk, w.head, w.ended = true, walk, s[line:from], strings.HasSuffix(s, "\n")
	if end {
		w.text(w.drop("", true))
	}
}

// drop removes the lines that still belong to the key. Once the key has ended it
// returns what follows, with the mark in its place.
func (w *Writer) drop(s string, end bool) string {
	for s != "" {
		line, next := cutLine(s, 0)
		step, n := w.walk.next(line)
		if step == keyDone {
			w.inside = false
			return w.head + keyMark + s[n:]
		}
		if step == keyOver {
			end = true
			break
		}
		w.ended = next > len(line)
		s = s[next:]
	}
	if !end {
		return ""
	}
	w.inside = false
	if w.ended {
		s = "\n" + s
	}
	return w.head + keyMark + s
}

// text masks and writes whole lines.
func (w *Writer) text(s string) {
	if s == "" {
		return
	}
	w.write(w.mask.apply(s, inText, !w.midway))
	w.midway = s[len(s)-1] != '\n'
}

func (w *Writer) write(s string) {
	if w.err == nil && s != "" {
		_, w.err = io.WriteString(w.out, s)
	}
}

// openKey finds the first private key block of s that is still open at its end.
// walk tells how far it got.
func openKey(s string) (from int, walk keyWalk, open bool) {
	for i := 0; ; {
		n := strings.Index(s[i:], keyBegin)
		if n < 0 {
			return 0, keyWalk{}, false
		}
		from = i + n
		i = from + 1
		body, ok := keyHeader(s, from)
		if !ok {
			continue
		}
		rest, next, below := keyRest(s, body)
		if !below {
			if n := sameLine(rest); n > 0 {
				i = body + n
			}
			continue
		}
		walk, left, open := follow(s, next)
		if open {
			return from, walk, true
		}
		if walk.enough() {
			i = left
		}
	}
}

// follow walks the lines of a block from i on and returns where it was left.
// open says that it was not left before the end.
func follow(s string, i int) (walk keyWalk, left int, open bool) {
	for i < len(s) {
		line, next := cutLine(s, i)
		switch step, n := walk.next(line); step {
		case keyDone:
			return walk, i + n, false
		case keyOver:
			return walk, i, false
		}
		i = next
	}
	return walk, i, true
}
