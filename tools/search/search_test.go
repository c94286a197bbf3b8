package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// bench is a directory with the search tool of an agent that works in it.
type bench struct {
	testing.TB
	*Search
	root, home string
}

func newBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, root: filepath.Join(base, "work"), home: filepath.Join(base, "home")}
	for _, dir := range []string{b.root, b.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	local, err := place.NewLocal(place.Options{Home: b.home, Temp: base})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Place: local, Root: b.root, Private: filepath.Join(b.home, ".hermes")}
	for _, f := range change {
		f(&o)
	}
	b.Search = New(o)
	return b
}

// put writes files, "name: content".
func (b *bench) put(files map[string]string) {
	b.Helper()
	for name, content := range files {
		path := filepath.Join(b.root, name)
		if filepath.IsAbs(name) {
			path = name
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// reply is what a call gave.
type reply struct {
	tools.Result
	answer
	Error   string   `json:"error"`
	Similar []string `json:"similar_files"`
}

// lines gives the matches as "path:line".
func (r reply) lines() []string {
	var list []string
	if r.Matches != nil {
		for _, h := range *r.Matches {
			list = append(list, fmt.Sprintf("%s:%d", h.Path, h.Line))
		}
	}
	return list
}

func (b *bench) find(args map[string]any) reply {
	b.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.Fatal(err)
	}
	tool := b.Tool()
	if raw, err = tools.Coerce(tool.Parameters, raw); err != nil {
		b.Fatal(err)
	}
	if problems := tools.Check(tool.Parameters, raw); len(problems) > 0 {
		b.Fatal(tools.Explain(tool.Name, problems))
	}
	result, err := tool.Run(b.Context(), tools.Call{Name: tool.Name, Args: raw}, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	return b.reply(result)
}

func (b *bench) reply(result tools.Result) reply {
	b.Helper()
	r := reply{Result: result}
	if err := json.Unmarshal([]byte(result.Content), &r); err != nil {
		b.Fatalf("result %q: %v", result.Content, err)
	}
	r.Result = result
	if (r.Error != "") != (result.Status != tools.StatusOK) {
		b.Fatalf("status %q does not fit %s", result.Status, result.Content)
	}
	return r
}

func (b *bench) same(what string, got, want any) {
	b.Helper()
	if !reflect.DeepEqual(got, want) {
		b.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestPassedOver counts what a search passes over, and says so where it finds nothing. A folder
// that a rule above leaves out whole is searched all the same.
func TestPassedOver(t *testing.T) {
	b := newBench(t)
	if err := os.Mkdir(filepath.Join(b.root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.put(map[string]string{
		"a.txt": "Foo\n", ".gitignore": "*.log\n/gen/\n", ".github/workflows/x.yml": "NEEDLE\n", "gen/b.txt": "NEEDLE\n", "c.log": "NEEDLE\n",
		"deep/.gitignore": "*\n", "deep/work/f.txt": "NEEDLE\n",
	})
	passed := func(what string, r reply, total, hidden, ignored int) {
		t.Helper()
		if r.Total != total || r.Hidden != hidden || r.Ignored != ignored || strings.Contains(r.Hint, "name a file or folder") != (total == 0 && hidden+ignored > 0) {
			t.Errorf("%s: %s", what, r.Content)
		}
	}
	passed("nothing", b.find(map[string]any{"pattern": "NEEDLE"}), 0, 3, 3)
	passed("something", b.find(map[string]any{"pattern": "Foo"}), 1, 3, 3)
	passed("a kind of file", b.find(map[string]any{"pattern": "NEEDLE", "file_glob": "*.txt"}), 0, 1, 2)
	passed("names", b.find(map[string]any{"pattern": "*.yml", "target": "files"}), 0, 1, 2)
	passed("named", b.find(map[string]any{"pattern": "NEEDLE", "path": ".github"}), 1, 0, 0)
	passed("behind a rule for all", b.find(map[string]any{"pattern": "NEEDLE", "path": "deep/work"}), 1, 0, 0)
	b.same("summary", b.find(map[string]any{"pattern": "NEEDLE"}).View.Summary, "no matches, 6 hidden or ignored left out")
}

func TestContent(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{
		"a.go":       "package a\n\nfunc Foo() {}\nfunc Bar() {}\n",
		"b/b.go":     "package b\r\nfunc Foo() {}\r\n// Foo again",
		"b/b.txt":    "no func here? Foo\n",
		"c/z.go":     "\xEF\xBB\xBFfunc Foo()\n",
		"utf16.go":   "\xFF\xFEF\x00o\x00o\x00\n\x00",
		"latin.go":   "caf\xe9 Foo\n",
		"binary.go":  "Foo\x00Foo\n",
		".hidden.go": "Foo\n",
		".dir/x.go":  "Foo\n",
		".env":       "Foo=secret\n",
	})
	r := b.find(map[string]any{"pattern": "Foo"})
	b.same("lines", r.lines(), []string{"a.go:3", "b/b.go:2", "b/b.go:3", "b/b.txt:1", "c/z.go:1", "latin.go:1", "utf16.go:1"})
	b.same("total", r.Total, 7)
	b.same("summary", r.View.Summary, "7 matches in 6 files")
	b.same("subject", r.View.Subject, "Foo")
	if strings.Contains(r.Content, "secret") || !strings.Contains(r.Content, "café Foo") || strings.Contains(r.Content, `\r`) {
		t.Errorf("content %s", r.Content)
	}
	if !strings.HasPrefix(r.View.Body, "a.go:3: func Foo() {}\nb/b.go:2: func Foo() {}\nb/b.go:3: // Foo again\n") {
		t.Errorf("body %s", r.View.Body)
	}

	for pattern, want := range map[string][]string{
		`^func \w+\(`: {"a.go:3", "a.go:4", "b/b.go:2", "c/z.go:1"}, `\{\}$`: {"a.go:3", "a.go:4", "b/b.go:2"},
		`(?i)FOO AGAIN`: {"b/b.go:3"}, `Foo|Bar`: {"a.go:3", "a.go:4", "b/b.go:2", "b/b.go:3", "b/b.txt:1", "c/z.go:1", "latin.go:1", "utf16.go:1"},
		`^$`: {"a.go:2"}, `a\s+func`: nil, `(Fo+)\(\) \{`: {"a.go:3", "b/b.go:2"}, `\bBar\b`: {"a.go:4"}, `\Apackage`: {"a.go:1", "b/b.go:1"},
	} {
		b.same(pattern, b.find(map[string]any{"pattern": pattern}).lines(), want)
	}
	r = b.find(map[string]any{"pattern": "Foo", "file_glob": "*.txt"})
	b.same("glob", r.lines(), []string{"b/b.txt:1"})
	r = b.find(map[string]any{"pattern": "Foo", "file_glob": ".*.go"})
	b.same("hidden by glob", r.lines(), []string{".hidden.go:1"})
	r = b.find(map[string]any{"pattern": "Foo", "path": "b"})
	b.same("directory", r.lines(), []string{"b/b.go:2", "b/b.go:3", "b/b.txt:1"})
	b.same("subject", r.View.Subject, "Foo in b")
	r = b.find(map[string]any{"pattern": "Foo", "path": ".hidden.go", "target": "grep"})
	b.same("one file", r.lines(), []string{".hidden.go:1"})
	r = b.find(map[string]any{"pattern": "Foo", "path": filepath.Join(b.root, "b")})
	b.same("absolute", r.lines(), []string{"b/b.go:2", "b/b.go:3", "b/b.txt:1"})
	r = b.find(map[string]any{"pattern": "Foo", "path": "binary.go"})
	if r.Total != 0 || !strings.Contains(r.Hint, "not text") {
		t.Errorf("got %s", r.Content)
	}
	r = b.find(map[string]any{"pattern": "nowhere", "path": "c"})
	b.same("nothing", r.Content, `{"total_count":0,"matches":[]}`)
	b.same("nothing", r.View.Summary, "no matches")
}

func TestOutputModes(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{"a": "x\nx\n", "b": "x\n", "c": "y\n", "d/e": "x\nx\nx\n"})
	r := b.find(map[string]any{"pattern": "x", "output_mode": "files_only"})
	b.same("files", *r.Files, []string{"a", "b", "d/e"})
	b.same("total", r.Total, 3)
	b.same("summary", r.View.Summary, "3 files")
	r = b.find(map[string]any{"pattern": "x", "output_mode": "count"})
	b.same("counts", *r.Counts, map[string]int{"a": 2, "b": 1, "d/e": 3})
	b.same("total", r.Total, 3)
	b.same("lines", r.InAll, 6)
	b.same("summary", r.View.Summary, "6 matches in 3 files")
	r = b.find(map[string]any{"pattern": "x", "output_mode": "files_only", "limit": 1, "offset": 1})
	b.same("page", *r.Files, []string{"b"})
	if !r.Truncated || r.Hint != "Results 2-2 of 3. Use offset=2 for more, or search more narrowly." {
		t.Errorf("got %s", r.Content)
	}
}

func TestPagesAreTruthful(t *testing.T) {
	b := newBench(t)
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("%03d.txt", i)] = strings.Repeat("match\nother\n", i%7)
	}
	b.put(files)
	all := b.find(map[string]any{"pattern": "match", "limit": 1000})
	if all.Total != len(all.lines()) || all.Truncated || all.Total != 594 {
		t.Fatalf("%d of %d, truncated %v", len(all.lines()), all.Total, all.Truncated)
	}
	var paged []string
	for offset := 0; offset < all.Total; offset += 100 {
		r := b.find(map[string]any{"pattern": "match", "limit": 100, "offset": offset})
		paged = append(paged, r.lines()...)
		if r.Total != all.Total || r.Truncated != (offset+100 < all.Total) {
			t.Errorf("offset %d: total %d, truncated %v", offset, r.Total, r.Truncated)
		}
	}
	b.same("pages", paged, all.lines())
	r := b.find(map[string]any{"pattern": "match", "offset": 594})
	if len(r.lines()) != 0 || r.Truncated || r.Hint != "There are only 594 results." {
		t.Errorf("got %s", r.Content)
	}
	if r := b.find(map[string]any{"pattern": "match", "offset": 20000}); !strings.Contains(r.Error, "10000") {
		t.Errorf("got %s", r.Content)
	}
	if !slices.IsSorted(all.lines()) && all.lines()[0] != "001.txt:1" {
		t.Errorf("the order is not that of the names: %v", all.lines()[:10])
	}
}

func TestContext(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{"f": "1\n2\nX3\n4\nX5\n6\n7\n8\n9\nX10"})
	around := func(n int) string {
		var s strings.Builder
		for _, h := range *b.find(map[string]any{"pattern": "X", "context": n}).Matches {
			fmt.Fprintf(&s, "%v %s %v;", h.Before, h.Content, h.After)
		}
		return s.String()
	}
	b.same("none", around(0), "[] X3 [];[] X5 [];[] X10 [];")
	b.same("one", around(1), "[2] X3 [4];[] X5 [6];[9] X10 [];")
	b.same("two", around(2), "[1 2] X3 [4];[] X5 [6 7];[8 9] X10 [];")
	b.same("many", around(99), "[1 2] X3 [4];[] X5 [6 7 8 9];[] X10 [];")
	r := b.find(map[string]any{"pattern": "X5", "context": 1})
	b.same("body", r.View.Body, "f-4- 4\nf:5: X5\nf-6- 6\n")
}

func TestLongLinesAreCutAroundTheMatch(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{
		"short": strings.Repeat("ä", 490) + "needle\n",
		"min.js": strings.Repeat("ä", 5000) + "needle" + strings.Repeat("x", 5000) + "\n" +
			"needle" + strings.Repeat("y", 5000) + "\n",
	})
	for _, pattern := range []string{"needle", "need[l]e"} {
		r := b.find(map[string]any{"pattern": pattern})
		got := *r.Matches
		if len(got) != 3 || got[2].Content != strings.Repeat("ä", 490)+"needle" {
			t.Fatalf("got %s", r.Content)
		}
		if want := "…" + strings.Repeat("ä", 100) + "needle" + strings.Repeat("x", 394) + "…"; got[0].Content != want {
			t.Errorf("%s: %q", pattern, got[0].Content)
		}
		if want := "needle" + strings.Repeat("y", 494) + "…"; got[1].Content != want {
			t.Errorf("%s: %q", pattern, got[1].Content)
		}
	}
}

func TestAnswerIsBounded(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{"f": strings.Repeat(strings.Repeat("x\"\\\x01", 125)+"\n", 1000)})
	r := b.find(map[string]any{"pattern": "x", "limit": 1000})
	if n := utf8.RuneCountInString(r.Content); n > tools.DefaultMaxResult {
		t.Errorf("the answer has %d characters", n)
	}
	n := len(r.lines())
	if !r.Truncated || r.Total != 1000 || n < 50 || !strings.Contains(r.Hint, fmt.Sprintf("Use offset=%d ", n)) {
		t.Errorf("%d lines, total %d, hint %q", n, r.Total, r.Hint)
	}
}

func TestFilesByName(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{
		"main.go": "", "main_test.go": "", "src/app/main.go": "", "src/domain.ts": "", "docs/readme.md": "",
		".github/ci.yml": "", ".eslintrc.json": "", "odd[1].txt": "", "empty/.keep": "",
	})
	now := time.Unix(1_700_000_000, 0)
	for i, name := range []string{"docs/readme.md", "main.go", "src/app/main.go", "src/domain.ts", "main_test.go", "odd[1].txt"} {
		if err := os.Chtimes(filepath.Join(b.root, name), now, now.Add(-time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string][]string{
		"*":           {"docs/readme.md", "main.go", "src/app/main.go", "src/domain.ts", "main_test.go", "odd[1].txt"},
		"*.go":        {"main.go", "src/app/main.go", "main_test.go"},
		"main":        {"main.go", "src/app/main.go", "src/domain.ts", "main_test.go"},
		"main*":       {"main.go", "src/app/main.go", "main_test.go"},
		"m*n.go":      {"main.go", "src/app/main.go"},
		"*.{go,ts}":   {"main.go", "src/app/main.go", "src/domain.ts", "main_test.go"},
		"src/**":      {"src/app/main.go", "src/domain.ts"},
		"src/":        {"src/app/main.go", "src/domain.ts"},
		"./src/*.ts":  {"src/domain.ts"},
		"app/*.go":    {"src/app/main.go"},
		"**/main.go":  {"main.go", "src/app/main.go"},
		"/main.go":    {"main.go"},
		`odd\[1\]*`:   {"odd[1].txt"},
		"*[1]*":       {"odd[1].txt"},
		".eslintrc*":  {".eslintrc.json"},
		".github/**":  {".github/ci.yml"},
		"nothing.xyz": {},
	} {
		r := b.find(map[string]any{"pattern": pattern, "target": "find"})
		b.same(pattern, *r.Files, want)
	}
	r := b.find(map[string]any{"pattern": filepath.Join(b.root, "src", "*.ts"), "target": "files"})
	b.same("absolute glob", *r.Files, []string{"src/domain.ts"})
	r = b.find(map[string]any{"pattern": "*", "target": "files", "file_glob": "*.md"})
	b.same("two globs", *r.Files, []string{"docs/readme.md"})
	r = b.find(map[string]any{"pattern": "*", "target": "files", "limit": 2, "offset": 1})
	b.same("page", *r.Files, []string{"main.go", "src/app/main.go"})
	if !r.Truncated || r.Total != 6 || r.View.Summary != "6 files" {
		t.Errorf("got %s, %q", r.Content, r.View.Summary)
	}
	r = b.find(map[string]any{"pattern": "*.go", "target": "files", "path": "main.go"})
	b.same("one file", *r.Files, []string{"main.go"})
}

func TestRefusals(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{
		"readme.md": "", ".env": "KEY=secret", filepath.Join(b.home, ".hermes", "auth.json"): "secret",
		filepath.Join(b.home, ".hermes", "notes.txt"): "secret of no importance",
	})
	if err := os.Symlink(filepath.Join(b.home, ".hermes", "auth.json"), filepath.Join(b.root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args map[string]any
		word string
	}{
		{map[string]any{"pattern": "x", "path": "reedme.md"}, "does not exist"},
		{map[string]any{"pattern": "secret", "path": ".env"}, "environment file"},
		{map[string]any{"pattern": "secret", "path": "link"}, "credentials"},
		{map[string]any{"pattern": "x", "path": "/proc/self/environ"}, "process"},
		{map[string]any{"pattern": "x", "path": "/dev/zero"}, "device"},
		{map[string]any{"pattern": "x", "path": "a\x00b"}, "NUL"},
		{map[string]any{"pattern": ""}, "required"},
		{map[string]any{"pattern": " ", "target": "files"}, "required"},
		{map[string]any{"pattern": "x", "target": "nonsense"}, "target must be one of content, files"},
		{map[string]any{"pattern": "foo("}, "missing closing ): `foo(`; escape"},
		{map[string]any{"pattern": "(?=x)"}, "no lookahead"},
		{map[string]any{"pattern": "(?<!x)y"}, "no lookahead"},
		{map[string]any{"pattern": `(a)\1`}, "backreferences"},
		{map[string]any{"pattern": `a\nb`}, "one by one"},
		{map[string]any{"pattern": "x{2000}"}, "repeat"},
		{map[string]any{"pattern": strings.Repeat("(", 9000)}, "not a valid regular expression"},
		{map[string]any{"pattern": strings.Repeat("x", 10_001)}, "10000"},
		{map[string]any{"pattern": "[a", "target": "files"}, "not a valid glob"},
		{map[string]any{"pattern": "x", "file_glob": strings.Repeat("{a,a}", 40)}, "fewer"},
		{map[string]any{"pattern": "x", "file_glob": strings.Repeat("x", 1001)}, "1000"},
	} {
		r := b.find(c.args)
		if !strings.Contains(r.Error, c.word) {
			t.Errorf("%.80v: %s, want %q", c.args, r.Content, c.word)
		}
		if strings.Contains(r.Content, "secret") {
			t.Errorf("%v shows a secret", c.args)
		}
	}
	b.same("similar", b.find(map[string]any{"pattern": "y", "path": "reedme.md"}).Similar, []string{filepath.Join(b.root, "readme.md")})
	r := b.find(map[string]any{"pattern": "secret", "path": "~/.hermes"})
	b.same("own directory", r.lines(), []string{filepath.Join(b.home, ".hermes/notes.txt") + ":1"})
}

func TestLinksAreNotFollowed(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{"dir/f": "x\n", filepath.Join(b.home, "outside"): "x\n"})
	for name, to := range map[string]string{"dir/loop": "..", "self": "self", "out": b.home, "file": "dir/f"} {
		if err := os.Symlink(to, filepath.Join(b.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.same("links", b.find(map[string]any{"pattern": "x"}).lines(), []string{"dir/f:1"})
	b.same("through a link", b.find(map[string]any{"pattern": "x", "path": "out"}).lines(), []string{filepath.Join(b.home, "outside") + ":1"})
}

func TestRepeats(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{"f": "x\n"})
	state := func(args map[string]any) string {
		r := b.find(args)
		switch {
		case strings.Contains(r.Error, "BLOCKED"):
			return "blocked"
		case r.Warning != "":
			return "warned"
		}
		return "ok"
	}
	x := map[string]any{"pattern": "x"}
	for i, want := range []string{"ok", "ok", "warned", "blocked", "blocked"} {
		b.same(fmt.Sprintf("search %d", i+1), state(x), want)
	}
	b.same("the same in other words", state(map[string]any{"pattern": "x", "path": "./", "limit": "50", "target": "grep"}), "blocked")
	b.same("another search", state(map[string]any{"pattern": "y"}), "ok")
	b.same("back again", state(x), "ok")
	for range 3 {
		state(x)
	}
	b.ResetRepeats()
	b.same("after another tool", state(x), "ok")
}

func TestCancelAndTimeout(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Timeout = time.Nanosecond })
	b.put(map[string]string{"f": "x\n"})
	for _, target := range []string{"content", "files"} {
		r := b.find(map[string]any{"pattern": "x", "target": target})
		if !r.Truncated || r.LimitReason != "search_timeout" || !strings.Contains(r.Hint, "too low") {
			t.Errorf("%s after the timeout: %s", target, r.Content)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user pressed escape"))
	r := b.reply(b.Search.run(ctx, tools.Call{Name: "search_files", Args: json.RawMessage(`{"pattern":"z"}`)}))
	if r.Status != tools.StatusCancelled || !strings.Contains(r.Error, "pressed escape") {
		t.Errorf("got %s", r.Content)
	}
}

func TestPreviewTakesAnything(t *testing.T) {
	for _, args := range []string{``, `null`, `[]`, `{"pattern":5}`, `{"pattern":`} {
		if v := preview(json.RawMessage(args)); v.Kind != tools.KindSearch {
			t.Errorf("no kind for %s", args)
		}
	}
}

// brokenFS is a file system in which one file and one directory cannot be read,
// as when permission is lacking.
type brokenFS struct{ place.FS }

func (b brokenFS) Open(name string) (place.File, error) {
	if filepath.Base(name) == "broken" {
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrPermission}
	}
	return b.FS.Open(name)
}

func (b brokenFS) ReadDir(name string) ([]os.DirEntry, error) {
	if filepath.Base(name) == "closed" {
		return nil, &os.PathError{Op: "readdir", Path: name, Err: os.ErrPermission}
	}
	return b.FS.ReadDir(name)
}

func TestUnreadableIsReported(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{"ok": "x\n", "broken": "x\n", "closed/f": "x\n"})
	b.Search.fs = brokenFS{b.Search.fs}
	r := b.find(map[string]any{"pattern": "x"})
	if r.Unreadable != 2 || !reflect.DeepEqual(r.lines(), []string{"ok:1"}) {
		t.Errorf("got %s", r.Content)
	}
	if r := b.find(map[string]any{"pattern": "*", "target": "files"}); r.Unreadable != 1 {
		t.Errorf("got %s", r.Content)
	}
}
