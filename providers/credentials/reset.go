package credentials

import (
	"math"
	"strconv"
	"strings"
	"time"

	"hermes-tui/tools/lazyregexp"
)

// The range in which a reset time is believed, counted from now.
const (
	// lateBy is how long ago a reset may have been: a clock may be a little off.
	lateBy = time.Minute
	// mostAhead is the longest cool-down that a server may ask for.
	mostAhead = 366 * 24 * time.Hour
)

// longestText is how many bytes of a text are searched for a reset time.
const longestText = 16 << 10

// ResetTime reads when a limit is lifted from what a server says: seconds or
// milliseconds since 1970, a number of seconds from now (below 1e8), a time in
// ISO 8601, a duration such as 34.5s or "in 2h30m", or a sentence that holds one
// of the last two after words such as "resets", "try again" or "retry after". A
// time up to a minute past is now. What is further past, more than 366 days
// ahead or not readable gives false.
func ResetTime(s string, now time.Time) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) > longestText {
		s = s[:longestText]
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return resetNumber(n, now)
	}
	if t, ok := iso(s); ok {
		return believed(t, now)
	}
	if d, rest, ok := leadingDuration(s[len(bareIn.FindString(s)):]); ok && strings.Trim(rest, " .") == "" {
		return believed(after(now, d), now)
	}
	return prose(s, now)
}

// resetNumber reads a bare number: a delay when it is small, else a time.
func resetNumber(n float64, now time.Time) (time.Time, bool) {
	if n >= 0 && n < mostDelay {
		return believed(after(now, length(n, time.Second)), now)
	}
	t, ok := epoch(n)
	if !ok {
		return time.Time{}, false
	}
	return believed(t, now)
}

// believed keeps a reset time within bounds.
func believed(t, now time.Time) (time.Time, bool) {
	switch {
	case t.Before(now.Add(-lateBy)), t.After(now.Add(mostAhead)):
		return time.Time{}, false
	case t.Before(now):
		return now, true
	}
	return t, true
}

// after adds a duration, at most so much that it is no longer believed.
func after(now time.Time, d time.Duration) time.Time { return now.Add(min(d, 2*mostAhead)) }

// length multiplies without running over.
func length(n float64, unit time.Duration) time.Duration {
	f := math.Round(n * float64(unit))
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(f)
}

var (
	// resetWords begin what is said about a reset; the gap to the time has no
	// figure and no end of a sentence in it.
	resetWords = lazyregexp.New(`(?i)\b(?:quota_?reset_?(?:delay|time)?|reset(?:s|ting)?|retry|again|wait|available|back|renew(?:s|ed)?|refresh(?:es)?|replenish(?:es|ed)?|lifted|cool(?:s|ing)?[ -]?down)[^0-9.!?;\n]{0,48}`)
	// gapEnd is how such a gap ends right before a duration.
	gapEnd  = lazyregexp.New(`(?i)(?:\b(?:in|after|for|about|around|approximately|roughly|another|within|wait)|delay|[:="'~(])[\s"'~(]*$`)
	bareIn  = lazyregexp.New(`(?i)^(?:in|after)\s+`)
	isoText = lazyregexp.New(`^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:[Zz]|[+-]\d{2}:?\d{2})?)?`)
	piece   = lazyregexp.New(`^(\d{1,9}(?:\.\d{1,9})?)[\s-]?([A-Za-zµ]*)`)
	between = lazyregexp.New(`^(?:\s*,?\s*(?:and\s+)?)`)
)

// prose looks for a reset time in a sentence. The first that can be used counts.
func prose(s string, now time.Time) (time.Time, bool) {
	for _, at := range resetWords.FindAllStringIndex(s, -1) {
		rest := s[at[1]:]
		if m := isoText.FindString(rest); m != "" {
			if t, ok := iso(m); ok {
				if t, ok := believed(t, now); ok {
					return t, true
				}
			}
			continue
		}
		if !gapEnd.MatchString(s[at[0]:at[1]]) {
			continue
		}
		if d, _, ok := leadingDuration(rest); ok {
			if t, ok := believed(after(now, d), now); ok {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// leadingDuration reads pieces such as "2h30m", "4hr 5min" or "1 day, 2 hours and
// 5 minutes" at the beginning of a text.
func leadingDuration(s string) (sum time.Duration, rest string, ok bool) {
	rest = s
	for {
		next := rest
		if ok {
			next = rest[len(between.FindString(rest)):]
		}
		m := piece.FindStringSubmatch(next)
		if m == nil {
			return sum, rest, ok
		}
		n, err := strconv.ParseFloat(m[1], 64)
		unit := unitOf(m[2])
		if err != nil || unit == 0 {
			return sum, rest, ok
		}
		d := length(n, unit)
		if sum > math.MaxInt64-d {
			return math.MaxInt64, "", true
		}
		sum, ok, rest = sum+d, true, next[len(m[0]):]
	}
}

// unitOf reads a unit of time; 0 if it is none.
func unitOf(s string) time.Duration {
	switch strings.ToLower(s) {
	case "us", "µs":
		return time.Microsecond
	case "ms", "msec", "msecs", "millisecond", "milliseconds":
		return time.Millisecond
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return 24 * time.Hour
	case "w", "wk", "week", "weeks":
		return 7 * 24 * time.Hour
	}
	return 0
}
