package status_test

import (
	"testing"
	"time"

	"hermes-tui/ui/status"
)

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
