package term

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

var pasteCases = []struct{ name, in, want string }{
	{"nothing", "", ""},
	{"keys", "a\x1b[A\x1bOP\x1b\x1b[200\x9b\xff~", "a\x1b[A\x1bOP\x1b\x1b[200\x9b\xff~"},
	{"an end without a beginning", "\x1b[201~\x1b]0;x\x1b", "\x1b[201~\x1b]0;x\x1b"},
	{"text", "a\x1b[200~päste\r\n\t✓\x1b[201~\x1b[B", "a\x1b[200~päste\r\n\t✓\x1b[201~\x1b[B"},
	{"an unfinished title", "\x1b[200~A \x1b]0;OWNED\x1b[201~k\x1bx", "\x1b[200~A \x1a]0;OWNED\x1b[201~k\x1bx"},
	{"8-bit controls", "\x1b[200~a\x9d0;x\x90\xe2\x9d\xe2\x9bz\x80\x1b[201~\x9d", "\x1b[200~a0;xz\x1b[201~\x9d"},
	{"C1 as characters", "\x1b[200~\u009b1mà\U0001f79d\x1b[201~", "\x1b[200~\u009b1mà\U0001f79d\x1b[201~"},
	{"a character without its end", "\x1b[200~a\xf0\x9f\x9d\x1b[201~", "\x1b[200~a\x1b[201~"},
	{"nearly the end", "\x1b[200~\x1b[201\x1b[20\x1b[2\x1b[\x1b\x1b[201x\x1b[201~", "\x1b[200~\x1a[201\x1a[20\x1a[2\x1a[\x1a\x1a[201x\x1b[201~"},
	{"nearly the beginning", "\x1b[20\x1b\x1b[200~\x1b\x1b[201~", "\x1b[20\x1b\x1b[200~\x1a\x1b[201~"},
	{"a beginning in a paste", "\x1b[200~\x1b[200~a\x1b[201~\x1bb", "\x1b[200~\x1a[200~a\x1b[201~\x1bb"},
	{"two", "\x1b[200~\x1b\x1b[201~\x1b[200~\x1b_x\x1b[201~\x1b", "\x1b[200~\x1a\x1b[201~\x1b[200~\x1a_x\x1b[201~\x1b"},
	{"the input ends in the end", "\x1b[200~a\x1b[201", "\x1b[200~a"},
}

// pieces reads one piece after the other, as a terminal gives them.
type pieces []string

func (p *pieces) Read(b []byte) (int, error) {
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	if (*p)[0] = (*p)[0][n:]; (*p)[0] == "" {
		*p = (*p)[1:]
	}
	return n, nil
}

func cleaned(t *testing.T, r io.Reader) string {
	t.Helper()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestCleanPastes(t *testing.T) {
	for _, c := range pasteCases {
		t.Run(c.name, func(t *testing.T) {
			for i := range len(c.in) + 1 {
				for j := i; j <= len(c.in); j++ {
					if got := cleaned(t, CleanPastes(&pieces{c.in[:i], c.in[i:j], c.in[j:]})); got != c.want {
						t.Fatalf("split at %d and %d: %q, want %q", i, j, got, c.want)
					}
				}
			}
			for name, r := range map[string]io.Reader{
				"byte by byte":    CleanPastes(iotest.OneByteReader(strings.NewReader(c.in))),
				"a small buffer":  iotest.OneByteReader(CleanPastes(strings.NewReader(c.in))),
				"data with error": iotest.OneByteReader(CleanPastes(iotest.DataErrReader(strings.NewReader(c.in)))),
			} {
				if got := cleaned(t, r); got != c.want {
					t.Errorf("%s: %q, want %q", name, got, c.want)
				}
			}
		})
	}
}

// Each byte outside of a paste is there after the read that brought it, and
// nothing that could be told is left behind for a read that may never come.
func TestCleanPastesGivesAllAtOnce(t *testing.T) {
	for _, c := range pasteCases {
		r := CleanPastes(iotest.OneByteReader(strings.NewReader(c.in))).(*pasteReader)
		var got []byte
		for i := range len(c.in) {
			var buf [6]byte
			n, err := r.Read(buf[:])
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, buf[:n]...)
			switch {
			case len(r.out) > 0 || r.held() > 5:
				t.Fatalf("%s: after %q: %q is left and %d are held", c.name, c.in[:i+1], r.out, r.held())
			case !r.inside && n == 0, !strings.Contains(c.in[:i+1], pasteStart) && string(got) != c.in[:i+1]:
				t.Fatalf("%s: after %q: %q", c.name, c.in[:i+1], got)
			}
		}
	}
}

func FuzzPaste(f *testing.F) {
	for i, c := range pasteCases {
		f.Add([]byte(c.in), uint8(i), uint8(2*i+1))
	}
	f.Fuzz(func(t *testing.T, in []byte, size, room uint8) {
		want := cleaned(t, CleanPastes(bytes.NewReader(in)))
		var cut pieces
		for rest := string(in); rest != ""; {
			n := min(len(rest), 1+int(size)%17)
			cut, rest = append(cut, rest[:n]), rest[n:]
		}
		r := CleanPastes(&cut)
		var got []byte
		for buf := make([]byte, 1+int(room)%20); ; {
			n, err := r.Read(buf)
			if got = append(got, buf[:n]...); err != nil {
				break
			}
		}
		if string(got) != want {
			t.Fatalf("%q in pieces of %d: %q, want %q", in, 1+int(size)%17, got, want)
		}
		checkPastes(t, string(in), want)
	})
}

// checkPastes holds out against in, cut at the markers.
func checkPastes(t *testing.T, in, out string) {
	t.Helper()
	for {
		i := strings.Index(in, pasteStart)
		if i < 0 {
			if in != out {
				t.Fatalf("outside of a paste: %q became %q", in, out)
			}
			return
		}
		i += len(pasteStart)
		if !strings.HasPrefix(out, in[:i]) {
			t.Fatalf("outside of a paste: %q became %q", in[:i], out)
		}
		in, out = in[i:], out[i:]
		_, rest, ended := strings.Cut(in, pasteEnd)
		text, after, has := strings.Cut(out, pasteEnd)
		if strings.ContainsRune(text, esc) || !utf8.ValidString(text) || ended != has {
			t.Fatalf("the paste %q became %q", in, out)
		}
		if !ended {
			return
		}
		in, out = rest, after
	}
}
