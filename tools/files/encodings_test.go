package files

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-tui/tools"
	"hermes-tui/tools/charset"
)

// storage is a way in which a file is stored: encoding, and what ends a line.
type storage struct {
	enc charset.Encoding
	end string
}

// storages are all ways. An end of "mixed" is CRLF and LF in turn.
func storages() []storage {
	var all []storage
	for _, enc := range []charset.Encoding{charset.UTF8, charset.UTF8BOM, charset.UTF16LE, charset.UTF16BE, charset.Latin1} {
		for _, end := range []string{"\n", "\r\n", "mixed", "\r"} {
			all = append(all, storage{enc, end})
		}
	}
	return all
}

// store gives the bytes of lines.
func (s storage) store(t testing.TB, lines []string, final bool) []byte {
	t.Helper()
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(l)
		switch {
		case i == len(lines)-1 && !final:
		case s.end != "mixed":
			b.WriteString(s.end)
		case i%2 == 0:
			b.WriteString("\r\n")
		default:
			b.WriteString("\n")
		}
	}
	data, err := charset.Encode(b.String(), s.enc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// alphabet has characters that every encoding can store.
const alphabet = "abc xyzäéß\u00a0\u00ff\t\"\\|0{}"

func randomLine(r *rand.Rand) string {
	letters := []rune(alphabet)
	line := make([]rune, r.IntN(12))
	for i := range line {
		line[i] = letters[r.IntN(len(letters))]
	}
	return "é" + string(line) // keeps Latin-1 from being plain ASCII
}

// TestEditsKeepEveryOtherByte edits one line of files of every kind, at every
// place: all other bytes stay.
func TestEditsKeepEveryOtherByte(t *testing.T) {
	b := newBench(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range storages() {
		for _, final := range []bool{true, false} {
			for round := range 12 {
				lines := make([]string, 2+r.IntN(6))
				for i := range lines {
					lines[i] = randomLine(r)
				}
				at := []int{0, len(lines) / 2, len(lines) - 1}[round%3]
				name := fmt.Sprintf("%s %q final %v line %d of %d", s.enc, s.end, final, at, len(lines))
				path := b.put("f.txt", string(s.store(t, lines, final)))
				if err := os.Chmod(path, 0o751); err != nil {
					t.Fatal(err)
				}
				text := b.text("f.txt")
				if s.enc == charset.Latin1 && !strings.Contains(text.Body, lines[at]) {
					continue // letters at random fit another encoding better
				}
				edited := append([]string(nil), lines...)
				switch round % 4 {
				case 0, 1: // another line in its place
					edited[at] = "é new ÿ"
				case 2: // a line more, before it
					edited = append(edited[:at:at], append([]string{"é inserted"}, lines[at:]...)...)
				case 3: // longer
					edited[at] += "é appended"
				}
				want := s.store(t, edited, final)
				if s.end == "mixed" && round%4 == 2 {
					continue // whose line ends move is a matter of the editor
				}
				body := strings.Replace(text.Body, lines[at], edited[at], 1)
				if round%4 == 2 {
					end := "\n"
					if s.end == "\r" {
						end = "\r"
					}
					body = strings.Join(edited, end)
					if final {
						body += end
					}
				} else if n := strings.Index(text.Body, lines[at]); n >= 0 && strings.Count(text.Body, lines[at]) > 1 {
					continue // not a place of its own
				}
				if _, err := b.edit(tools.TextChange{File: text, Body: body}); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if got := b.content("f.txt"); got != string(want) {
					t.Errorf("%s:\ngot  %q\nwant %q", name, got, want)
				}
				if st, err := os.Stat(path); err != nil || st.Mode() != 0o751 {
					t.Errorf("%s: mode %v, %v", name, st.Mode(), err)
				}
			}
		}
	}
}

// TestBodyOfLineEnds says how line ends reach an editor.
func TestBodyOfLineEnds(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ data, body string }{
		{"a\r\nb\r\n", "a\nb\n"}, {"a\r\nb", "a\nb"}, {"a\r\nb\n", "a\r\nb\n"}, {"a\rb", "a\rb"},
		{"a\r\r\nb\r\n", "a\r\r\nb\r\n"}, {"a\r\n\rb\r\n", "a\n\rb\n"}, {"", ""}, {"\xEF\xBB\xBF", ""},
	} {
		b.put("f.txt", c.data)
		text := b.text("f.txt")
		if text.Body != c.body {
			t.Errorf("%q: body %q, want %q", c.data, text.Body, c.body)
		}
		b.mustEdit(tools.TextChange{File: text, Body: text.Body + "end\n"})
		if got := b.content("f.txt"); !strings.HasPrefix(got, c.data) {
			t.Errorf("%q became %q", c.data, got)
		}
	}
	b.put("crlf.txt", "a\r\nb\r\n")
	b.mustEdit(tools.TextChange{File: b.text("crlf.txt"), Body: "a\nx\r\ny\nb\n"}) // a model that sends both
	if got := b.content("crlf.txt"); got != "a\r\nx\r\ny\r\nb\r\n" {
		t.Errorf("got %q", got)
	}
}

// FuzzKeeps holds that what is given to an editor and taken back unchanged is the
// file byte by byte, and that what is written reads back the same.
func FuzzKeeps(f *testing.F) {
	for _, s := range storages() {
		f.Add(s.store(f, []string{"é", "x"}, true), "new\r\nÿþ\ufeff")
	}
	f.Add([]byte("a\r\r\n\xff\xfe"), "Ã©")
	f.Add([]byte("\xef\xbb\xbf\xef\xbb\xbfa"), "\ufeff\ufeffb")
	f.Add([]byte("\xff\xfea\x00\x00\xd8"), "x")
	f.Fuzz(func(t *testing.T, data []byte, content string) {
		st, err := os.Stat(".")
		if err != nil {
			t.Fatal(err)
		}
		old := decode(st, data)
		if old.keeps() {
			again, _, err := old.encode("f", old.body())
			if err != nil && !bytes.ContainsRune(data, 0) {
				t.Fatalf("%q as %s: %v", data, old.enc, err)
			}
			if err == nil && !bytes.Equal(again, data) {
				t.Fatalf("%q as %s became %q", data, old.enc, again)
			}
		}
		written, text, err := old.encode("f", content)
		if err != nil {
			return
		}
		back := decode(st, written)
		if back.text != strings.TrimPrefix(text, "\ufeff") || !utf8.ValidString(text) {
			t.Fatalf("%q written as %s reads %q", text, old.enc, back.text)
		}
	})
}

// FuzzPaths holds that a path argument is refused or gives a clean absolute path,
// and never panics.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{"a", "../../etc/passwd", "~/x", "~root", "/proc/self/cwd/x", "a//b/./..", "\xff", "a\nb", "-rf", "link/x", "link/../../x"} {
		f.Add(s)
	}
	b := newBench(f)
	if err := os.Symlink(b.home, filepath.Join(b.root, "link")); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		got, err := b.writable(arg)
		if err != nil {
			return
		}
		for _, p := range []string{got.name, got.real} {
			if !filepath.IsAbs(p) || filepath.Clean(p) != p {
				t.Fatalf("%q gave %q", arg, p)
			}
		}
		if again, err := b.fs.Resolve(got.real); err != nil || again != got.real {
			t.Fatalf("%q: %q resolves to %q (%v)", arg, got.real, again, err)
		}
	})
}
