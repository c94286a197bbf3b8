package chat

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"hermes-tui/providers/transport"
)

func readEvents(src io.Reader) (string, error) {
	data, err := io.ReadAll(newEvents(io.NopCloser(src)))
	return string(data), err
}

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"fields", "event: message\nid: 1\nretry: 5\n: note\ndata: a\n\ndata:b\r\n\r\ndata\nfoo: bar\n", "data: a\ndata: b\n"},
		{"error", `data: {"error":1}` + "\n", `data: { "error":1}` + "\n"},
		{"named error", "event: error\ndata: {}\n\ndata: {}\n", `data: { "error":{}}` + "\ndata: {}\n"},
		{"blanks first", "\n \r\n\ufeffdata: a\n\n", "data: a\n"},
		{"unfinished last line", "data: 1\ndata: {\"a", "data: 1\n"},
		{"finished last line", "data: 1\ndata: {}", "data: 1\ndata: {}\n"},
		{"done", "data: [DONE]", "data: [DONE]\n"},
		{"long", "data: " + strings.Repeat("x", 100_000) + "\n\ndata: y\n\n", "data: " + strings.Repeat("x", 100_000) + "\ndata: y\n"},
		{"several lines", "data: {\"a\":\ndata: 1}\n\n", "data: {\"a\": 1}\n"},
		{"carriage returns", "data: a\r\rdata: b\r\r", "data: a\ndata: b\n"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
				if got, err := readEvents(src); got != c.want || err != nil {
					t.Errorf("got %q, %v, want %q", got, err, c.want)
				}
			}
		})
	}
	for _, in := range []string{"{}", "\n\n[1]", "\ufeff<html>"} {
		if got, err := readEvents(strings.NewReader(in)); !errors.Is(err, transport.ErrNoEvents) || got != "" {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: error\ndata: x\n\ndata: {\"error\":1}\r\n: c\n"), uint8(3))
	f.Add([]byte("\xef\xbb\xbfdata:\n"), uint8(0))
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		whole, errWhole := readEvents(bytes.NewReader(in))
		pieces, errPieces := readEvents(&inPieces{in, int(size) + 1})
		if whole != pieces || (errWhole == nil) != (errPieces == nil) {
			t.Fatalf("%q, %v in one piece, %q, %v in several", whole, errWhole, pieces, errPieces)
		}
		for line := range strings.Lines(whole) {
			if !strings.HasPrefix(line, "data: ") || !strings.HasSuffix(line, "\n") || strings.HasPrefix(line, `data: {"error":`) {
				t.Fatalf("line %q", line)
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
