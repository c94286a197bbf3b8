package redact

import (
	"fmt"
	"strings"
	"testing"
)

// ordinary is what tools print: a test log, source code, a listing.
func ordinary() string {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "2026-03-02T10:%02d:00Z INFO  server: handled request id=%d path=/v1/items?limit=20&page=%d status=200 took=%dms\n", i%60, i, i, i%97)
		fmt.Fprintf(&b, "\tif err := s.store.Append(ctx, item_%d); err != nil {\n\t\treturn fmt.Errorf(\"append %%d: %%w\", id, err)\n\t}\n", i)
		fmt.Fprintf(&b, "-rw-r--r--  1 ann  staff  %6d Mar  2 10:00 file-%d_test.go\n", i*37, i)
	}
	return b.String()
}

func BenchmarkText(b *testing.B) {
	clean := ordinary()
	for _, c := range []struct{ name, text string }{
		{"ordinary", clean},
		{"prose", strings.Repeat("The quick brown fox jumps over the lazy dog, and then it sleeps. ", 10000)},
		{"base64", strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 10000)},
		{"one secret", clean + "PASSWORD=hunter2\n"},
		{"many secrets", strings.Repeat("PASSWORD=hunter2 a://b:c@d call +14155552671\n", 10000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				Text(c.text)
			}
		})
	}
}

func BenchmarkMasker(b *testing.B) {
	s := ordinary()
	m := Masker{Secrets: NewSecrets("k1-"+strings.Repeat("a", 40), "k2-"+strings.Repeat("Z", 40), "another secret")}
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		m.Text(s)
	}
}

func BenchmarkWriter(b *testing.B) {
	s := []byte(ordinary())
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		w := NewWriter(discard{}, Masker{})
		for i := 0; i < len(s); i += 32 << 10 {
			if _, err := w.Write(s[i:min(len(s), i+32<<10)]); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
}

// discard is a writer without the WriteString of io.Discard.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
