package find_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-tui/ui/find"
)

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// FuzzFind holds what is found to what a regular expression finds.
func FuzzFind(f *testing.F) {
	f.Add("foo bar", "a Foo  bar foo\nbar", false)
	f.Add("*a*", "**a** *a*", true)
	f.Add("İk", "ik İK \xff", false)
	f.Fuzz(func(t *testing.T, want, text string, exact bool) {
		q := find.Query{Text: want, Case: exact}
		m, err := q.Compile()
		if m == nil || err != nil {
			return
		}
		for at, last := 0, 0; ; last = at {
			from, to := m([]byte(text), at, true)
			if to < 0 {
				break
			}
			if at = to; from < last || to <= from || to > len(text) {
				t.Fatalf("%q in %q: %d to %d after %d", want, text, from, to, last)
			}
		}
		if !ascii(want) || strings.ContainsAny(want, "\v\f") {
			return
		}
		parts := strings.Fields(want)
		for i, p := range parts {
			parts[i] = regexp.QuoteMeta(p)
		}
		pattern := strings.Join(parts, "[ \n\t\r]+")
		if !exact {
			pattern = "(?i)" + pattern
		}
		naive := regexp.MustCompile(pattern).FindStringIndex(text)
		from, to := m([]byte(text), 0, false)
		if !ascii(text) {
			return // a regular expression folds K and the sign of Kelvin
		}
		if (naive == nil) != (to < 0) || naive != nil && (naive[0] != from || naive[1] != to) {
			t.Errorf("%q in %q: %d to %d, want %v", want, text, from, to, naive)
		}
	})
}

// BenchmarkEvery finds every place of a letter in a text that never has its other form:
// each match costs the way to it, not the way to the end.
func BenchmarkEvery(b *testing.B) {
	text := []byte(strings.Repeat("what the report says in a sentence or two ", 8000))
	m, _ := find.Query{Text: "e"}.Compile()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for at := 0; at >= 0; {
			_, at = m(text, at, false)
		}
	}
	b.ReportMetric(10e6, "target-ns/op")
}

// all are the matches of a query in a text.
func all(t *testing.T, q find.Query, text string) (list []string) {
	t.Helper()
	m, err := q.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; ; {
		from, to := m([]byte(text), at, false)
		if to < 0 {
			return list
		}
		list, at = append(list, text[from:to]), to
	}
}

func TestPattern(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{"^a", "aaa\nba\na", "a a"},
		{`needles?\s+h`, "two needle\n h, NEEDLES h", "needle\n h NEEDLES h"},
		{`fo+ba?r`, "x fobr\nfoobar\nfbar fooobar", "fobr foobar fooobar"},
		{`(ab){2,3}c`, "abc ababc abababc", "ababc abababc"},
		{`mask\b`, "ma\u017f\u212a mask", "mask"},
		{`a.c$`, "abc abc\nadc", "abc adc"},
		{`one two`, "one\ntwo one  two one two", "one two"},
		{`x*`, "axxb", "xx"},
	} {
		if got := strings.Join(all(t, find.Query{Text: c.pattern, Regexp: true}, c.text), " "); got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.pattern, c.text, got, c.want)
		}
	}
}

// FuzzPattern holds what is found to what package regexp finds, where texts and
// expressions say nothing about what stands before a match.
func FuzzPattern(f *testing.F) {
	f.Add(`ab+c?`, "xabbc ab\nABC", false)
	f.Add(`(k|s)+ing`, "\u212aing king\nsing", false)
	f.Add(`needle \d`, "needle\n1 needle 2 needle  3", true)
	f.Fuzz(func(t *testing.T, pattern, text string, exact bool) {
		if strings.ContainsAny(pattern, "^$\\") || !utf8.ValidString(text) {
			return
		}
		q := find.Query{Text: pattern, Regexp: true, Case: exact}
		m, err := q.Compile()
		if m == nil || err != nil {
			return
		}
		how := "(?m)"
		if !exact {
			how += "(?i)"
		}
		re, err := regexp.Compile(how + pattern)
		if err != nil {
			return
		}
		var want []string
		for _, s := range re.FindAllString(text, -1) {
			if s != "" {
				want = append(want, s)
			}
		}
		if got := all(t, q, text); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q in %q: %q, want %q", pattern, text, got, want)
		}
	})
}
