package transport

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func newLines(body io.Reader) *lines { return &lines{src: bufio.NewReaderSize(body, 32<<10)} }

func TestLines(t *testing.T) {
	long := "data: " + strings.Repeat("x", 100<<10)
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"nothing", "", nil},
		{"blanks only", " \r\n\n", nil},
		{"line ends", "event: a\r\ndata: 1\n\ndata: 2\r\rdata: 3\r\n\r\nlast", []string{"event: a", "data: 1", "", "data: 2", "", "data: 3", "", "last"}},
		{"carriage returns before a line feed", "a\r\r\n\n\r", []string{"a", "", "", ""}},
		{"byte order mark", "\ufeff\n data: 1\n", []string{"data: 1"}},
		{"longer than the buffer", long + "\n" + "data: 2\n" + long, []string{long, "data: 2", long}},
		{"longer than the buffer, with carriage returns", long + "\r" + "data: 2\r" + long, []string{long, "data: 2", long}},
		{"a document after the begin", "data: {\n{\n", []string{"data: {", "{"}},
	} {
		for _, slow := range []bool{false, true} {
			body := io.Reader(strings.NewReader(c.body))
			if slow {
				body = iotest.OneByteReader(body)
			}
			lines := newLines(body)
			var got []string
			var err error
			for err == nil {
				var line []byte
				if line, err = lines.next(); err == nil || len(line) > 0 {
					got = append(got, string(line))
				}
			}
			if !errors.Is(err, io.EOF) || strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
				t.Errorf("%s, slow %v: %d lines %.80q, %v", c.name, slow, len(got), got, err)
			}
		}
	}
}

// TestLinesDoNotWait gives a line when its end is there, and not when the next byte is.
func TestLinesDoNotWait(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\r\n"} {
		r, w := io.Pipe()
		lines := newLines(r)
		for _, want := range []string{"data: 1", "", "data: 2"} {
			go io.WriteString(w, want+end)
			if line, err := lines.next(); string(line) != want || err != nil {
				t.Errorf("%q: %q, %v, want %q", end, line, err, want)
			}
		}
		w.Close()
		if line, err := lines.next(); len(line) > 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%q: %q, %v", end, line, err)
		}
	}
}

// TestLinesOfADocument gives the whole document back to whoever wants to tell of it.
func TestLinesOfADocument(t *testing.T) {
	for _, body := range []string{`{"error":1}`, "\n [1]", "\ufeff<html>"} {
		events := NewEvents(strings.NewReader(body))
		if name, data, err := events.Next(); !errors.Is(err, ErrNoEvents) || len(data) > 0 || name != "" {
			t.Errorf("%q: %q, %v", body, data, err)
		}
		rest, err := io.ReadAll(events.Rest())
		if want := strings.TrimLeft(body, "\ufeff\n "); err != nil || string(rest) != want {
			t.Errorf("%q: the rest is %q, %v", body, rest, err)
		}
	}
}

// TestLinesBroken gives what came before the connection broke, with the reason.
func TestLinesBroken(t *testing.T) {
	broken := errors.New("reset by peer")
	lines := newLines(io.MultiReader(strings.NewReader("data: 1\ndata: "), iotest.ErrReader(broken)))
	if line, err := lines.next(); string(line) != "data: 1" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := lines.next(); string(line) != "data: " || !errors.Is(err, broken) {
		t.Errorf("%q, %v", line, err)
	}
}
