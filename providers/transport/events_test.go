package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll reads a stream to its end: one line an event, its name before its data.
func readAll(t *testing.T, body io.Reader) string {
	t.Helper()
	events := NewEvents(body)
	var out strings.Builder
	for {
		name, data, err := events.Next()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s:%s|", name, strings.ReplaceAll(string(data), "\n", "⏎"))
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"fields", "event: a\nid: 1\nretry: 5\n: note\ndata: x\n\ndata:y\n\n", "a:x|:y|"},
		{"several lines of data", "data: {\"a\":\ndata: 1}\n\ndata: x\ndata: y\n\n", `:{"a":⏎1}|:x⏎y|`},
		{"a name behind the data", "data: {}\nevent: a\n\ndata: {}\n\n", "a:{}|:{}|"},
		{"a name and no data", "event: a\n\ndata: {}\n\n", ":{}|"},
		{"without blank lines", "data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n", `:{"a":1}|:{"b":2}|:[DONE]|`},
		{"names without blank lines", "event: a\ndata: {}\nevent: b\ndata: []\n", "a:{}|b:[]|"},
		{"a name between events without blank lines", "data: {}\nevent: b\ndata: []\n", ":{}|b:[]|"},
		{"zero bytes", "data: {\"a\":\"x\x00y\x00\"}\n\n", `:{"a":"xy"}|`},
		{"the last one lacks its end", "data: {\"a\":\ndata: 1}", `:{"a":⏎1}|`},
		{"the last two lack their ends", "data: {}\ndata: []", ":{}|:[]|"},
		{"the last one breaks off behind one without a blank line", "data: {}\ndata: {\"a\":", ":{}|"},
		{"the last one breaks off", "data: {}\n\ndata: {\"a\":", ":{}|"},
		{"blanks first", "\n \n\ufeffdata: a\n\n", ":a|"},
		{"no data", "data\n\ndata:\n\nfoo: bar\n", ""},
		{"long", "data: \"" + strings.Repeat("x", 100_000) + "\"\n\n", ":\"" + strings.Repeat("x", 100_000) + "\"|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n", "\r"} {
				in := strings.ReplaceAll(c.in, "\n", end)
				for _, src := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
					if got := readAll(t, src); got != c.want {
						t.Errorf("with %q: got %.200q, want %.200q", end, got, c.want)
					}
				}
			}
		})
	}
}

func TestEventsTell(t *testing.T) {
	events := NewEvents(strings.NewReader(": note\nHello there\ndata: x\n\n"))
	if _, data, err := events.Next(); string(data) != "x" || err != nil || events.First() != "x" || events.Odd() != "Hello there" {
		t.Errorf("%q, %v, %q, %q", data, err, events.First(), events.Odd())
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: error\ndata: x\n\ndata: {\"error\":1}\r\n: c\n"), uint8(3))
	f.Add([]byte("\xef\xbb\xbfdata:\n"), uint8(0))
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		whole := NewEvents(bytes.NewReader(in))
		pieces := NewEvents(&inPieces{in, int(size) + 1})
		for {
			name, data, err := whole.Next()
			name2, data2, err2 := pieces.Next()
			if name != name2 || !bytes.Equal(data, data2) || (err == nil) != (err2 == nil) {
				t.Fatalf("%q %q, %v in one piece, %q %q, %v in several", name, data, err, name2, data2, err2)
			}
			if err != nil {
				return
			}
			if len(data) == 0 {
				t.Fatal("an event without data")
			}
		}
	})
}

// inPieces delivers at most size bytes at a time.
type inPieces struct {
	data []byte
	size int
}

func (p *inPieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data[:min(p.size, len(p.data))])
	p.data = p.data[n:]
	return n, nil
}
