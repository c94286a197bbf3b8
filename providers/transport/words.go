package transport

import (
	"bytes"
	"errors"
	"strconv"

	"hermes-tui/providers"
)

// ErrForeign says that a document is none of the protocol.
var ErrForeign = errors.New("the document is none of the protocol")

// Malformed is the error of an event that is not what the protocol says.
func Malformed(raw []byte, cause error) error {
	return &providers.Error{
		Kind: providers.ErrorProtocol, Body: Clip(raw), Cause: cause,
		Message: "the provider sent an event that cannot be read: " + FirstWords(raw),
	}
}

// Clip copies the beginning of a body for an error, at most as much as of an error
// body is kept.
func Clip(raw []byte) []byte { return bytes.Clone(raw[:min(len(raw), maxErrorBody)]) }

// FirstWords quotes the beginning of what came.
func FirstWords(raw []byte) string {
	const most = 120
	raw = bytes.TrimSpace(raw)
	if len(raw) <= most {
		return strconv.Quote(string(raw))
	}
	return strconv.Quote(string(raw[:most])) + "…"
}
