package transport

import (
	"bufio"
	"errors"
	"io"
)

// ErrNoEvents says that a body is one document and no stream of events. Nothing of
// it has been taken.
var ErrNoEvents = errors.New("the body is no event stream")

// Lines reads the lines of an event stream, of any length: bodies that came through
// [Transport.Do] bound them. It belongs to one goroutine.
type Lines struct {
	src     *bufio.Reader
	long    []byte // a line that exceeds the buffer of src
	started bool
}

// NewLines reads a body.
func NewLines(body io.Reader) *Lines { return &Lines{src: bufio.NewReaderSize(body, 32<<10)} }

// Next reads a line with its end. It is valid until the next call. With an error it
// gives what came before that. A body that is a document gives [ErrNoEvents].
func (l *Lines) Next() ([]byte, error) {
	if !l.started {
		if err := l.start(); err != nil {
			return nil, err
		}
		l.started = true
	}
	l.long = l.long[:0]
	for {
		part, err := l.src.ReadSlice('\n')
		if len(l.long) == 0 && !errors.Is(err, bufio.ErrBufferFull) {
			return part, err
		}
		l.long = append(l.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, err
		}
	}
}

// Rest is what was not read yet.
func (l *Lines) Rest() io.Reader { return l.src }

// start looks at the first byte that is no blank: documents of JSON and HTML begin
// as no line of an event stream does, whatever their content type says.
func (l *Lines) start() error {
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
