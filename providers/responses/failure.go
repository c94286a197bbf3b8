package responses

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// errNoResponse is a terminal event without what it is about.
var errNoResponse = errors.New("it holds no response")

// outcome judges the terminal event of an answer, by the status of the response and,
// where that is missing, by the event's type. A status that is not known is an
// ordinary end.
func outcome(kind string, r *response) (providers.Finish, error) {
	status := openai.ResponseStatus(r.Status)
	switch {
	case kind == string(openai.ResponseStreamEventFailed), kind == eventCancelled,
		status == openai.ResponseStatusFailed, status == openai.ResponseStatusCancelled:
		return providers.FinishNone, failed(r)
	case kind == string(openai.ResponseStreamEventIncomplete), status == openai.ResponseStatusIncomplete:
		if r.Incomplete != nil && r.Incomplete.Reason == "content_filter" {
			return providers.FinishFilter, nil
		}
		return providers.FinishLength, nil
	}
	return providers.FinishStop, nil
}

// failed makes the error of a response that failed. Only its error is looked at: the
// rest repeats the request, in which any word may stand.
func failed(r *response) error {
	return fromError(r.Error, "the service gave the answer up without saying why")
}

// stated makes the error that an event states: an error object, or its fields beside
// the type of the event.
func stated(raw []byte) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return fromBody(raw) // words instead of an object
	}
	status := 0
	for _, key := range []string{"status_code", "status"} {
		if n, err := strconv.Atoi(string(fields[key])); err == nil && status == 0 {
			status = n
		}
	}
	body := fields["error"]
	if !transport.Given(body) {
		for _, key := range []string{"sequence_number", "event_id"} {
			delete(fields, key)
		}
		if string(fields["type"]) == `"error"` {
			delete(fields, "type")
		}
		body, _ = json.Marshal(fields) // raw values that were read a moment ago
	}
	e := fromError(body, "the provider reported an error without saying which")
	if isFailure(status) {
		e.Status = status
	}
	return e
}

// fromError makes the error of an error object. Its body has the form of those of
// responses that are no success.
func fromError(object json.RawMessage, otherwise string) *providers.Error {
	if !transport.Given(object) {
		return &providers.Error{Kind: providers.ErrorStream, Message: otherwise, Body: []byte(`{"error":{}}`)}
	}
	e := fromBody(append(append([]byte(`{"error":`), object...), '}'))
	if e.Message == "" {
		e.Message = otherwise
	}
	return e
}

// fromBody reads an error that came inside a stream.
func fromBody(body []byte) *providers.Error {
	d := transport.DecodeError(body)
	e := &providers.Error{
		Kind: providers.ErrorStream, Code: d.Code, Type: d.Type, Message: d.Message, Body: transport.Clip(body),
		Status: statusOf(d.Code), RetryAfter: resetIn(body, nil),
	}
	if e.Status == 0 {
		e.Status = statusOf(d.Type)
	}
	return e
}

// statusOf is the HTTP status that a code means, 0 if it means none. A code may be
// one itself.
func statusOf(code string) int {
	if n, err := strconv.Atoi(code); err == nil && isFailure(n) {
		return n
	}
	switch code {
	case "rate_limit_exceeded", "usage_limit_reached", "insufficient_quota", "too_many_requests":
		return 429
	case "server_error", "internal_error":
		return 500
	case "server_is_overloaded", "slow_down", "overloaded", "service_unavailable":
		return 503
	case "context_length_exceeded", "invalid_prompt", "invalid_request_error", "invalid_encrypted_content":
		return 400
	}
	return 0
}

func isFailure(status int) bool { return status >= 400 && status <= 599 }
