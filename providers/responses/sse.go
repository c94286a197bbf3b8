package responses

import (
	"bytes"
	"encoding/json"
	"io"

	"hermes-tui/providers/transport"
)

// mostQuoted is how much of a line is kept for a message, in bytes.
const mostQuoted = 200

// events reads an event stream. Lines of data belong to one event until a blank
// line, unless what came so far is whole, as with servers that leave out the blank
// lines. The transport bounds the length of lines and of the whole.
type events struct {
	lines *transport.Lines
	data  []byte // of the event under way
	done  bool   // the event in data has been handed out

	named bool   // the event under way is called "error"
	first string // the beginning of the first line of data
	odd   string // the beginning of the first line that no event stream has
}

func newEvents(body io.Reader) *events {
	return &events{lines: transport.NewLines(body)}
}

// next gives the data of an event, and whether the event is called an error. It is
// valid until the next call.
func (e *events) next() (data []byte, failed bool, err error) {
	for {
		if e.done {
			e.data, e.done, e.named = e.data[:0], false, false
		}
		line, err := e.lines.Next()
		line = bytes.TrimRight(line, "\r\n")
		if err != nil {
			if e.last(line) {
				e.done = true
				return e.data, e.named, nil
			}
			return nil, false, err
		}
		if data, failed, ok := e.take(line); ok {
			return data, failed, nil
		}
	}
}

// last tells whether a line without its end completes an event.
func (e *events) last(line []byte) bool {
	if value, ok := field(line, "data"); ok {
		e.add(value)
	} else if len(e.data) == 0 {
		e.note(line)
	}
	return len(e.data) > 0 && json.Valid(e.data)
}

// field gives the value of a line that is a field of this name.
func field(line []byte, name string) ([]byte, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || string(line[:len(name)]) != name {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

// take judges one line. It gives the event that the line ends.
func (e *events) take(line []byte) (data []byte, failed, ok bool) {
	if len(line) == 0 {
		e.done = true
		return e.data, e.named, len(e.data) > 0
	}
	if value, is := field(line, "data"); is {
		if e.first == "" {
			e.first = string(value[:min(len(value), mostQuoted)])
		}
		if len(e.data) > 0 && json.Valid(e.data) { // the blank line is missing
			data, failed = bytes.Clone(e.data), e.named
			e.data, e.named = append(e.data[:0], value...), false
			return data, failed, true
		}
		e.add(value)
		return nil, false, false
	}
	if value, is := field(line, "event"); is {
		if len(e.data) > 0 { // the blank line is missing
			data, failed = bytes.Clone(e.data), e.named
			e.data, e.named = e.data[:0], string(value) == "error"
			return data, failed, true
		}
		e.named = string(value) == "error"
		return nil, false, false
	}
	name, _, is := bytes.Cut(line, []byte(":"))
	if !is || len(name) > 0 && string(name) != "id" && string(name) != "retry" {
		e.note(line)
	}
	return nil, false, false
}

// add puts a line of data to the event under way.
func (e *events) add(value []byte) {
	if len(e.data) > 0 {
		e.data = append(e.data, '\n')
	}
	e.data = append(e.data, value...)
}

// note keeps the first line that does not belong into an event stream, for the
// message to the person if nothing else comes.
func (e *events) note(line []byte) {
	if e.odd == "" && !bytes.HasPrefix(line, []byte("data:")) {
		e.odd = string(line[:min(len(line), mostQuoted)])
	}
}
