package login

import (
	"errors"
	"net/http"
	"strings"
	"unicode"

	"hermes-tui/providers"
	"hermes-tui/providers/redact"
)

// Problem says why there is no token.
type Problem string

// The problems.
const (
	ProblemSetting Problem = "setting" // a setting is missing or wrong
	ProblemPort    Problem = "port"    // no port is free for the browser to come back to
	ProblemMixed   Problem = "mixed"   // an answer that belongs to something else
	ProblemDenied  Problem = "denied"  // the user or the issuer said no
	ProblemLate    Problem = "late"    // no one finished in time
	ProblemIssuer  Problem = "issuer"  // the issuer does not do what the protocol says
	ProblemFailed  Problem = "failed"  // the issuer was not reached, or refused
	ProblemNone    Problem = "none"    // there is no login
	ProblemExpired Problem = "expired" // there is one, and it has ended
	ProblemForeign Problem = "foreign" // another program made it, and must renew it
)

// Error says why there is no token, in one sentence with the next step.
type Error struct {
	Problem Problem
	// Message is the sentence. It shows no secret.
	Message string
	// Err is the cause; nil if there is none. It shows no secret either.
	Err error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// scrubbed is an error without the secrets of the request it is about. Issuers repeat
// in their errors what they were sent.
func scrubbed(err error, secrets ...string) error {
	known, ok := errors.AsType[*providers.Error](err)
	if !ok {
		return &hidden{text: oneLine(mask(err.Error(), secrets)), error: err}
	}
	e := *known
	e.Message, e.Body, e.Cause = oneLine(mask(e.Message, secrets)), []byte(mask(string(e.Body), secrets)), nil
	e.Code, e.Type = oneLine(mask(e.Code, secrets)), oneLine(mask(e.Type, secrets))
	e.Header = http.Header{}
	for name, values := range known.Header {
		for _, v := range values {
			e.Header.Add(name, mask(v, secrets))
		}
	}
	return &e
}

// hidden is an error whose text was masked.
type hidden struct {
	error
	text string
}

func (h *hidden) Error() string { return h.text }

func (h *hidden) Unwrap() error { return h.error }

// mask takes secrets out of a text, those given and whatever looks like one.
func mask(s string, secrets []string) string {
	for _, v := range secrets {
		if len(v) >= 4 {
			s = strings.ReplaceAll(s, v, "***")
		}
	}
	return redact.Text(redact.NewSecrets(secrets...).Text(s))
}

// longestLine bounds what is repeated of an issuer's words, in characters.
const longestLine = 300

// oneLine makes one short line of a text, without what would act on a terminal.
func oneLine(s string) string {
	plain := func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}
	s = strings.Join(strings.Fields(strings.Map(plain, strings.ToValidUTF8(s, "\ufffd"))), " ")
	if r := []rune(s); len(r) > longestLine {
		s = string(r[:longestLine-1]) + "…"
	}
	return s
}
