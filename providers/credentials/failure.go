package credentials

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"hermes-tui/providers"
	"hermes-tui/providers/redact"
)

// Failure is why a credential is taken out of use for a while, or for good.
type Failure struct {
	// Code is the HTTP status, 0 if there was none.
	Code int
	// Reason is the service's own word for it, such as "usage_limit_reached".
	Reason string
	// Message is what the service said.
	Message string
	// ResetAt is when the credential can be used again, zero if the service did
	// not say; then the time depends on Code.
	ResetAt time.Time
	// Billing: credit or quota is used up.
	Billing bool
	// Dead: the credential will never work again. Marks do not need it where
	// Code and Reason say so.
	Dead bool
}

// The cool-downs where the service names no time.
const (
	refusedTime = 5 * time.Minute // after 401: it may have been an outage
	limitedTime = time.Hour       // after 429, 402 and everything else
	// soleTime is the longest for the only credential of a pool, unless it was
	// refused or has no credit: there is nothing to rotate to.
	soleTime = time.Minute
)

// cooldown is how long a credential rests when the service names no time.
func cooldown(code int, billing, sole bool) time.Duration {
	switch {
	case code == 401:
		return refusedTime
	case sole && code != 402 && !billing:
		return soleTime
	}
	return limitedTime
}

// terminal reports whether a reason means that a login has ended for good.
func terminal(reason string) bool {
	switch strings.ToLower(reason) {
	case "token_invalidated", "token_revoked", "invalid_token", "invalid_grant", "unauthorized_client", "refresh_token_reused":
		return true
	}
	return false
}

// ends reports whether the failure of a request ends a credential for good.
func (f Failure) ends() bool { return f.Dead || f.Code == 401 && terminal(f.Reason) }

// Lengths of what is kept of a failure, in characters.
const (
	longestMessage = 500
	longestReason  = 64
)

// FailureOf reads a failed call: its status, the service's word for it, and when
// the limit is lifted, from the fields of the body, the headers and the message,
// in this order. Whether it is a matter of billing is left to the caller.
func FailureOf(e *providers.Error, now time.Time) Failure {
	f := Failure{Code: e.Status, Message: e.Message}
	var body any
	if json.Unmarshal(e.Body, &body) != nil {
		body = nil
	}
	f.Reason = reasonOf(e, body)
	if f.Message == "" {
		f.Message = string(e.Body)
	}
	f.ResetAt = resetOf(e, body, now)
	return f
}

// reasonOf picks the word that says most: one that ends a login, else one that
// is a code rather than a type.
func reasonOf(e *providers.Error, body any) string {
	words := []string{e.Code}
	top, _ := body.(map[string]any)
	inner, _ := top["error"].(map[string]any)
	for _, v := range []any{inner["code"], top["error"], top["code"], inner["type"], inner["status"]} {
		s, _ := v.(string)
		words = append(words, s)
	}
	words = append(words, e.Type)
	words = slices.DeleteFunc(words, func(w string) bool { return !isWord(w) })
	if i := slices.IndexFunc(words, terminal); i >= 0 {
		return words[i]
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// isWord reports whether a text can be a code: a short name, not a bare number.
func isWord(s string) bool {
	odd := func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	}
	return s != "" && len(s) <= longestReason && !strings.ContainsFunc(s, odd) && strings.ContainsFunc(s, unicode.IsLetter)
}

// resetOf finds when the limit is lifted, the zero time if nothing says so.
func resetOf(e *providers.Error, body any, now time.Time) time.Time {
	if t, ok := resetField(body, absoluteNames, now, 0); ok {
		return t
	}
	if e.RetryAfter > 0 {
		if t, ok := believed(after(now, e.RetryAfter), now); ok {
			return t
		}
	}
	for _, name := range []string{"Anthropic-Ratelimit-Unified-Reset", "X-Ratelimit-Reset"} {
		if t, ok := ResetTime(e.Header.Get(name), now); ok {
			return t
		}
	}
	if t, ok := resetField(body, delayNames, now, 0); ok {
		return t
	}
	for _, s := range []string{e.Message, string(e.Body)} {
		if t, ok := prose(s[:min(len(s), longestText)], now); ok {
			return t
		}
	}
	return time.Time{}
}

// The names under which bodies state a reset, in small letters without
// separators.
var (
	absoluteNames = []string{"resetat", "resetsat", "retryuntil", "quotaresettimestamp", "xratelimitreset"}
	delayNames    = []string{"resetsinseconds", "resetinseconds", "resetafterseconds", "retryafterseconds", "retryafter", "resetafter", "quotaresetdelay", "retrydelay"}
)

// resetField looks for a field with one of the names, at any depth, names in
// their order of the alphabet.
func resetField(v any, names []string, now time.Time, depth int) (time.Time, bool) {
	const deepest = 16
	if depth > deepest {
		return time.Time{}, false
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if t, ok := resetField(x, names, now, depth+1); ok {
				return t, true
			}
		}
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		for _, k := range keys {
			if t, ok := resetValue(k, v[k], names, now); ok {
				return t, true
			}
		}
		for _, k := range keys {
			if t, ok := resetField(v[k], names, now, depth+1); ok {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// resetValue reads one field, if it has one of the names.
func resetValue(name string, v any, names []string, now time.Time) (time.Time, bool) {
	plain := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	if !slices.Contains(names, plain) {
		return time.Time{}, false
	}
	switch v := v.(type) {
	case float64:
		return resetNumber(v, now)
	case string:
		return ResetTime(v, now)
	}
	return time.Time{}, false
}

// clean makes a failure fit for the file: short, on one line, and without the
// secrets given.
func (f Failure) clean(secrets ...string) Failure {
	if !isWord(f.Reason) || slices.ContainsFunc(secrets, func(s string) bool { return leaks(f.Reason, s) }) {
		f.Reason = ""
	}
	f.Message = masked(f.Message, secrets...)
	return f
}

// masked is a text on one line, cut, without the secrets given and without what
// looks like one.
func masked(s string, secrets ...string) string {
	for _, v := range secrets {
		if leaks(s, v) {
			s = strings.ReplaceAll(s, v, "***")
		}
	}
	s = redact.NewSecrets(secrets...).Text(s)
	s = strings.Join(strings.Fields(strings.ToValidUTF8(redact.Text(s), "\uFFFD")), " ")
	if r := []rune(s); len(r) > longestMessage {
		s = string(r[:longestMessage-1]) + "…"
	}
	return s
}

// leaks reports whether a text holds a secret; shorter than 4 bytes it is none.
func leaks(s, secret string) bool { return len(secret) >= 4 && strings.Contains(s, secret) }

// bareURL is an address without a user and a query, which may hold secrets.
func bareURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
