package event

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// UnmarshalAs reads the JSON form of an event of a type. A type that is not known
// gives an [Unknown] and no error; malformed JSON gives an error.
func UnmarshalAs(t Type, data []byte) (Event, error) {
	var e Event
	if r := byName[t]; r != nil {
		e = r.blank()
	} else {
		e = &Unknown{Raw: bytes.Clone(data)}
	}
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("decode %s event: %w", t, err)
	}
	if u, ok := e.(*Unknown); ok {
		u.Type = t
	}
	return e, nil
}
