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

// inspect returns nil for a message of the protocol, else [errNoMessage] or a
// [*twiceError].
func inspect(data []byte) error {
	if !json.Valid(data) {
		return errNoMessage
	}
	if err := distinct(json.NewDecoder(bytes.NewReader(data))); err != nil {
		return err
	}
	top := members(data)
	has := func(key string) bool { return top[key] != nil }
	if string(top["jsonrpc"]) != `"2.0"` || !has("method") && !(has("id") && (has("result") || has("error"))) {
		return errNoMessage
	}
	return nil
}

// members returns the raw values of an object, nil for anything else.
func members(data []byte) (top map[string]json.RawMessage) {
	_ = json.Unmarshal(data, &top) // it is well formed: only what it is remains open
	return top
}

// distinct returns a [*twiceError] when a key stands twice in an object of a text that is
// well formed.
func distinct(d *json.Decoder) error {
	type level struct {
		keys map[string]bool // nil in a list
		key  bool            // the next token is one
	}
	levels := []level{{}}
	for {
		token, err := d.Token()
		if err != nil {
			return nil //nolint:nilerr // the end
		}
		in := &levels[len(levels)-1]
		switch token {
		case json.Delim('{'):
			in.key = true
			levels = append(levels, level{keys: map[string]bool{}, key: true})
			continue
		case json.Delim('['):
			in.key = true
			levels = append(levels, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:len(levels)-1]
			continue
		}
		if in.keys == nil || !in.key {
			in.key = true // behind a value
			continue
		}
		key, _ := token.(string)
		if in.keys[key] {
			return &twiceError{key}
		}
		in.keys[key], in.key = true, false
	}
}
