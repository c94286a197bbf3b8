package chat

import (
	"bytes"
	"encoding/json"
	"io"

	"hermes-tui/providers/transport"
)

// events hands the data of an event stream to go-openai, each event as one line and
// nothing else, because that library fails after a number of other lines, keeps them
// all, and takes some errors for its own.
//
// Read belongs to one goroutine; Close may be called at any time.
type events struct {
	*transport.Events
	body io.Closer
	out  []byte // what is to be read next, a part of buf
	buf  []byte
}

func newEvents(body io.ReadCloser) *events {
	return &events{Events: transport.NewEvents(body), body: body}
}

// Close implements io.Closer.
func (e *events) Close() error { return e.body.Close() }

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	if len(e.out) == 0 {
		name, data, err := e.Next()
		if err != nil {
			return 0, err
		}
		e.hand(data, name == "error")
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// hand prepares the data of an event for go-openai. The content of an error event
// gets the form of errors in a stream. A blank keeps the library from recognising
// those, as it would lose what they say.
func (e *events) hand(data []byte, failing bool) {
	e.buf = append(e.buf[:0], "data: "...)
	switch inner := data; {
	case failing:
		if !json.Valid(inner) {
			inner, _ = json.Marshal(string(data)) // a string always has a form
		}
		e.buf = append(append(append(e.buf, `{ "error":`...), inner...), '}')
	case bytes.HasPrefix(data, []byte(`{"error":`)):
		e.buf = append(append(e.buf, "{ "...), data[1:]...)
	default:
		e.buf = append(e.buf, data...)
	}
	for i, c := range e.buf {
		if c == '\n' { // between the tokens of JSON it means what a blank does
			e.buf[i] = ' '
		}
	}
	e.buf = append(e.buf, '\n')
	e.out = e.buf
}
