package status_test

import (
	"math"
	"testing"
	"time"

	"hermes-tui/ui/status"
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
		if got := status.Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0s", 999 * time.Millisecond: "0s", 41999 * time.Millisecond: "41s", 60 * time.Second: "1m 00s",
	} {
		if got := status.Elapsed(d); got != want {
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
		if got := status.Tokens(c.n); got != c.tokens {
			t.Errorf("Tokens(%d) = %q, want %q", c.n, got, c.tokens)
		}
		if got := status.Bytes(c.n); got != c.bytes {
			t.Errorf("Bytes(%d) = %q, want %q", c.n, got, c.bytes)
		}
	}
}

func TestShortDir(t *testing.T) {
	for _, c := range [][3]string{
		{"/home/ada/src", "/home/ada", "~/src"},
		{"/home/ada", "/home/ada/", "~"},
		{"/home/adam", "/home/ada", "/home/adam"},
		{"/srv", "/home/ada", "/srv"},
		{"/srv", "", "/srv"},
		{"/srv", "/", "/srv"},
	} {
		if got := status.ShortDir(c[0], c[1]); got != c[2] {
			t.Errorf("ShortDir(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestMeter(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var m status.Meter
	if m.Rate(start) != 0 {
		t.Error("a new meter shows a rate")
	}
	// 400 characters a second in pieces of 20 are 100 tokens a second.
	now := start
	for range 400 {
		m.Add(now, 20)
		now = now.Add(50 * time.Millisecond)
		if age := now.Sub(start); age >= time.Second {
			if got := m.Rate(now); got < 92 || got > 108 {
				t.Fatalf("after %v: %d tokens/s, want about 100", age, got)
			}
		}
	}
	if got := m.Rate(now.Add(2 * time.Second)); got <= 20 || got >= 80 {
		t.Errorf("2 s after the last piece: %d", got)
	}
	if got := m.Rate(now.Add(6 * time.Second)); got != 0 {
		t.Errorf("6 s after the last piece: %d", got)
	}
	// After a pause the measurement starts afresh and isn't pulled down by it.
	now = now.Add(time.Minute)
	for range 40 {
		m.Add(now, 40)
		now = now.Add(50 * time.Millisecond)
	}
	if got := m.Rate(now); got < 180 || got > 220 {
		t.Errorf("after a pause: %d, want about 200", got)
	}
	before := m.Rate(now)
	m.Add(now.Add(-time.Hour), 1) // a clock set back
	m.Add(now, 0)
	m.Add(now, -5)
	if got := m.Rate(now); got < before || got > before+1 {
		t.Errorf("a clock set back: %d, want %d", got, before)
	}
	m.Reset()
	if m.Rate(now) != 0 {
		t.Error("a meter that was reset shows a rate")
	}
}

func TestMeterFirstPieceIsNoSpike(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var m status.Meter
	m.Add(start, 400)
	if got := m.Rate(start); got > 130 {
		t.Errorf("100 tokens at once show as %d a second", got)
	}
}
