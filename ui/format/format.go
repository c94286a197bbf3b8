// Package format writes figures for people: durations, sizes, counts, parts and
// money. Its functions are pure and safe for concurrent use.
package format

import (
	"strconv"
	"strings"
	"time"
)

// Duration writes how long something took: "0.3s", "12.4s", "41s", "2m 05s",
// "1h 02m", "3d 04h". Tenths are shown below half a minute. Negative durations
// count as none.
func Duration(d time.Duration) string {
	d = max(d, 0)
	if d < 30*time.Second-50*time.Millisecond {
		tenths := int64((d + 50*time.Millisecond) / (100 * time.Millisecond))
		return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + "s"
	}
	return Elapsed(d.Round(time.Second))
}

// Elapsed writes the time on a running stop-watch, in whole seconds that have
// passed: "0s", "41s", "2m 05s", "1h 02m", "3d 04h". Negative durations count as
// none.
func Elapsed(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return strconv.FormatInt(s, 10) + "s"
	case s < 3600:
		return strconv.FormatInt(s/60, 10) + "m " + two(s%60) + "s"
	case s < 24*3600:
		return strconv.FormatInt(s/3600, 10) + "h " + two(s/60%60) + "m"
	}
	return strconv.FormatInt(s/(24*3600), 10) + "d " + two(s/3600%24) + "h"
}

// Ago writes how long something is past: "now", "5 min ago", "3 h ago", "2 days ago".
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min ago"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h ago"
	}
	return Count(int(d/(24*time.Hour)), "day", "days") + " ago"
}

// Span writes a round time in words, in the largest unit that fits it: "5 minutes",
// "1 hour". What is left below a second is dropped.
func Span(d time.Duration) string {
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return Count(int(d/time.Hour), "hour", "hours")
	case d >= time.Minute && d%time.Minute == 0:
		return Count(int(d/time.Minute), "minute", "minutes")
	}
	return Count(int(d/time.Second), "second", "seconds")
}

func two(n int64) string {
	if n < 10 {
		return "0" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

// Tokens writes a number of tokens in at most five characters: "999", "1.2k",
// "96k", "1.23M". Negative numbers count as none.
func Tokens(n int64) string { return scaled(n, "", "k", "M", "B", "T") }

// Bytes writes a size in decimal units: "999 B", "1.2 kB", "96 kB", "1.23 MB".
// Negative sizes count as none.
func Bytes(n int64) string { return scaled(n, " B", " kB", " MB", " GB", " TB") }

// scaled writes a number in the first of the units, each a thousand times the
// one before, in which it stays below a thousand. Thousands get one decimal
// below ten; the units above get two below ten and one below a hundred. Zeros at
// the end of a fraction are left out.
func scaled(n int64, units ...string) string {
	n = max(n, 0)
	if n < 1000 {
		return strconv.FormatInt(n, 10) + units[0]
	}
	v, i := float64(n)/1000, 1
	for v >= 999.5 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	decimals := 0
	switch {
	case v < 9.995 && i > 1:
		decimals = 2
	case v < 9.95, v < 99.95 && i > 1:
		decimals = 1
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + units[i]
}

// Count writes a number with the noun it counts: "1 call", "12 calls".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Exact is [Count] with commas between the thousands: "12,000 characters".
func Exact(n int, one, many string) string {
	s := Count(n, one, many)
	for i := strings.IndexByte(s, ' ') - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Least is [Exact], or "10+ matches" where there may be more.
func Least(n int, more bool, one, many string) string {
	if more {
		return strconv.Itoa(n) + "+ " + many
	}
	return Exact(n, one, many)
}

// Percent is a part of one in percent. All and nothing are exact.
func Percent(part float64) int {
	n := int(part*100 + 0.5)
	switch {
	case part > 0 && n == 0:
		return 1
	case part < 1 && n >= 100:
		return 99
	}
	return n
}
