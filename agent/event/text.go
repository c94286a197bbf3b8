package event

import (
	"encoding/json"
	"unsafe"
)

// Text is text that only grows. Appending costs amortised what is appended, not
// what is there already, so a long stream stays cheap. The zero value is empty.
//
// Earlier values stay valid when a later one is appended to. Only one owner may
// append: two values that share storage must be separated with [Text.Sealed]
// first, which [State.Clone] does.
type Text struct{ b []byte }

// NewText returns a text holding s, whose bytes it shares: they are never written to,
// and the first append moves to storage of its own.
func NewText(s string) Text { return Text{b: unsafe.Slice(unsafe.StringData(s), len(s))} }

// Len is the length in bytes.
func (t Text) Len() int { return len(t.b) }

// String copies the text out.
func (t Text) String() string { return string(t.b) }

// Bytes gives the bytes without copying. They must not be changed.
func (t Text) Bytes() []byte { return t.b[:len(t.b):len(t.b)] }

// Append returns the text with s at its end.
func (t Text) Append(s string) Text { return Text{b: append(t.b, s...)} }

// Sealed returns the same text, the next append to which moves it to storage of
// its own.
func (t Text) Sealed() Text { return Text{b: t.Bytes()} }

// Tail returns the last max bytes of the text, starting at a line when one
// begins there, and how many bytes are left out.
func (t Text) Tail(max int) (tail []byte, left int) {
	if len(t.b) <= max {
		return t.Bytes(), 0
	}
	cut := len(t.b) - max
	for i := cut; i < len(t.b)-1 && i < cut+max/2; i++ {
		if t.b[i] == '\n' {
			return t.b[i+1 : len(t.b) : len(t.b)], i + 1
		}
	}
	for cut < len(t.b) && t.b[cut]&0xC0 == 0x80 { // not inside a rune
		cut++
	}
	return t.b[cut:len(t.b):len(t.b)], cut
}

// MarshalJSON writes a JSON string.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(string(t.b)) }

// UnmarshalJSON reads a JSON string.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	t.b = []byte(s)
	return nil
}
