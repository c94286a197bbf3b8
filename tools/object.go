package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// errNotObject says that arguments are JSON of another kind, or no JSON.
var errNotObject = errors.New("arguments must be one JSON object")

// object is a JSON object with its keys in the order of their first appearance
// and its values as they were written. Of equal keys the last value counts.
type object struct {
	keys   []string
	values map[string]json.RawMessage
}

// parseObject reads a JSON object. Anything else, and anything after it, is an
// error.
func parseObject(raw json.RawMessage) (*object, error) {
	if !isJSON(raw, '{') {
		return nil, errNotObject
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	o := &object{values: map[string]json.RawMessage{}}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read arguments: %w", err)
		}
		key, _ := token.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("read argument %q: %w", key, err)
		}
		if _, again := o.values[key]; !again {
			o.keys = append(o.keys, key)
		}
		o.values[key] = value
	}
	return o, nil
}

// encode writes the object.
func (o *object) encode() (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, fmt.Errorf("write argument %q: %w", key, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(o.values[key])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// isJSON reports whether raw is valid JSON that begins with a byte, which tells
// objects, arrays and strings apart.
func isJSON(raw []byte, first byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == first && json.Valid(raw)
}
