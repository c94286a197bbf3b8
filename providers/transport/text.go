package transport

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Text is a string; anything else is none.
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error {
	s, err := Unquote(data)
	*t = Text(s)
	return err
}

// Unquote gives the text of a JSON string, empty for other values. Most strings
// in a stream need no decoding.
func Unquote(data []byte) (string, error) {
	if len(data) < 2 || data[0] != '"' {
		return "", nil
	}
	inner := data[1 : len(data)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), nil
	}
	var s string
	err := json.Unmarshal(data, &s)
	return s, err
}

// Arguments are call arguments: text, or the object itself, as some servers
// send it.
type Arguments string

// UnmarshalJSON implements json.Unmarshaler.
func (a *Arguments) UnmarshalJSON(data []byte) error {
	if data[0] == '{' {
		*a = Arguments(data)
		return nil
	}
	s, err := Unquote(data)
	*a = Arguments(s)
	return err
}
