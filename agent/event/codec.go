package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Marshal gives the JSON form of an event. Type and version must have been
// stamped, see [Stamp].
func Marshal(e Event) ([]byte, error) {
	if u, ok := e.(*Unknown); ok && u.Raw != nil {
		return u.Raw, nil
	}
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", e.Head().Type, err)
	}
	return b, nil
}

// NewDecoder makes a decoder for many events.
func NewDecoder() *Decoder { return &Decoder{recent: make([]string, recentStrings)} }

// UnmarshalAs reads the JSON form of an event of a type. A type that is not known
// gives an [Unknown] and no error; malformed JSON gives an error.
func (d *Decoder) UnmarshalAs(t Type, data []byte) (Event, error) {
	r := byName[t]
	if r == nil {
		u := &Unknown{Raw: bytes.Clone(data)}
		if err := json.Unmarshal(data, u); err != nil {
			return nil, fmt.Errorf("decode %s event: %w", t, err)
		}
		u.Type = t
		return u, nil
	}
	if e := r.blank(); d.plain(data, reflect.ValueOf(e).Elem()) {
		return e, nil
	}
	e := r.blank()
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("decode %s event: %w", t, err)
	}
	return e, nil
}
