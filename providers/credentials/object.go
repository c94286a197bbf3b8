package credentials

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// object is a JSON object whose members keep their order and spelling, so that
// what is not changed comes out as it went in.
type object struct{ members []member }

type member struct {
	name  string          // decoded
	key   json.RawMessage // as written, with its quotes
	value json.RawMessage // as written
}

var errNoObject = errors.New("not an object")

// parseObject reads an object from valid JSON.
func parseObject(data []byte) (*object, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, errNoObject
	}
	o := &object{}
	for d.More() {
		from := d.InputOffset()
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, errNoObject
		}
		m := member{name: name, key: bytes.Clone(bytes.TrimLeft(data[from:d.InputOffset()], " \t\r\n,"))}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		o.members = append(o.members, m)
	}
	return o, nil
}

// find is the place of a member, -1 if there is none. Of members with the same
// name the last one counts.
func (o *object) find(name string) int {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].name == name {
			return i
		}
	}
	return -1
}

// get is the value of a member as written, nil if there is none or it is null.
func (o *object) get(name string) json.RawMessage {
	i := o.find(name)
	if i < 0 || string(o.members[i].value) == "null" {
		return nil
	}
	return o.members[i].value
}

func (o *object) has(name string) bool { return o.find(name) >= 0 }

// set changes a member, or adds it at the end.
func (o *object) set(name string, value json.RawMessage) {
	if i := o.find(name); i >= 0 {
		o.members[i].value = value
		return
	}
	o.members = append(o.members, member{name: name, key: quoted(name), value: value})
}

func (o *object) remove(name string) {
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return m.name == name })
}

// encode writes the object on one line.
func (o *object) encode() json.RawMessage {
	b := []byte{'{'}
	for i, m := range o.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, m.key...), ':'), m.value...)
	}
	return append(b, '}')
}

// encodeList writes a list of values on one line.
func encodeList(values []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte{'['}, bytes.Join(bytesOf(values), []byte{','}), []byte{']'})
}

func bytesOf(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// quoted is a text as JSON, without the escapes that only HTML needs.
func quoted(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return json.RawMessage(`""`) // a text can always be encoded
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// text reads a text; anything else is "".
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// same reports whether two values are equal but for white space.
func same(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
