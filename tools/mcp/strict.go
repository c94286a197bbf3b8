package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// What servers send is read strictly before the SDK reads it: a message is not longer than
// [maxFrame], and no object in it has a key twice, of which different readers would take
// different ones.

// errTooLong is a message that is longer than [maxFrame].
var errTooLong = fmt.Errorf("it sent a message of more than %d MB", maxFrame>>20)

// errNoMessage is JSON that is no message of the protocol.
var errNoMessage = errors.New("it is no message")

// twiceError is a message with a key twice in an object.
type twiceError struct{ key string }

// Error implements error.
func (e *twiceError) Error() string {
	return fmt.Sprintf("it sent a message in which the key %q stands twice", label(e.key, 60))
}

// inspect reports whether a text is a message of the protocol: nil, [errNoMessage], or a
// [*twiceError].
func inspect(data []byte) error {
	if !json.Valid(data) {
		return errNoMessage
	}
	top, err := members(data)
	if err != nil {
		return err
	}
	has := func(key string) bool { return top[key] != nil }
	if string(top["jsonrpc"]) != `"2.0"` || !has("method") && !(has("id") && (has("result") || has("error"))) {
		return errNoMessage
	}
	return nil
}

// members are the raw values of an object that is well formed, nil for what is none. The
// error is a [*twiceError] about it or any object in it.
func members(data []byte) (map[string]json.RawMessage, error) {
	s := scanner{data: data}
	s.space()
	if s.at == len(data) || data[s.at] != '{' {
		return nil, nil
	}
	top := map[string]json.RawMessage{}
	err := s.object(func(key string, value []byte) { top[key] = value })
	return top, err
}

// scanner walks over JSON that is well formed.
type scanner struct {
	data []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\t' || s.data[s.at] == '\n' || s.data[s.at] == '\r') {
		s.at++
	}
}

// text passes a string and gives it with its quotes.
func (s *scanner) text() []byte {
	from := s.at
	for s.at++; s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.data[from:s.at]
}

// value passes a value.
func (s *scanner) value() error {
	switch s.data[s.at] {
	case '{':
		return s.object(nil)
	case '[':
		s.at++
		for s.space(); s.data[s.at] != ']'; s.space() {
			if s.data[s.at] == ',' {
				s.at++
				continue
			}
			if err := s.value(); err != nil {
				return err
			}
		}
		s.at++
	case '"':
		s.text()
	default:
		if n := bytes.IndexAny(s.data[s.at:], ",]} \t\r\n"); n >= 0 {
			s.at += n
		} else {
			s.at = len(s.data)
		}
	}
	return nil
}

// fewKeys is how many keys are compared one by one.
const fewKeys = 8

// object passes an object. each gets its members.
func (s *scanner) object(each func(key string, value []byte)) error {
	var few [fewKeys]string
	seen := few[:0]
	var many map[string]bool
	s.at++
	for s.space(); s.data[s.at] != '}'; s.space() {
		if s.data[s.at] == ',' {
			s.at++
			continue
		}
		key := plainKey(s.text())
		twice := many[key]
		for _, k := range seen {
			twice = twice || k == key
		}
		if twice {
			return &twiceError{key}
		}
		switch {
		case many != nil:
			many[key] = true
		case len(seen) < fewKeys:
			seen = append(seen, key)
		default:
			many = map[string]bool{key: true}
		}
		for s.space(); s.data[s.at] == ':' || s.data[s.at] == ' '; s.at++ {
		}
		s.space()
		from := s.at
		if err := s.value(); err != nil {
			return err
		}
		if each != nil {
			each(key, s.data[from:s.at])
		}
	}
	s.at++
	return nil
}

// plainKey is what a key in quotes says.
func plainKey(quoted []byte) string {
	if !bytes.ContainsRune(quoted, '\\') {
		return string(quoted[1 : len(quoted)-1])
	}
	var key string
	if json.Unmarshal(quoted, &key) != nil {
		return string(quoted)
	}
	return key
}
