package format_test

import (
	"math"
	"testing"
	"time"

	"hermes-tui/ui/format"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:             "0.0s",
		0:                        "0.0s",
		300 * time.Millisecond:   "0.3s",
		349 * time.Millisecond:   "0.3s",
		12400 * time.Millisecond: "12.4s",
		29949 * time.Millisecond: "29.9s",
		29950 * time.Millisecond: "30s",
		41400 * time.Millisecond: "41s",
		59600 * time.Millisecond: "1m 00s",
		125 * time.Second:        "2m 05s",
		time.Hour + 2*time.Minute + 59*time.Second:   "1h 02m",
		3*24*time.Hour + 4*time.Hour + 5*time.Minute: "3d 04h",
		math.MaxInt64: "106751d 23h",
	} {
		if got := format.Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0s", 999 * time.Millisecond: "0s", 41999 * time.Millisecond: "41s", 60 * time.Second: "1m 00s",
	} {
		if got := format.Elapsed(d); got != want {
			t.Errorf("Elapsed(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestTokensAndBytes(t *testing.T) {
	for _, c := range []struct {
		n             int64
		tokens, bytes string
	}{
		{-1, "0", "0 B"},
		{0, "0", "0 B"},
		{999, "999", "999 B"},
		{1000, "1k", "1 kB"},
		{1234, "1.2k", "1.2 kB"},
		{9949, "9.9k", "9.9 kB"},
		{9950, "10k", "10 kB"},
		{96_000, "96k", "96 kB"},
		{200_000, "200k", "200 kB"},
		{999_499, "999k", "999 kB"},
		{999_500, "1M", "1 MB"},
		{1_000_000, "1M", "1 MB"},
		{1_230_000, "1.23M", "1.23 MB"},
		{1_200_000, "1.2M", "1.2 MB"},
		{12_340_000, "12.3M", "12.3 MB"},
		{123_400_000, "123M", "123 MB"},
		{5_000_000_000, "5B", "5 GB"},
		{math.MaxInt64, "9223372T", "9223372 TB"},
	} {
		if got := format.Tokens(c.n); got != c.tokens {
			t.Errorf("Tokens(%d) = %q, want %q", c.n, got, c.tokens)
		}
		if got := format.Bytes(c.n); got != c.bytes {
			t.Errorf("Bytes(%d) = %q, want %q", c.n, got, c.bytes)
		}
	}
}

func TestPercent(t *testing.T) {
	for part, want := range map[float64]int{0: 0, 0.0001: 1, 0.004: 1, 0.5: 50, 0.994: 99, 0.9999: 99, 1: 100} {
		if got := format.Percent(part); got != want {
			t.Errorf("%v: %d, want %d", part, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "now", 59 * time.Second: "now", time.Minute: "1 min ago", 119 * time.Minute: "1 h ago",
		24 * time.Hour: "1 day ago", 71 * time.Hour: "2 days ago",
	} {
		if got := format.Ago(d); got != want {
			t.Errorf("Ago(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second: "1 second", 90 * time.Second: "90 seconds", 5 * time.Minute: "5 minutes", time.Hour: "1 hour", 90 * time.Minute: "90 minutes",
	} {
		if got := format.Span(d); got != want {
			t.Errorf("Span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int][2]string{
		0: {"0 rows", "0 rows"}, 1: {"1 row", "1 row"}, 999: {"999 rows", "999 rows"}, 1000: {"1000 rows", "1,000 rows"},
		1234567: {"1234567 rows", "1,234,567 rows"}, -100: {"-100 rows", "-100 rows"},
	} {
		if got := [2]string{format.Count(n, "row", "rows"), format.Exact(n, "row", "rows")}; got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
