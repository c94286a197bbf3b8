package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// mostQuoted is how much of a line is kept for a message, in bytes.
const mostQuoted = 200

// Events reads an event stream. Lines of data belong to one event until a blank line,
// unless what came so far is whole, as with servers that leave out the blank lines.
// The last event may lack its blank line if it is whole. It belongs to one goroutine.
type Events struct {
	lines lines
	data  []byte // of the event under way
	done  bool   // the event in data has been handed out
	name  string // of the event under way
	ahead string // a name behind the data, of this event or of the next one
	known string // the name seen last, so that it is made once

	first, odd string
}

// NewEvents reads a body.
func NewEvents(body io.Reader) *Events {
	return &Events{lines: lines{src: bufio.NewReaderSize(body, 32<<10)}}
}

// Rest is what was not read yet.
func (e *Events) Rest() io.Reader { return e.lines.src }

// First is the beginning of the first line of data, at most 200 bytes.
func (e *Events) First() string { return e.first }

// Odd is the beginning of the first line that no event stream has, for a message to
// the user if nothing else comes; at most 200 bytes.
func (e *Events) Odd() string { return e.odd }

// Next gives the name of an event, empty for none, and its data, which is not empty
// and valid until the next call. An error ends the stream; a body that is a document
// gives [ErrNoEvents].
func (e *Events) Next() (name string, data []byte, err error) {
	for {
		if e.done {
			e.data, e.done, e.name, e.ahead = e.data[:0], false, e.ahead, ""
		}
		line, err := e.lines.next()
		if err != nil {
			if len(line) > 0 {
				if name, data, ok := e.take(line); ok {
					return name, data, nil
				}
			}
			if e.whole() {
				e.done = true
				return e.name, e.data, nil
			}
			return "", nil, err
		}
		if name, data, ok := e.take(line); ok {
			return name, data, nil
		}
	}
}

// whole reports whether the data of the event under way can have no more lines: it is
// JSON, or the mark that ends some streams.
func (e *Events) whole() bool {
	return len(e.data) > 0 && (json.Valid(e.data) || string(e.data) == "[DONE]")
}

// field gives the value of a line that is a field of this name.
func field(line []byte, name string) ([]byte, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || string(line[:len(name)]) != name {
		return nil, false
	}
	value := bytes.TrimSpace(line[len(name)+1:])
	if bytes.IndexByte(value, 0) >= 0 { // some servers pass on what a model writes as it is
		value = bytes.ReplaceAll(value, []byte{0}, nil)
	}
	return value, true
}

// take judges one line. It gives the event that the line ends.
func (e *Events) take(line []byte) (name string, data []byte, ok bool) {
	if len(line) == 0 {
		if e.done = true; e.ahead != "" {
			e.name, e.ahead = e.ahead, ""
		}
		return e.name, e.data, len(e.data) > 0
	}
	if value, is := field(line, "data"); is {
		if !e.whole() {
			e.add(value)
			return "", nil, false
		}
		name, data = e.name, bytes.Clone(e.data) // the blank line is missing
		e.name, e.ahead, e.data = e.ahead, "", append(e.data[:0], value...)
		return name, data, true
	}
	if value, is := field(line, "event"); is {
		return e.named(value)
	}
	if len(e.data) == 0 && bareError(line) {
		e.add(line)
		e.done = true
		return "error", e.data, true
	}
	field, _, is := bytes.Cut(line, []byte(":"))
	if !is || len(field) > 0 && string(field) != "id" && string(field) != "retry" {
		e.note(line)
	}
	return "", nil, false
}

// bareError reports whether a line is an error that some servers put into a stream as it is.
func bareError(line []byte) bool {
	var o struct {
		Error json.RawMessage `json:"error"`
	}
	return line[0] == '{' && json.Unmarshal(line, &o) == nil && Given(o.Error)
}

// named takes the name of an event. Behind data it belongs to that if a blank line
// follows, and otherwise to the next event.
func (e *Events) named(value []byte) (name string, data []byte, ok bool) {
	if e.known != string(value) {
		e.known = string(value)
	}
	switch {
	case len(e.data) == 0:
		e.name = e.known
		return "", nil, false
	case e.name == "" && e.ahead == "":
		e.ahead = e.known
		return "", nil, false
	}
	e.done, e.ahead = true, e.known // the blank line is missing
	return e.name, e.data, true
}

// add puts a line of data to the event under way.
func (e *Events) add(value []byte) {
	if e.first == "" {
		e.first = string(value[:min(len(value), mostQuoted)])
	}
	if len(e.data) > 0 {
		e.data = append(e.data, '\n')
	}
	e.data = append(e.data, value...)
}

// note keeps the first line that does not belong into an event stream.
func (e *Events) note(line []byte) {
	if e.odd == "" && !bytes.HasPrefix(line, []byte("data:")) {
		e.odd = string(line[:min(len(line), mostQuoted)])
	}
}
