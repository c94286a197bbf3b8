package failure

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-tui/tools/lazyregexp"
)

// MostWait is how long a call waits in place at most. Longer demands only feed
// the cool-down of a credential.
const MostWait = 120 * time.Second

var (
	plainSeconds = lazyregexp.New(`^\d{1,12}(?:\.\d{0,12})?$`)
	delayWords   = lazyregexp.New(`(?i)(?:try again in|retry after)[\s:]+`)
	delayPiece   = lazyregexp.New(`^(?:,?\s*(?:and\s+)?)?(\d{1,9}(?:\.\d{1,9})?)\s*([A-Za-z]+)`)
)

// RetryAfter finds the delay a server asks for, in this order of trust: the header
// retry-after-ms, the header retry-after (seconds or an HTTP date, which is
// measured from now), the retryDelay of a RetryInfo detail in the body, the
// resets_in_seconds or resets_at (seconds since 1970) of its error, and the words
// "try again in" or "retry after" with a duration in the body. It returns
// false when nothing usable is stated. A delay of 0 is stated; see [Wait].
func RetryAfter(h http.Header, body []byte, now time.Time) (time.Duration, bool) {
	if ms, ok := seconds(header(h, "retry-after-ms")); ok {
		return ms / 1000, true
	}
	after := header(h, "retry-after")
	if d, ok := seconds(after); ok {
		return d, true
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(at.Sub(now), 0), true
	}
	var v any
	if json.Unmarshal(body, &v) != nil {
		return worded(string(body))
	}
	if d, ok := retryInfo(v, 0); ok {
		return d, true
	}
	if m, ok := v.(map[string]any); ok {
		inner, _ := m["error"].(map[string]any)
		if d, ok := resetsIn(inner); ok {
			return d, true
		}
		if at, ok := inner["resets_at"].(float64); ok && at > 0 && at <= latestReset {
			return max(time.Unix(int64(at), 0).Sub(now), 0), true
		}
	}
	var e evidence
	e.collect(v, 0)
	for _, p := range e.parts {
		if d, ok := worded(p); ok {
			return d, true
		}
	}
	return 0, false
}

// Wait turns a delay asked for into the one to sleep: at most [MostWait], and
// false for no delay at all, where the ordinary back-off applies.
func Wait(d time.Duration) (time.Duration, bool) {
	return min(d, MostWait), d > 0
}

// header finds a header whatever its case.
func header(h http.Header, name string) string {
	for k, v := range h {
		if strings.EqualFold(k, name) && len(v) > 0 {
			return strings.TrimSpace(v[0])
		}
	}
	return ""
}

// seconds reads a plain number of seconds.
func seconds(s string) (time.Duration, bool) {
	if !plainSeconds.MatchString(s) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, false
	}
	return duration(f, time.Second), true
}

// duration multiplies without running over.
func duration(n float64, unit time.Duration) time.Duration {
	f := math.Round(n * float64(unit))
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(f)
}

// retryInfo looks for the delay of a RetryInfo detail anywhere in a body.
func retryInfo(v any, depth int) (time.Duration, bool) {
	const deepest = 32
	if depth > deepest {
		return 0, false
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if d, ok := retryInfo(x, depth+1); ok {
				return d, true
			}
		}
	case map[string]any:
		kind, _ := v["@type"].(string)
		delay, _ := v["retryDelay"].(string)
		if s, ok := strings.CutSuffix(delay, "s"); ok && strings.HasSuffix(kind, "RetryInfo") {
			return seconds(s)
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if d, ok := retryInfo(v[k], depth+1); ok {
				return d, true
			}
		}
	}
	return 0, false
}

// latestReset is the last moment, in seconds since 1970, that a server may name: the
// end of the year 9999.
const latestReset = 253_402_300_799

// resetsIn is how long an error says that it takes until an allowance begins again.
func resetsIn(body map[string]any) (time.Duration, bool) {
	n, ok := body["resets_in_seconds"].(float64)
	if !ok || n <= 0 {
		return 0, false
	}
	return duration(n, time.Second), true
}

// worded reads a delay from prose.
func worded(s string) (time.Duration, bool) {
	for _, at := range delayWords.FindAllStringIndex(s, -1) {
		rest, sum, any := s[at[1]:], time.Duration(0), false
		for {
			m := delayPiece.FindStringSubmatch(rest)
			if m == nil {
				break
			}
			n, err := strconv.ParseFloat(m[1], 64)
			unit := unitOf(strings.ToLower(m[2]))
			if err != nil || unit == 0 {
				break
			}
			sum, any, rest = sum+duration(n, unit), true, rest[len(m[0]):]
		}
		if any {
			return sum, true
		}
	}
	return 0, false
}

// unitOf reads a unit of time; 0 if it is none.
func unitOf(s string) time.Duration {
	switch s {
	case "ms", "millisecond", "milliseconds":
		return time.Millisecond
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	}
	return 0
}
