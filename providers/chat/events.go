package chat

import (
	"bytes"
	"encoding/json"
	"io"

	"hermes-tui/providers/transport"
)

// events hands the data lines of an event stream to go-openai and nothing else,
// because that library fails after a number of other lines, keeps them all, and
// takes some errors for its own. Each line counts as an event, as servers that
// leave out the blank line between events need it. The transport bounds the
// length of lines.
//
// Read belongs to one goroutine; Close may be called at any time.
type events struct {
	body  io.Closer
	lines *transport.Lines
	out   []byte // what is to be read next, a part of buf
	buf   []byte

	failing bool   // inside an event of the type "error"
	data    bool   // a data line was seen
	odd     string // the beginning of the first line that no event stream has
}

func newEvents(body io.ReadCloser) *events {
	return &events{body: body, lines: transport.NewLines(body)}
}

// Close implements io.Closer.
func (e *events) Close() error { return e.body.Close() }

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		line, err := e.lines.Next()
		line = bytes.TrimSpace(line)
		if err != nil && !e.whole(line) {
			e.note(line)
			return 0, err
		}
		e.take(line)
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// whole tells whether a last line without its newline is complete.
func (e *events) whole(line []byte) bool {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	data = bytes.TrimSpace(data)
	return ok && (string(data) == "[DONE]" || json.Valid(data))
}

// take judges one line.
func (e *events) take(line []byte) {
	name, value, field := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
		e.failing = false
	case field && string(name) == "data":
		e.data = true
		e.hand(bytes.TrimSpace(value))
	case field && string(name) == "event":
		e.failing = string(bytes.TrimSpace(value)) == "error"
	case field && (len(name) == 0 || string(name) == "id" || string(name) == "retry"):
	default:
		e.note(line)
	}
}

// note keeps the first line that does not belong into an event stream, for the
// message to the person if nothing else comes.
func (e *events) note(line []byte) {
	if e.odd == "" && !bytes.HasPrefix(line, []byte("data:")) {
		e.odd = string(line[:min(len(line), 200)])
	}
}

// hand prepares a data line for go-openai. The content of an error event gets
// the form of errors in a stream. A blank keeps the library from recognising
// those, as it would lose what they say.
func (e *events) hand(data []byte) {
	if len(data) == 0 {
		return
	}
	e.buf = append(e.buf[:0], "data: "...)
	switch inner := data; {
	case e.failing:
		if !json.Valid(inner) {
			inner, _ = json.Marshal(string(data)) // a string always has a form
		}
		e.buf = append(append(append(e.buf, `{ "error":`...), inner...), '}')
	case bytes.HasPrefix(data, []byte(`{"error":`)):
		e.buf = append(append(e.buf, "{ "...), data[1:]...)
	default:
		e.buf = append(e.buf, data...)
	}
	e.buf = append(e.buf, '\n')
	e.out = e.buf
}
