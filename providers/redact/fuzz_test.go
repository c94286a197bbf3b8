package redact

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzText looks for panics, for broken UTF-8 and for secrets that survive next
// to arbitrary text on other lines.
func FuzzText(f *testing.F) {
	f.Add(streamed)
	f.Add(`{"token": "abc", "x": [1, "\u00e9"]} Authorization: Bearer x a://b:c@d 12345678:` + strings.Repeat("A", 35))
	for unit := range hostile(16) {
		f.Add(unit)
	}
	const secret = "PASSWORD=hunter2"
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q became invalid: %q", s, got)
		}
		if strings.Contains(s, "hunter2") {
			return
		}
		if got := Text(s + "\n" + secret + "\n" + s); strings.Contains(got, "hunter2") {
			t.Errorf("the password survived in %q", got)
		}
	})
}

// FuzzWriter compares the stream with the text, cut at arbitrary places.
func FuzzWriter(f *testing.F) {
	f.Add(streamed, uint8(3))
	f.Add("-----BEGIN PRIVA"+"TE KEY-----\n\nAAAAAAAAAAAAAAAAAAAAAAAA\n\nx", uint8(1))
	f.Fuzz(func(t *testing.T, s string, size uint8) {
		if longestLine(s) >= LongestHeld {
			return
		}
		want := Text(s)
		if got := throughWriter(t, Masker{}, split(s, int(size)+1)...); got != want {
			t.Errorf("%q in pieces of %d:\ngot  %q\nwant %q", s, int(size)+1, got, want)
		}
	})
}

func longestLine(s string) int {
	n := 0
	for _, l := range bytes.Split([]byte(s), []byte("\n")) {
		n = max(n, len(l))
	}
	return n
}
