package providers

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Client speaks one protocol to one endpoint. It is safe for concurrent use.
type Client interface {
	// Stream sends a request. It returns when the response has begun, or with
	// an [*Error] when it has not. Cancelling ctx ends the stream as well.
	Stream(ctx context.Context, r Request) (Stream, error)
}

// ErrorKind says where a model call failed.
type ErrorKind string

// The kinds of failures.
const (
	// ErrorConnect is an endpoint that was not reached: name, route, refusal,
	// TLS.
	ErrorConnect ErrorKind = "connect"
	// ErrorStatus is an HTTP status that is not success.
	ErrorStatus ErrorKind = "status"
	// ErrorStream is an error message inside a stream.
	ErrorStream ErrorKind = "stream"
	// ErrorBroken is a stream that ended or stalled before it was complete.
	ErrorBroken ErrorKind = "broken"
	// ErrorProtocol is a response that is not what the protocol says.
	ErrorProtocol ErrorKind = "protocol"
	// ErrorRequest is a request that could not be built.
	ErrorRequest ErrorKind = "request"
)

// CodeTooLarge is the code of a response that exceeds what is taken of one.
const CodeTooLarge = "response_exceeds_limits"

// Error is a failed model call with everything that is known about it, so that
// it can be classified without parsing prose.
type Error struct {
	Kind ErrorKind
	// Endpoint is the URL that was asked, without credentials.
	Endpoint string
	Status   int // 0 unless the server, or an error inside the stream, named one
	// Code comes from the error body when it has one.
	Code string
	// Type comes from there, too.
	Type string
	// Message comes from there, too.
	Message string
	// Body is the error body, at most 64 KB of it.
	Body   []byte
	Header http.Header
	// RetryAfter is what the server asked for, 0 if nothing.
	RetryAfter time.Duration
	Cause      error
}

// Error implements error.
func (e *Error) Error() string {
	switch {
	case e.Status != 0 && e.Message != "":
		return fmt.Sprintf("HTTP %d from %s: %s", e.Status, e.Endpoint, e.Message)
	case e.Status != 0:
		return fmt.Sprintf("HTTP %d from %s", e.Status, e.Endpoint)
	case e.Message != "":
		return fmt.Sprintf("%s: %s", e.Endpoint, e.Message)
	case e.Cause != nil:
		return fmt.Sprintf("%s: %v", e.Endpoint, e.Cause)
	}
	return fmt.Sprintf("%s: %s error", e.Endpoint, e.Kind)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }
