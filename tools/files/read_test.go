package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"hermes-tui/tools"
)

func TestLinesAsAUserCounts(t *testing.T) {
	for _, c := range []struct {
		name, data, content string
		total               int
		summary             string
	}{
		{"final newline", "a\nb\n", "1|a\n2|b", 2, "2 lines"},
		{"no final newline", "a\nb", "1|a\n2|b", 2, "2 lines"},
		{"one line", "a", "1|a", 1, "1 line"},
		{"empty", "", "", 0, "empty"},
		{"one empty line", "\n", "1|", 1, "1 line"},
		{"empty last line", "a\n\n", "1|a\n2|", 2, "2 lines"},
		{"CRLF", "a\r\nb\r\n", "1|a\n2|b", 2, "2 lines"},
		{"carriage return inside", "a\rb\n", "1|a\rb", 1, "1 line"},
		{"byte order mark", "\xEF\xBB\xBFa\n", "1|a", 1, "1 line"},
		{"nothing but a mark", "\xEF\xBB\xBF", "", 0, "empty"},
		{"UTF-16", "\xFF\xFEa\x00\n\x00\xe9\x00", "1|a\n2|é", 2, "2 lines"},
		{"Latin-1", "caf\xe9\nna\xefve\n", "1|café\n2|naïve", 2, "2 lines"},
		{"UTF-8", "文\n😀\n", "1|文\n2|😀", 2, "2 lines"},
		{"damaged UTF-8", "文文文\xe9\n", "1|文文文\uFFFD", 1, "1 line"},
		{"control characters", "a\x1b[31m\n", "1|a\x1b[31m", 1, "1 line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.put("f.txt", c.data)
			a := b.read("f.txt")
			if a.text("content") != c.content || a.num("total_lines") != c.total || a.num("file_size") != len(c.data) {
				t.Errorf("got %s", a.Content)
			}
			if open := c.data != "" && c.total > 0 && !strings.HasSuffix(c.data, "\n"); (a.fields["no_final_newline"] == true) != open {
				t.Errorf("no_final_newline is %v", a.fields["no_final_newline"])
			}
			if a.fields["truncated"] != false || a.View.Summary != c.summary || a.View.Kind != tools.KindRead {
				t.Errorf("got %s, view %+v", a.Content, a.View)
			}
		})
	}
}

func TestPages(t *testing.T) {
	b := newBench(t)
	var data strings.Builder
	for i := 1; i <= 2500; i++ {
		fmt.Fprintf(&data, "line %d\n", i)
	}
	b.put("f.txt", data.String())
	for _, c := range []struct {
		offset, limit any
		first, last   int
		truncated     bool
		hint          string
	}{
		{nil, nil, 1, 500, true, "Lines 1-500 of 2500; go on with offset=501."},
		{501, 2, 501, 502, true, "Lines 501-502 of 2500; go on with offset=503."},
		{0, 1, 1, 1, true, "Lines 1-1 of 2500; go on with offset=2."},
		{-7, 9999, 1, 2000, true, "Lines 1-2000 of 2500; go on with offset=2001."},
		{"2001", 2000.0, 2001, 2500, false, ""},
		{2500, 0, 2500, 2500, false, ""},
		{2501, 10, 0, 0, false, "The file ends at line 2500."},
		{1e15, 1e15, 0, 0, false, "The file ends at line 2500."},
	} {
		args := []any{}
		if c.offset != nil {
			args = append(args, "offset", c.offset, "limit", c.limit)
		}
		a := b.read("f.txt", args...)
		want := ""
		if c.first > 0 {
			want = fmt.Sprintf("%d|line %d", c.first, c.first)
		}
		got := a.text("content")
		if !strings.HasPrefix(got, want) || c.last > 0 && !strings.HasSuffix(got, fmt.Sprintf("%d|line %d", c.last, c.last)) {
			t.Errorf("offset %v, limit %v: %.60q", c.offset, c.limit, got)
		}
		if c.first == 0 && got != "" || a.fields["truncated"] != c.truncated || a.text("hint") != c.hint || a.num("total_lines") != 2500 {
			t.Errorf("offset %v, limit %v: truncated %v, hint %q", c.offset, c.limit, a.fields["truncated"], a.text("hint"))
		}
	}
}

func TestLongLinesAndPages(t *testing.T) {
	b := newBench(t)
	b.put("long.txt", strings.Repeat("ä", 2000)+"\n"+strings.Repeat("ä", 2001)+"\n"+strings.Repeat("x", 1<<20)+"\nend\n")
	a := b.read("long.txt")
	lines := strings.Split(a.text("content"), "\n")
	if len(lines) != 4 || strings.Contains(lines[0], cutMark) || lines[3] != "4|end" {
		t.Fatalf("%d lines, last %q", len(lines), lines[len(lines)-1])
	}
	for i, n := range map[int]int{0: 2000, 1: 2000 + len(cutMark), 2: 2000 + len(cutMark)} {
		if got := utf8.RuneCountInString(lines[i]) - 2; got != n {
			t.Errorf("line %d has %d characters, want %d", i+1, got, n)
		}
	}

	b.put("wide.txt", strings.Repeat(strings.Repeat("x", 999)+"\n", 400))
	b.wantError(b.read("wide.txt"), "100000 characters", "limit=99 ")
	if a := b.read("wide.txt", "limit", 99); a.Status != tools.StatusOK {
		t.Errorf("the limit that was named does not fit: %s", a.text("error"))
	}

	b.put("large.txt", strings.Repeat(strings.Repeat("x", 99)+"\n", 6000))
	if a := b.read("large.txt", "limit", 300); a.text("_hint") == "" {
		t.Error("no advice for a large file")
	}
	if a := b.read("large.txt", "limit", 200); a.text("_hint") != "" {
		t.Error("advice for a small page")
	}
}

func TestGuards(t *testing.T) {
	b := newBench(t)
	outside := b.put(filepath.Join(b.home, ".hermes", "auth.json"), `{"key":"secret"}`)
	if err := os.Symlink(outside, filepath.Join(b.root, "innocent.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(b.root, "zeros.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop.txt", filepath.Join(b.root, "loop.txt")); err != nil {
		t.Fatal(err)
	}
	b.put(".env.local", "KEY=secret")
	b.put("photo.PNG", "not really")
	b.put("data", "some\x00bytes")
	b.put("noise", strings.Repeat("\x01\x02ab", 100))
	b.put("paper.txt", "%PDF-1.7\nstuff")
	b.put("picture", "\x89PNG\r\n\x1a\nrest")
	for _, ext := range []string{"docx", "xlsx", "odt"} {
		b.put("book."+ext, "{}")
	}
	b.put("dir/x.txt", "")
	b.put("drawing.svg", "<svg/>\n")
	for path, word := range map[string]string{
		outside: "credentials", "innocent.txt": "credentials", ".env.local": "environment file",
		"/dev/zero": "device", "/dev/../dev/stdin": "device", "/dev/fd/0": "device", "zeros.txt": "device",
		"/proc/self/environ": "process", "/proc/1/task/1/environ": "process", "/proc/self/fd/0": "process",
		"photo.PNG": "an image", "data": "binary data", "noise": "binary data",
		"paper.txt": "PDF", "picture": "an image", "book.docx": "zip archive", "book.xlsx": "zip archive", "book.odt": "a document", "dir": "directory", "dir/": "directory",
		"loop.txt": "links", "drawing.svg/x": "a part of the path is a file", "~root/.bashrc": "not expanded",
		"": "empty", "a\x00b": "NUL", strings.Repeat("d/", 2100): "4096", strings.Repeat("n", 300): "too long",
	} {
		a := b.read(path)
		b.wantError(a, word)
		if strings.Contains(a.Content, "secret") {
			t.Errorf("%q shows a secret", path)
		}
	}
	if a := b.read("photo.PNG"); a.fields["is_binary"] != true || a.fields["is_image"] != true || a.num("file_size") != 10 {
		t.Errorf("got %s", a.Content)
	}
	if a := b.read(outside); a.Status != tools.StatusDenied {
		t.Errorf("status %q", a.Status)
	}
	if err := os.Rename(filepath.Join(b.home, ".hermes"), filepath.Join(b.home, "data")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("data", filepath.Join(b.home, ".hermes")); err != nil {
		t.Fatal(err)
	}
	linked := *b
	linked.Files = New(Options{Place: b.place, Root: b.root, Private: filepath.Join(b.home, ".hermes")})
	b.wantError(linked.read(outside), "credentials")
	b.wantError(linked.read(filepath.Join(b.home, "data", "auth.json")), "credentials")
	if a := b.read("drawing.svg"); a.text("content") != "1|<svg/>" {
		t.Errorf("got %s", a.Content)
	}
}

func TestStrangeNames(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"a\nb", "\x1b]0;x\a", "-rf", "--help", "with space", "文😀", "\u202egnp.txt", "~"} {
		b.put("./"+name, "inside\n")
		if a := b.read("./" + name); a.text("content") != "1|inside" {
			t.Errorf("%q: %s", name, a.Content)
		}
	}
	if err := os.WriteFile(filepath.Join(b.root, "bad\xff"), []byte("x"), 0o600); err != nil {
		t.Skip("SKIPPED: the file system takes UTF-8 only")
	}
	a := b.read("bad\uFFFD")
	b.wantError(a, "does not exist")
}

func TestNotFound(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"Readme.md", "README.txt", "reader.go", "zzz.bin"} {
		b.put(name, "")
	}
	a := b.read("README.md")
	b.wantError(a, "does not exist")
	similar := fmt.Sprint(a.fields["similar_files"])
	if !strings.HasPrefix(similar, "["+filepath.Join(b.root, "Readme.md")+" "+filepath.Join(b.root, "README.txt")) {
		t.Errorf("similar files %s", similar)
	}
	if strings.Contains(similar, "zzz") {
		t.Errorf("similar files %s", similar)
	}
	b.wantError(b.read("no/such/dir/x.go"), "nearest that exists", b.root)
}

func TestDirChangesAndHome(t *testing.T) {
	b := newBench(t)
	b.put("sub/x.txt", "sub\n")
	b.put(filepath.Join(b.home, "h.txt"), "home\n")
	b.Files.dir = func() string { return filepath.Join(b.root, "sub") }
	if a := b.read("x.txt"); a.text("content") != "1|sub" {
		t.Errorf("got %s", a.Content)
	}
	if a := b.read("~/h.txt"); a.text("content") != "1|home" {
		t.Errorf("got %s", a.Content)
	}
}

func TestRereading(t *testing.T) {
	b := newBench(t)
	b.put("f.txt", "one\n")
	status := func(a answer) string {
		switch {
		case a.text("error") != "":
			return "blocked"
		case a.text("status") == "unchanged":
			return "stub"
		case a.text("_warning") != "":
			return "warned"
		}
		return "content"
	}
	expect := func(what, want string, a answer) {
		t.Helper()
		if got := status(a); got != want {
			t.Errorf("%s: %s, want %s (%s)", what, got, want, a.Content)
		}
	}
	expect("first", "content", b.read("f.txt"))
	a := b.read("./f.txt", "offset", 1, "limit", 500)
	expect("second", "stub", a)
	if a.fields["content_returned"] != false || a.fields["dedup"] != true || a.View.Summary != "unchanged" {
		t.Errorf("stub %s", a.Content)
	}
	a = b.read("f.txt")
	expect("third", "blocked", a)
	if a.num("already_read") != 3 {
		t.Errorf("got %s", a.Content)
	}
	expect("another page", "content", b.read("f.txt", "limit", 10))
	b.ResetRepeats()
	expect("after another tool", "stub", b.read("f.txt"))
	b.Forget()
	expect("after a compression", "content", b.read("f.txt"))
	b.put("f.txt", "two\n")
	expect("after a change from outside", "content", b.read("f.txt"))
	b.write("f.txt", "three\n")
	expect("after a write", "content", b.read("f.txt"))

	b.Forget()
	for i, want := range []string{"content", "content", "warned", "blocked", "blocked"} {
		b.put("log.txt", fmt.Sprintf("entry %d\n", i))
		expect(fmt.Sprintf("changing file, read %d", i+1), want, b.read("log.txt"))
	}
	b.ResetRepeats()
	expect("after something else", "content", b.read("log.txt"))
}

func TestCancelledRead(t *testing.T) {
	b := newBench(t)
	b.put("f.txt", "x\n")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user pressed escape"))
	a := b.answer(b.Files.read(ctx, tools.Call{Name: "read_file", Args: json.RawMessage(`{"path":"f.txt"}`)}))
	if a.Status != tools.StatusCancelled || !strings.Contains(a.text("error"), "pressed escape") {
		t.Errorf("got %s", a.Content)
	}
}

func TestPreviewTakesAnything(t *testing.T) {
	b := newBench(t)
	for _, tool := range b.Tools() {
		for _, args := range []string{``, `null`, `[]`, `{"path":5}`, `{"path":`, `{"path":"a\u0000b"}`} {
			if v := tool.Preview(json.RawMessage(args)); v.Kind == "" {
				t.Errorf("%s: no kind for %s", tool.Name, args)
			}
		}
	}
}

// TestScanEquivalence compares the scanner with splitting in memory, for reads
// that end anywhere.
func TestScanEquivalence(t *testing.T) {
	data := "first\n\nthïrd 文\r\n" + strings.Repeat("x", 300_000) + "\n😀\nlast"
	for _, ending := range []string{"", "\n", "\n\n"} {
		text := data + ending
		want := strings.SplitAfter(text, "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)),
			"halves": iotest.HalfReader(strings.NewReader(text)), "with end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			for offset := 1; offset <= len(want)+2; offset++ {
				if name != "whole" && offset > 1 {
					break // a reader is read once
				}
				if name == "whole" {
					r = strings.NewReader(text)
				}
				w := window{offset, 3, DefaultLimits.Line}
				p, err := scan(t.Context(), r, w)
				if err != nil {
					t.Fatal(err)
				}
				if p.total != len(want) || p.size != int64(len(text)) || p.broken != 0 || p.open != !strings.HasSuffix(text, "\n") {
					t.Fatalf("%s, offset %d: %d lines, %d bytes, %d broken", name, offset, p.total, p.size, p.broken)
				}
				for i, l := range p.lines {
					full := strings.TrimSuffix(want[offset-1+i], "\n")
					if l.cut != (len(full) > w.keepBytes()) || !strings.HasPrefix(full, string(l.text)) || !l.cut && string(l.text) != full {
						t.Fatalf("%s, offset %d, line %d: %.40q", name, offset, i, l.text)
					}
				}
				if n := max(min(3, len(want)-offset+1), 0); len(p.lines) != n {
					t.Fatalf("%s, offset %d: %d lines on the page, want %d", name, offset, len(p.lines), n)
				}
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("a\nb"), 1, 500)
	f.Add([]byte("\xFF\xFEa\x00\n\xd8"), 2, 1)
	f.Add([]byte("caf\xe9\r\n\x00"), 1, 2)
	f.Add([]byte("\xEF\xBB\xBF"), -1, 0)
	b := newBench(f)
	path := b.put("f.txt", "")
	f.Fuzz(func(t *testing.T, data []byte, offset, limit int) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		b.Forget()
		args := fmt.Sprintf(`{"path":"f.txt","offset":%d,"limit":%d}`, offset, limit)
		r := b.Files.read(t.Context(), tools.Call{Name: "read_file", Args: json.RawMessage(args)})
		var got readResult
		if err := json.Unmarshal([]byte(r.Content), &got); err != nil {
			t.Fatalf("result %q: %v", r.Content, err)
		}
		if r.Status != tools.StatusOK {
			return
		}
		if got.FileSize != int64(len(data)) || utf8.RuneCountInString(got.Content) > DefaultLimits.Page {
			t.Fatalf("size %d of %d, %d characters", got.FileSize, len(data), utf8.RuneCountInString(got.Content))
		}
		lines := 0
		if got.Content != "" {
			lines = strings.Count(got.Content, "\n") + 1
		}
		if lines > got.TotalLines || got.Truncated && lines == 0 {
			t.Fatalf("%d of %d lines, truncated %v", lines, got.TotalLines, got.Truncated)
		}
	})
}

func BenchmarkRead50MB(b *testing.B) {
	w := newBench(b)
	line := strings.Repeat("the quick brown fox ", 4) + "\n"
	w.put("big.txt", strings.Repeat(line, 50<<20/len(line)))
	args := json.RawMessage(`{"path":"big.txt","offset":300000,"limit":500}`)
	b.ReportAllocs()
	b.SetBytes(10 << 20)
	for b.Loop() {
		w.Forget()
		if r := w.Files.read(b.Context(), tools.Call{Name: "read_file", Args: args}); r.Status != tools.StatusOK {
			b.Fatal(r.Content)
		}
	}
}

// TestReadLimits keeps to the limits that are set.
func TestReadLimits(t *testing.T) {
	b := newBench(t)
	b.put("f.txt", strings.Repeat("0123456789\n", 20))
	f := New(Options{Place: b.place, Root: b.root, Limits: Limits{Lines: 12, Line: 5, Page: 300}})
	read := func(args string) (readResult, string) {
		t.Helper()
		f.Forget()
		r := f.read(t.Context(), tools.Call{Name: "read_file", Args: json.RawMessage(args)})
		var got readResult
		if err := json.Unmarshal([]byte(r.Content), &got); err != nil {
			t.Fatalf("result %q: %v", r.Content, err)
		}
		return got, r.Content
	}
	if got, _ := read(`{"path":"f.txt","limit":100}`); strings.Count(got.Content, "\n") != 11 || !strings.HasPrefix(got.Content, "1|01234"+cutMark+"\n") {
		t.Errorf("read %q", got.Content)
	}
	if got, _ := read(`{"path":"f.txt"}`); strings.Count(got.Content, "\n") != 11 {
		t.Errorf("without a limit %q", got.Content)
	}
	f = New(Options{Place: b.place, Root: b.root, Limits: Limits{Page: 60}})
	if _, all := read(`{"path":"f.txt"}`); !strings.Contains(all, "more than 60 characters") {
		t.Errorf("too much gives %q", all)
	}
	if p := string(f.readTool().Parameters); !strings.Contains(p, "at most 2000") || !json.Valid([]byte(p)) {
		t.Errorf("the parameters are %s", p)
	}
}
