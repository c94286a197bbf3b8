package responses

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"hermes-tui/providers"
)

// allowance is how much of one is used up, in percent, and how long it took from the
// answer to the next one, 0 if the service did not say.
type allowance struct {
	used   float64
	resets time.Duration
}

// longest bounds what a server can make us wait for.
const longest = 31 * 24 * time.Hour

// allowances are those that the service behind a ChatGPT login tells of: of a short and
// of a long window.
func allowances(h http.Header) []allowance {
	var out []allowance
	for _, name := range []string{"primary", "secondary"} {
		prefix := "X-Codex-" + name
		used, err := strconv.ParseFloat(strings.TrimSpace(h.Get(prefix+"-Used-Percent")), 64)
		if err != nil || math.IsNaN(used) || math.IsInf(used, 0) {
			continue
		}
		out = append(out, allowance{used, span(h.Get(prefix+"-Reset-After-Seconds"), time.Second)})
	}
	return out
}

// span reads a count of a unit; what is negative or unreadable is 0.
func span(s string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || n <= 0 {
		return 0
	}
	if n >= float64(longest/unit) {
		return longest
	}
	return time.Duration(n * float64(unit))
}

// refused completes the error of a request that was answered with a status: when to
// come back stands in the body or in headers of its own.
func (c *Client) refused(err error) error {
	var e *providers.Error
	if !errors.As(err, &e) || e.Kind != providers.ErrorStatus {
		return err
	}
	if e.RetryAfter == 0 {
		e.RetryAfter = resetIn(e.Body, e.Header)
	}
	return err
}

// resetIn is when an allowance that is used up begins again, 0 if nothing says so.
func resetIn(body []byte, h http.Header) time.Duration {
	var e struct {
		Error struct {
			In json.Number `json:"resets_in_seconds"`
			At json.Number `json:"resets_at"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &e) == nil {
		if in := span(e.Error.In.String(), time.Second); in > 0 {
			return in
		}
		// The moment of the answer is the server's own, so its clock may be wrong.
		at, err := e.Error.At.Int64()
		if date, derr := http.ParseTime(h.Get("Date")); err == nil && derr == nil && at > date.Unix() {
			return min(longest, time.Unix(at, 0).Sub(date))
		}
	}
	var wait time.Duration
	for _, l := range allowances(h) {
		if l.used >= 100 {
			wait = max(wait, l.resets)
		}
	}
	return wait
}
