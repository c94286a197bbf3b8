package config

import (
	"fmt"
	"io"
)

// Secret is a text that must not be shown: however it is printed or encoded, it
// gives a mask. The zero value is no secret.
type Secret struct {
	// A pointer, because printing a struct that hides a Secret in an unexported
	// field reaches the fields without asking Format.
	value *string
	shown string
	vars  string // names of the variables it was put together from, with blanks between
}

// NewSecret makes a secret of a text; empty text is no secret.
func NewSecret(value string) Secret {
	return newSecret(value, "")
}

// newSecret remembers how the secret was written. It may be shown like that
// when it names variables and holds nothing else, as "Bearer ${KEY}".
func newSecret(value, written string) Secret {
	if value == "" {
		return Secret{}
	}
	shown := "***"
	if onlyReference(written) {
		shown = written
	}
	return Secret{value: &value, shown: shown, vars: references(written)}
}

// Reveal gives the text.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.value == nil }

// String gives a mask: nothing, "***", or "${NAME}" when the secret was written
// so.
func (s Secret) String() string { return s.shown }

// Format implements fmt.Formatter: every verb gives the mask.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.shown) }

// MarshalText implements encoding.TextMarshaler, for JSON, YAML and log/slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown), nil }
