package transport

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Quota is an allowance of which a service says how much is left.
type Quota struct {
	// Name says what is counted: "requests per minute", "tokens per hour".
	Name string
	// Used is the part that is used up, in percent.
	Used float64
	// Resets is how long it takes until there is all of it again, 0 if the service did
	// not say.
	Resets time.Duration
}

// Quotas are the allowances that the headers of a response tell of. now is what
// moments in them are compared with.
func Quotas(h http.Header, now time.Time) []Quota {
	var out []Quota
	counted := func(name, limit, remaining, reset string) {
		most, ok := figure(h.Get(limit))
		left, known := figure(h.Get(remaining))
		if ok && known && most > 0 {
			out = append(out, Quota{name, 100 * (1 - min(left, most)/most), untilReset(h.Get(reset), now)})
		}
	}
	for _, what := range []string{"requests", "tokens"} {
		for suffix, span := range map[string]string{"": "minute", "-1h": "hour"} {
			x := "x-ratelimit-"
			counted(what+" per "+span, x+"limit-"+what+suffix, x+"remaining-"+what+suffix, x+"reset-"+what+suffix)
		}
	}
	for _, what := range []string{"requests", "input-tokens", "output-tokens"} {
		a := "anthropic-ratelimit-" + what
		counted(strings.ReplaceAll(what, "-", " ")+" per minute", a+"-limit", a+"-remaining", a+"-reset")
	}
	for part, name := range map[string]string{"primary": "short allowance", "secondary": "long allowance"} {
		if used, ok := figure(h.Get("x-codex-" + part + "-used-percent")); ok {
			out = append(out, Quota{name, used, untilReset(h.Get("x-codex-"+part+"-reset-after-seconds"), now)})
		}
	}
	return out
}

// figure reads a number that is not negative.
func figure(s string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return n, err == nil && n >= 0 && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// longestReset bounds what a server can make us believe.
const longestReset = 31 * 24 * time.Hour

// untilReset reads seconds, a duration such as 6m0s, or a moment; 0 is none.
func untilReset(s string, now time.Time) time.Duration {
	s = strings.TrimSpace(s)
	d, err := time.ParseDuration(s)
	if n, ok := figure(s); ok {
		d, err = time.Duration(min(n, longestReset.Seconds())*float64(time.Second)), nil
	}
	if t, bad := time.Parse(time.RFC3339, s); bad == nil {
		d, err = t.Sub(now), nil
	}
	if err != nil {
		return 0
	}
	return min(max(d, 0), longestReset)
}
