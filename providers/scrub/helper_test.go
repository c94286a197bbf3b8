package scrub

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// parts is everything that a stream gave back. Blocks begin with a bar.
type parts struct{ text, reasoning, calls string }

func (p *parts) add(pieces []Piece) error {
	for _, q := range pieces {
		if q.Text == "" {
			return fmt.Errorf("empty piece %+v", q)
		}
		if q.Begin {
			q.Text = "|" + q.Text
		}
		switch q.Kind {
		case Text:
			p.text += q.Text
		case Reasoning:
			p.reasoning += q.Text
		case Call:
			p.calls += q.Text
		}
	}
	return nil
}

// feed runs chunks through a stream and checks what it holds back on the way.
func feed(t testing.TB, r Rules, chunks ...string) parts {
	t.Helper()
	return feedTo(t, New(r), chunks...)
}

func feedTo(t testing.TB, s *Stream, chunks ...string) parts {
	t.Helper()
	var p parts
	calls := s.Leaked()
	take := func(pieces []Piece) {
		if err := p.add(pieces); err != nil {
			t.Fatal(err)
		}
		for _, q := range pieces {
			if q.Kind == Call && q.Begin {
				calls++
			}
		}
	}
	for _, c := range chunks {
		take(s.Feed(c))
		if err := s.overdue(); err != nil {
			t.Fatalf("%v after %q of %q", err, c, chunks)
		}
	}
	take(s.Flush())
	if s.Leaked() != calls {
		t.Errorf("%d calls are counted, %d were given back", s.Leaked(), calls)
	}
	return p
}

// longest is the most that a stream may hold back while it is not clear whether a
// tag begins.
func longest(r Rules) int {
	n := utf8.UTFMax
	for _, f := range forms {
		if r&f.rule == 0 {
			continue
		}
		open := len(f.open)
		switch {
		case f.manner == fenced:
			open += len("\r\n")
		case f.manner == likely:
			open += longestName + longestBlank + 1
		case f.tail != "":
			open += longestName + len(f.tail)
		}
		shut := len(f.close)
		if f.rule == HideReasoning {
			shut += len("\r\n")
		}
		if f.manner == closed {
			open += longestBlank + len("<parameter")
		}
		n = max(n, open, shut)
	}
	return n - 1
}

// overdue reports whether more is held back than may be.
func (s *Stream) overdue() error {
	switch {
	case s.wait == nil && len(s.held) > longest(s.rules):
		return fmt.Errorf("%q is held back", s.held)
	case s.wait == nil:
		return nil
	case len(s.held) >= LongestHeld:
		return fmt.Errorf("%d bytes are held back", len(s.held))
	case s.oneLine && strings.Contains(string(s.held), "\n"):
		return fmt.Errorf("%q is held back beyond its line", s.held)
	}
	return nil
}

// pieces cuts s into pieces of n bytes.
func pieces(s string, n int) []string {
	var list []string
	for len(s) > n {
		list = append(list, s[:n])
		s = s[n:]
	}
	return append(list, s)
}

// everyCut holds the result of s to that of every way of cutting it in two, and of
// pieces of equal size.
func everyCut(t testing.TB, r Rules, s string) {
	t.Helper()
	want := feed(t, r, s)
	for i := range len(s) + 1 {
		if got := feed(t, r, s[:i], s[i:]); got != want {
			t.Fatalf("cut %q | %q:\ngot  %q\nwant %q", s[:i], s[i:], got, want)
		}
	}
	for n := 1; n <= 3; n++ {
		if got := feed(t, r, pieces(s, n)...); got != want {
			t.Fatalf("%q in pieces of %d:\ngot  %q\nwant %q", s, n, got, want)
		}
	}
}
