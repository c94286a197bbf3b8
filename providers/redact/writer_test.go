package redact

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func throughWriter(t testing.TB, m Masker, pieces ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, m)
	for _, p := range pieces {
		if n, err := io.WriteString(w, p); n != len(p) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(p), err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// split cuts s into pieces of the given size.
func split(s string, size int) []string {
	var out []string
	for len(s) > size {
		out = append(out, s[:size])
		s = s[size:]
	}
	return append(out, s)
}

const streamed = "start\nPASSWORD=hunter2\n@@ -1 +1 @@\n+14155552671\ncall +14155552671\n" +
	"-----BEGIN RSA PRIVA" + "TE KEY-----\nTy4Qwb8DwkNhFdnXsiVpzz63FfkCzJr4i0B3JrTAwR4y9ojfljoQoaF1LlqsajAI\nQwb8Dw==\n-----END RSA PRIVA" + "TE KEY-----\n" +
	"between\n-----BEGIN RSA PRIVA" + "TE KEY-----\nis only named here\n" +
	"-----BEGIN PRIVA" + "TE KEY-----\nTy4Qwb8DwkNhFdnXsiVpzz63FfkCzJr4i0B3JrTAwR4y9ojfljoQoaF1LlqsajAI\ncut off here\nand then the last"

func TestWriterEqualsText(t *testing.T) {
	want := Text(streamed)
	if strings.Contains(want, "hunter2") || strings.Count(want, keyMark) != 2 {
		t.Fatalf("the text is not masked: %q", want)
	}
	for _, size := range []int{1, 2, 3, 7, 64, 1000, len(streamed)} {
		if got := throughWriter(t, Masker{}, split(streamed, size)...); got != want {
			t.Errorf("in pieces of %d:\ngot  %q\nwant %q", size, got, want)
		}
	}
}

func TestWriterHoldsAnUnfinishedLine(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Masker{Secrets: NewSecrets("correct-horse")})
	for _, p := range []string{"one\ncorre", "ct-h", "orse"} {
		if _, err := io.WriteString(w, p); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != "one\n" {
		t.Errorf("wrote %q before the line ended", got)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "one\n***" {
		t.Errorf("wrote %q", got)
	}
	if _, err := io.WriteString(w, "+14155552671\n"); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "one\n***+141****2671\n" {
		t.Errorf("wrote %q: the sign did not begin the line", got)
	}
}

func TestWriterBoundsWhatItHolds(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Masker{})
	for range 100 {
		if _, err := io.WriteString(w, strings.Repeat("a word ", 500)); err != nil {
			t.Fatal(err)
		}
		if len(w.line) > LongestHeld {
			t.Fatalf("holds %d bytes", len(w.line))
		}
	}
	if held := 100*3500 - out.Len(); held > LongestHeld {
		t.Errorf("%d bytes did not come out", held)
	}
	// An endless key comes out as one mark and holds nothing.
	key := "-----BEGIN PRIVA" + "TE KEY-----\n" + strings.Repeat(strings.Repeat("A", 64)+"\n", 5000)
	if got := throughWriter(t, Masker{}, split(key, 1000)...); got != keyMark+"\n" {
		t.Errorf("an endless key gave %d bytes", len(got))
	}
	// So does what never becomes one.
	lead := "-----BEGIN PRIVA" + "TE KEY-----\n" + strings.Repeat("\n", 5000)
	if got := throughWriter(t, Masker{}, split(lead, 1)...); got != lead {
		t.Errorf("blank lines gave %d bytes of %d", len(got), len(lead))
	}
}

func TestWriterKeepsTheFirstError(t *testing.T) {
	pr, pw := io.Pipe()
	first := errors.New("closed")
	pr.CloseWithError(first)
	w := NewWriter(pw, Masker{})
	for range 2 {
		if _, err := io.WriteString(w, "line\n"); !errors.Is(err, first) {
			t.Errorf("got %v, want %v", err, first)
		}
	}
	if err := w.Flush(); !errors.Is(err, first) {
		t.Errorf("Flush gave %v", err)
	}
}
