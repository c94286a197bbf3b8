package status

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
