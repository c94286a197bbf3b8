package transport

import (
	"bufio"
	"bytes"
	"errors"
)

// ErrNoEvents says that a body is one document and no stream of events. Nothing of
// it has been taken.
var ErrNoEvents = errors.New("the body is no event stream")

// lines reads the lines of an event stream, of any length: bodies that came through
// [Transport.Do] bound them. A line ends with a line feed, a carriage return, or both.
type lines struct {
	src     *bufio.Reader
	long    []byte // a line that did not arrive in one piece
	started bool
	cr      bool // the last line ended with a carriage return, a line feed may belong to it
}

// next reads a line without its end. It is valid until the next call. With an error
// it gives what came before that. A body that is a document gives [ErrNoEvents].
func (l *lines) next() ([]byte, error) {
	if !l.started {
		if err := l.start(); err != nil {
			return nil, err
		}
		l.started = true
	}
	l.long = l.long[:0]
	for {
		if _, err := l.src.Peek(1); err != nil {
			return l.long, err
		}
		buf, _ := l.src.Peek(l.src.Buffered()) // what is there already
		if l.cr {
			l.cr = false
			if buf[0] == '\n' {
				_, _ = l.src.Discard(1)
				continue
			}
		}
		end := bytes.IndexByte(buf, '\n')
		if end < 0 {
			end = len(buf)
		}
		if i := bytes.IndexByte(buf[:end], '\r'); i >= 0 {
			end, l.cr = i, true
		}
		_, _ = l.src.Discard(min(end+1, len(buf)))
		if end == len(buf) || len(l.long) > 0 {
			l.long = append(l.long, buf[:end]...)
		}
		switch {
		case end == len(buf): // more of it is to come
		case len(l.long) > 0:
			return l.long, nil
		default:
			return buf[:end], nil
		}
	}
}

// start looks at the first byte that is no blank: documents of JSON and HTML begin
// as no line of an event stream does, whatever their content type says.
func (l *lines) start() error {
	for {
		b, err := l.src.ReadByte()
		if err != nil {
			return err
		}
		switch b {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // with the byte order mark
			continue
		}
		if err := l.src.UnreadByte(); err != nil {
			return err
		}
		if b == '{' || b == '[' || b == '<' {
			return ErrNoEvents
		}
		return nil
	}
}
