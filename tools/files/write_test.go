package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools"
)

func TestWriteCreates(t *testing.T) {
	b := newBench(t)
	a := b.write("a/b/new.txt", "one\ntwo\n")
	path := filepath.Join(b.root, "a/b/new.txt")
	if b.content("a/b/new.txt") != "one\ntwo\n" || a.num("bytes_written") != 8 || a.text("resolved_path") != path {
		t.Fatalf("got %s", a.Content)
	}
	if got := fmt.Sprint(a.fields["dirs_created"], a.fields["files_modified"]); got != fmt.Sprintf("[%s %s] [%s]",
		filepath.Join(b.root, "a"), filepath.Join(b.root, "a/b"), path) {
		t.Errorf("got %s", got)
	}
	want := "--- /dev/null\n+++ b/a/b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
	if v := a.View; v.Kind != tools.KindWrite || v.Subject != "a/b/new.txt" || v.Summary != "+2 −0" || v.Body != want || v.Lang != "diff" {
		t.Errorf("view %+v", v)
	}
	if a.text("_warning") != "" || a.fields["lint"] != nil {
		t.Errorf("got %s", a.Content)
	}
	if a := b.write("empty.txt", ""); a.num("bytes_written") != 0 || a.View.Summary != "+0 −0" {
		t.Errorf("got %s", a.Content)
	}
}

func TestWriteKeepsWhatTheFileIs(t *testing.T) {
	for _, c := range []struct{ name, old, content, want string }{
		{"LF", "a\nb\n", "x\ny", "x\ny"},
		{"CRLF", "a\r\nb\r\n", "x\ny\r\nz\n", "x\r\ny\r\nz\r\n"},
		{"mixed", "a\r\nb\n", "x\n", "x\n"},
		{"LF to CRLF on purpose", "a\n", "x\r\n", "x\r\n"},
		{"mark", "\xEF\xBB\xBFa\n", "\uFEFFx\n", "\xEF\xBB\xBFx\n"},
		{"mark and CRLF", "\xEF\xBB\xBFa\r\n", "é\n", "\xEF\xBB\xBFé\r\n"},
		{"UTF-16", "\xFF\xFEa\x00\r\x00\n\x00", "é\n", "\xFF\xFE\xe9\x00\r\x00\n\x00"},
		{"Latin-1", "caf\xe9\n", "thé\n", "th\xe9\n"},
		{"damaged, without its damage", "äöü\xe9\n", "ä\n", "ä\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			path := b.put("f.txt", c.old)
			if err := os.Chmod(path, 0o751); err != nil {
				t.Fatal(err)
			}
			a := b.write("f.txt", c.content)
			if got := b.content("f.txt"); got != c.want {
				t.Errorf("wrote %q, want %q (%s)", got, c.want, a.Content)
			}
			st, err := os.Stat(path)
			if err != nil || st.Mode() != 0o751 {
				t.Errorf("mode %v, %v", st.Mode(), err)
			}
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	b := newBench(t)
	latin := b.put("latin.txt", "caf\xe9\n")
	damaged := b.put("damaged.txt", "äöü\xe9\n")
	binary := b.put("binary", "a\x00b")
	locked := b.put("locked.txt", "x")
	if err := os.Chmod(locked, 0o444); err != nil {
		t.Fatal(err)
	}
	b.put("dir/x", "")
	long := b.put("long.txt", strings.Repeat("x", 3000)+"\n")
	b.read("long.txt")
	for _, c := range []struct {
		name, path, content string
		words               []string
	}{
		{"character the encoding lacks", latin, "a → b", []string{"windows-1252", "→"}},
		{"replacement of damaged bytes", damaged, "äöü\uFFFD\n", []string{"not text"}},
		{"binary file", binary, "text", []string{"binary data"}},
		{"read-only file", locked, "y", []string{"read-only"}},
		{"directory", "dir", "y", []string{"is a directory"}},
		{"directory by its name", "new/", "y", []string{"names a directory"}},
		{"file as directory", "locked.txt/x", "y", []string{"a part of the path is a file"}},
		{"text as a document", "new.docx", "y", []string{"Word document"}},
		{"extract as a notebook", "new.ipynb", "[cell 1: code]", []string{"whole JSON"}},
		{"NUL", "f.txt", "a\x00", []string{"NUL"}},
		{"notice instead of content", "f.txt", "x " + unchanged, []string{"read the file again"}},
		{"cut line", long, strings.Repeat("x", 2000) + cutMark + "\n", []string{"whole line"}},
		{"newline in the name", "a\nb", "y", []string{`"a\nb"`, "control character"}},
		{"escape in the name", "\x1b[2J", "y", []string{"control character"}},
		{"long name", strings.Repeat("n", 300), "y", []string{"too long"}},
		{"long path", strings.Repeat("n/", 3000), "y", []string{"directory"}},
		{"nothing", "", "y", []string{"empty"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := tree(t, b.root)
			b := &bench{TB: t, Files: b.Files, root: b.root}
			a := b.write(c.path, c.content)
			b.wantError(a, c.words...)
			if after := tree(t, b.root); after != before {
				t.Errorf("changed from\n%s\nto\n%s", before, after)
			}
		})
	}
	if a := b.call("write_file", map[string]any{"path": "x"}); !strings.Contains(a.text("error"), "content is required") {
		t.Errorf("got %s", a.Content)
	}
}

// tree describes all files below a directory.
func tree(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		data := []byte(nil)
		if e.Type().IsRegular() {
			data, err = os.ReadFile(path)
		}
		fmt.Fprintf(&b, "%q %v %q\n", path, e.Type(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteNeedsPermit(t *testing.T) {
	b := newBench(t)
	raw := json.RawMessage(`{"path":"x.txt","content":"y"}`)
	a := b.answer(b.Files.write(t.Context(), tools.Call{Name: "write_file", Args: raw}))
	if a.Status != tools.StatusDenied {
		t.Errorf("got %s", a.Content)
	}
	if _, err := os.Lstat(filepath.Join(b.root, "x.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file was written without a permit")
	}
}

func TestCancelledWrite(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped by the user"))
	raw := json.RawMessage(`{"path":"x/y.txt","content":"y"}`)
	a := b.answer(b.Files.write(ctx, tools.Call{Name: "write_file", Args: raw, Permit: permit{}}))
	if a.Status != tools.StatusCancelled {
		t.Errorf("got %s", a.Content)
	}
	if entries, err := os.ReadDir(b.root); err != nil || len(entries) != 0 {
		t.Errorf("a cancelled write left %v, %v", entries, err)
	}
}

func TestActionResolvesLinks(t *testing.T) {
	b := newBench(t)
	outside := filepath.Join(b.home, "outside")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "target.txt"), filepath.Join(b.root, "file")); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]string{
		"x.go": filepath.Join(b.root, "x.go"), "link/new.txt": filepath.Join(outside, "new.txt"),
		"file": filepath.Join(outside, "target.txt"), "link/../x": filepath.Join(b.root, "x"),
		"~/y": filepath.Join(b.home, "y"),
	} {
		raw, err := json.Marshal(map[string]string{"path": arg, "content": ""})
		if err != nil {
			t.Fatal(err)
		}
		action, err := b.writeAction(raw)
		if err != nil || action.Kind != tools.ActWrite || !slices.Equal(action.Paths, []string{want}) {
			t.Errorf("%s: %+v, %v, want %s", arg, action, err, want)
		}
	}
	a := b.write("link/new.txt", "x\n")
	if a.text("resolved_path") != filepath.Join(outside, "new.txt") || !strings.Contains(a.text("_warning"), "outside the workspace") {
		t.Errorf("got %s", a.Content)
	}
}

func TestPathMustStayWhatWasPermitted(t *testing.T) {
	b := newBench(t)
	if err := os.Mkdir(filepath.Join(b.root, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	raw := json.RawMessage(`{"path":"dir/x.txt","content":"evil"}`)
	if _, err := b.writeAction(raw); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.root, "dir")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(b.home, filepath.Join(b.root, "dir")); err != nil {
		t.Fatal(err)
	}
	a := b.answer(b.Files.write(t.Context(), tools.Call{Name: "write_file", Args: raw, Permit: permit{}}))
	b.wantError(a, "permitted", "nothing was changed")
	if _, err := os.Lstat(filepath.Join(b.home, "x.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file was written through the link")
	}
}

func TestStaleWarning(t *testing.T) {
	b := newBench(t)
	path := b.put("f.txt", "one\n")
	if a := b.write("f.txt", "two\n"); a.text("_warning") != "" {
		t.Errorf("never read: %s", a.Content)
	}
	b.read("f.txt")
	if a := b.write("f.txt", "three\n"); a.text("_warning") != "" {
		t.Errorf("just read: %s", a.Content)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b.put("f.txt", "other\n") // same size, same time stamp
	if err := os.Chtimes(path, st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	a := b.write("f.txt", "four!\n")
	if !strings.Contains(a.text("_warning"), "changed by someone else") {
		t.Errorf("changed from outside: %s", a.Content)
	}
	if want := "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-other\n+four!\n"; a.View.Body != want || a.View.Summary != "+1 −1" {
		t.Errorf("view %+v", a.View)
	}
	if a := b.write("f.txt", "five\n"); a.text("_warning") != "" {
		t.Errorf("after our own write: %s", a.Content)
	}
}

// TestWhoChangedTheFile tells another agent apart from someone outside.
func TestWhoChangedTheFile(t *testing.T) {
	b := newBench(t)
	shared := NewRegistry(0)
	agent := func(name string) *bench {
		return &bench{TB: t, root: b.root, place: b.place, Files: New(Options{Place: b.place, Root: b.root, Agent: name, Shared: shared})}
	}
	one, two, nameless := agent("one"), agent("two"), agent("")
	b.put("f.txt", "a\n")
	warned := func(warning, want string) {
		t.Helper()
		if want == "" && warning != "" || !strings.Contains(warning, want) {
			t.Errorf("warning %q, want %q", warning, want)
		}
	}
	one.read("f.txt")
	two.write("f.txt", "b\n")
	warned(one.write("f.txt", "c\n").text("_warning"), `by the agent "two"`)
	warned(one.write("f.txt", "d\n").text("_warning"), "")
	nameless.mustEdit(tools.TextChange{File: nameless.text("f.txt"), Body: "e\n"})
	r := one.mustEdit(tools.TextChange{File: one.text("f.txt"), Body: "e\nf\n"})
	warned(r.Warning, "by another agent since you last saw it; your edit was made to the file as it is now")
	two.mustEdit(tools.TextChange{File: two.text("f.txt"), Body: "g\n"})
	b.put("f.txt", "outside\n")
	warned(one.write("f.txt", "h\n").text("_warning"), "by someone else")
	two.mustEdit(tools.TextChange{Op: tools.OpDelete, File: two.text("f.txt")})
	b.wantError(one.read("f.txt"), "not exist any more")
	warned(one.write("f.txt", "i\n").text("_warning"), `was deleted by the agent "two"`)
	one.mustEdit(tools.TextChange{Op: tools.OpMove, File: one.text("f.txt"), To: one.text("g.txt"), Body: "i\n"})
	warned(one.write("g.txt", "j\n").text("_warning"), "")
	warned(two.write("g.txt", "k\n").text("_warning"), "")
	if err := os.Remove(filepath.Join(b.root, "g.txt")); err != nil {
		t.Fatal(err)
	}
	b.put("g.txt/x", "")
	b.wantError(one.write("g.txt", "l\n"), "is a directory")
	_, err := one.Text("g.txt")
	wantErr(t, err, "is a directory")
}

func TestRegistryIsBounded(t *testing.T) {
	r := NewRegistry(3)
	for i := range 10 {
		r.wrote(fmt.Sprint(i), writer{member: i})
	}
	if n := len(slices.Collect(r.writers.Values())); n != 3 {
		t.Errorf("%d writers", n)
	}
	if w, ok := r.last("6"); ok {
		t.Errorf("writer %+v", w)
	}
	if w, ok := r.last("9"); !ok || w.member != 9 {
		t.Errorf("last writer %+v", w)
	}
}

func TestDiffOfHugeTexts(t *testing.T) {
	b := newBench(t)
	b.put("f.txt", strings.Repeat("old\n", 600_000))
	a := b.write("f.txt", strings.Repeat("new\n", 600_001)+"tail")
	if a.View.Summary != "+600002 −600000" || a.View.Body != "" {
		t.Errorf("summary %q, body of %d bytes", a.View.Summary, len(a.View.Body))
	}
}

func TestLint(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name, path, before, after, status, message string
	}{
		{"JSON", "a.json", "", `{"a":1}`, "ok", ""},
		{"broken JSON", "a.json", "", "{\n \"a\": 1,\n}", "error", "line 3, column 1: invalid character '}'"},
		{"cut JSON", "a.json", "", `{"a":`, "error", "unexpected end"},
		{"JSON with a mark", "a.json", "", "\uFEFF{}", "ok", ""},
		{"still broken", "a.json", "{,}", "{\n,}", "ok", "remain"},
		{"broken otherwise", "a.json", "{,}", `{"a":}`, "error", "invalid character '}'"},
		{"comments allowed", "tsconfig.json", "", "{ // x\n}", "", ""},
		{"editor settings", ".vscode/settings.json", "", "{ // x\n}", "", ""},
		{"YAML", "a.yml", "", "a: 1\n---\nb: [1, 2]\n", "ok", ""},
		{"broken YAML", "a.yaml", "", "a: 1\n b: 2\n", "error", "line 2"},
		{"template", "a.yaml", "", "a: {{ .Values.x }}\n}", "", ""},
		{"Go", "a.go", "", "package a\n", "ok", ""},
		{"broken Go", "a.go", "package a\n", "package a\n\nfunc {", "error", "line 3, column 6"},
		{"old error moved", "a.go", "package a\nfunc {}\n", "package a\n\n\nfunc {}\n", "ok", "remain"},
		{"text", "a.txt", "", "{", "", ""},
		{"shell", "a.sh", "", "if [[ a == b ]]; then echo; fi\n", "ok", ""},
		{"broken shell", "a.sh", "", "echo\nif true; then\n", "error", "line 2, column 1"},
		{"notebook", "a.ipynb", "", `{"cells":[]}`, "ok", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := b.lint(t.Context(), filepath.Join("/w", c.path), c.before, c.after)
			if c.status == "" {
				if got != nil {
					t.Errorf("got %+v, want no check", got)
				}
				return
			}
			if got == nil || got.Status != c.status || !strings.Contains(got.Message, c.message) {
				t.Errorf("got %+v", got)
			}
		})
	}
	a := b.write("x.go", "package x\nfunc f( {\n")
	if lint, _ := a.fields["lint"].(map[string]any); lint["status"] != "error" {
		t.Errorf("got %s", a.Content)
	}
}

func TestLintIsBounded(t *testing.T) {
	b := newBench(t)
	for name, text := range map[string]string{
		"a.json": strings.Repeat("[", 500_000), "a.yaml": strings.Repeat("[", 50_000),
		"a.go":      "package a\nvar x = " + strings.Repeat("(", 200_000),
		"bomb.yaml": "a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n",
		"many.go":   "package a\n" + strings.Repeat("func {\n", 50),
	} {
		got := b.lint(t.Context(), "/w/"+name, "", text)
		if got == nil || len(got.Message) > 2000 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestMasksAreNotWritten refuses to put masks in the place of secrets, and takes
// everything else.
func TestMasksAreNotWritten(t *testing.T) {
	b := newBench(t)
	const secret = "db:\n  user: ann\n  password: hunter2\n  token: abcdefgh12345678ijkl\n"
	b.put("app.yaml", secret)
	for _, content := range []string{
		"db:\n  user: bob\n  password: ***\n  token: abcdefgh12345678ijkl\n", "db:\n  token: abcdef...ijkl\n",
	} {
		b.wantError(b.write("app.yaml", content), "masked values")
		if got := b.content("app.yaml"); got != secret {
			t.Errorf("%q: the file holds %q", content, got)
		}
	}
	for _, content := range []string{
		"db:\n  user: bob\n  password: hunter2\n", "db:\n  user: bob\n  password: correct-horse\n", "nothing: ***\n",
	} {
		if a := b.write("app.yaml", content); b.content("app.yaml") != content {
			t.Errorf("%q: %s", content, a.Content)
		}
	}
	b.put("app.yaml", secret)
	changed := strings.Replace(secret, "hunter2", "***", 1)
	if _, err := b.edit(tools.TextChange{File: b.text("app.yaml"), Body: changed}); !errors.Is(err, errMasked) || b.content("app.yaml") != secret {
		t.Errorf("an edit: %v", err)
	}
}
