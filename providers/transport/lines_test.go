package transport_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"hermes-tui/providers/transport"
)

func TestLines(t *testing.T) {
	long := "data: " + strings.Repeat("x", 100<<10)
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"nothing", "", nil},
		{"blanks only", " \r\n\n", nil},
		{"line ends", "event: a\r\ndata: 1\n\ndata: 2", []string{"event: a\r\n", "data: 1\n", "\n", "data: 2"}},
		{"byte order mark", "\ufeff\n data: 1\n", []string{"data: 1\n"}},
		{"longer than the buffer", long + "\n" + "data: 2\n" + long, []string{long + "\n", "data: 2\n", long}},
		{"a document after the begin", "data: {\n{\n", []string{"data: {\n", "{\n"}},
	} {
		for _, slow := range []bool{false, true} {
			body := io.Reader(strings.NewReader(c.body))
			if slow {
				body = iotest.OneByteReader(body)
			}
			lines := transport.NewLines(body)
			var got []string
			var err error
			for err == nil {
				var line []byte
				if line, err = lines.Next(); len(line) > 0 {
					got = append(got, string(line))
				}
			}
			if !errors.Is(err, io.EOF) || strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("%s, slow %v: %d lines %.80q, %v", c.name, slow, len(got), got, err)
			}
		}
	}
}

// TestLinesOfADocument gives the whole document back to whoever wants to tell of it.
func TestLinesOfADocument(t *testing.T) {
	for _, body := range []string{`{"error":1}`, "\n [1]", "\ufeff<html>"} {
		lines := transport.NewLines(strings.NewReader(body))
		if line, err := lines.Next(); !errors.Is(err, transport.ErrNoEvents) || len(line) > 0 {
			t.Errorf("%q: %q, %v", body, line, err)
		}
		rest, err := io.ReadAll(lines.Rest())
		if want := strings.TrimLeft(body, "\ufeff\n "); err != nil || string(rest) != want {
			t.Errorf("%q: the rest is %q, %v", body, rest, err)
		}
	}
}

// TestLinesBroken gives what came before the connection broke, with the reason.
func TestLinesBroken(t *testing.T) {
	broken := errors.New("reset by peer")
	lines := transport.NewLines(io.MultiReader(strings.NewReader("data: 1\ndata: "), iotest.ErrReader(broken)))
	if line, err := lines.Next(); string(line) != "data: 1\n" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := lines.Next(); string(line) != "data: " || !errors.Is(err, broken) {
		t.Errorf("%q, %v", line, err)
	}
}
