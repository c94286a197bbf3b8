package auxiliary

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/providers/failure"
)

// leaveOutFor is how long a service is left out that cannot answer now.
const leaveOutFor = 600 * time.Second

// Error is a call that no service answered. It holds no secret.
type Error struct {
	Task  Task
	Tried []Attempt // in the order of the chain
}

// Attempt is a service that did not answer.
type Attempt struct {
	Service string
	Reason  failure.Reason // empty when it was left out
	Said    string         // a short text, masked; may be empty
	// Until is when the service is asked again, zero for at once.
	Until time.Time
}

// Error says in one sentence what was tried, and what to do.
func (e *Error) Error() string {
	if len(e.Tried) == 0 {
		return fmt.Sprintf("there is no model for the side call %s: name one under auxiliary.%s in the settings", e.Task, e.Task)
	}
	parts := make([]string, 0, len(e.Tried))
	for _, t := range e.Tried {
		parts = append(parts, t.String())
	}
	return fmt.Sprintf("no model answered the side call %s: %s; name another one under auxiliary.%s in the settings, or try again later",
		e.Task, strings.Join(parts, "; "), e.Task)
}

// String is what became of an attempt.
func (t Attempt) String() string {
	if t.Reason == "" {
		return fmt.Sprintf("%s is left out until %s", t.Service, t.Until.Format("15:04:05"))
	}
	s := fmt.Sprintf("%s: %s", t.Service, strings.ReplaceAll(string(t.Reason), "_", " "))
	if t.Said != "" {
		s += " (" + t.Said + ")"
	}
	return s
}

// read says what a failed attempt means, and leaves the service out where that
// follows from it.
func (c *Client) read(s Service, err error, chain []Service) Attempt {
	f := failure.Classify(err, failure.Context{Provider: s.Provider, Model: s.Model})
	t := Attempt{Service: c.masked(s.String(), chain), Reason: f.Reason, Said: brief(c.masked(f.Message, chain))}
	var late *lateError
	var refused *refusedError
	switch {
	case errors.As(err, &late):
		t.Reason, t.Said = failure.Timeout, late.Error()
		if late.began { // it answers, only not fast enough
			return t
		}
	case errors.As(err, &refused):
		t.Reason, t.Said = failure.ContentPolicyBlocked, refused.Error()
	case errors.Is(err, errEmpty):
		t.Reason, t.Said = failure.Unknown, errEmpty.Error()
	}
	if span := c.outFor(t.Reason, err); span > 0 {
		t.Until = c.leaveOut(s.site(), span)
	}
	return t
}

// outFor is for how long a failure says that a service cannot be used: payment,
// keys, rates and connections are not mended by asking again. An overloaded or
// failing server may answer the next call.
func (c *Client) outFor(r failure.Reason, err error) time.Duration {
	switch r {
	case failure.Billing, failure.Auth, failure.Timeout:
		return leaveOutFor
	case failure.RateLimit:
		var p *providers.Error
		if !errors.As(err, &p) {
			return leaveOutFor
		}
		asked, ok := failure.RetryAfter(p.Header, p.Body, c.o.Now())
		if !ok {
			asked = p.RetryAfter
		}
		if asked > 0 {
			return min(asked, leaveOutFor)
		}
		return leaveOutFor
	}
	return 0
}

// longestSaid is how much of what a service said is repeated, in bytes.
const longestSaid = 160

// brief is a text for one line of an error.
func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= longestSaid {
		return s
	}
	end := longestSaid
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
