package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// text reads a file as an editor does.
func (b *bench) text(path string) tools.Text {
	b.Helper()
	t, err := b.Text(path)
	if err != nil {
		b.Fatalf("text of %q: %v", path, err)
	}
	return t
}

// edit carries changes out as a permitted call does.
func (b *bench) edit(changes ...tools.TextChange) (tools.TextReport, error) {
	return b.Change(b.Context(), tools.Call{ID: "1", Name: "patch", Permit: permit{}}, changes)
}

// mustEdit is edit for what must not fail.
func (b *bench) mustEdit(changes ...tools.TextChange) tools.TextReport {
	b.Helper()
	r, err := b.edit(changes...)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func wantErr(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not mention %q", err, w)
		}
	}
}

func TestChangeOfManyFiles(t *testing.T) {
	b := newBench(t)
	edit, gone, from := b.put("edit.txt", "a\nb\n"), b.put("gone.txt", "x\n"), b.put("from.txt", "m\n")
	if err := os.Chmod(from, 0o751); err != nil {
		t.Fatal(err)
	}
	r := b.mustEdit(
		tools.TextChange{File: b.text("edit.txt"), Body: "a\nB\n"},
		tools.TextChange{File: b.text("new/deep/n.go"), Body: "package n\n"},
		tools.TextChange{Op: tools.OpDelete, File: b.text("gone.txt")},
		tools.TextChange{Op: tools.OpMove, File: b.text("from.txt"), To: b.text("to/t.json"), Body: "{\n"},
	)
	made, to := filepath.Join(b.root, "new/deep/n.go"), filepath.Join(b.root, "to/t.json")
	if !slices.Equal(r.Modified, []string{edit}) || !slices.Equal(r.Created, []string{made, to}) || !slices.Equal(r.Deleted, []string{gone, from}) {
		t.Errorf("report %+v", r)
	}
	if r.Summary != "+3 −3 in 4 files" || r.Warning != "" {
		t.Errorf("summary %q, warning %q", r.Summary, r.Warning)
	}
	want := "--- a/edit.txt\n+++ b/edit.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n" +
		"--- /dev/null\n+++ b/new/deep/n.go\n@@ -0,0 +1 @@\n+package n\n" +
		"--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n" +
		"--- a/from.txt\n+++ b/to/t.json\n@@ -1 +1 @@\n-m\n+{\n"
	if r.Diff != want {
		t.Errorf("diff\n%s\nwant\n%s", r.Diff, want)
	}
	if l, _ := r.Lint[made].(*lintResult); len(r.Lint) != 2 || l == nil || l.Status != "ok" {
		t.Errorf("lint %+v", r.Lint)
	}
	if l, _ := r.Lint[to].(*lintResult); l == nil || l.Status != "error" {
		t.Errorf("lint %+v", r.Lint)
	}
	if got := b.content("edit.txt") + b.content("new/deep/n.go") + b.content("to/t.json"); got != "a\nB\npackage n\n{\n" {
		t.Errorf("on the disk: %q", got)
	}
	if st, err := os.Stat(to); err != nil || st.Mode() != 0o751 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	for _, p := range []string{gone, from} {
		if _, err := os.Lstat(p); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there", p)
		}
	}
	if r := b.mustEdit(tools.TextChange{Op: tools.OpMove, File: b.text("to/t.json"), To: b.text("t2.json"), Body: "{\n"}); r.Diff != "--- a/to/t.json\n+++ b/t2.json\n" || r.Summary != "+0 −0" {
		t.Errorf("plain move: %+v", r)
	}
}

func TestChangeRefuses(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "a\n")
	b.put("b.txt", "b\n")
	b.put("latin.txt", "caf\xe9\n")
	other := newBench(t)
	write := func(text tools.Text, body string) tools.TextChange { return tools.TextChange{File: text, Body: body} }
	move := func(from, to string) tools.TextChange {
		f := b.text(from)
		return tools.TextChange{Op: tools.OpMove, File: f, To: b.text(to), Body: f.Body}
	}
	for name, c := range map[string]struct {
		changes []tools.TextChange
		words   []string
	}{
		"nothing":             {nil, []string{"nothing to change"}},
		"one file twice":      {[]tools.TextChange{write(b.text("a.txt"), "x"), write(b.text("./a.txt"), "y")}, []string{"two changes"}},
		"two to one":          {[]tools.TextChange{move("a.txt", "c"), move("b.txt", "c")}, []string{"two changes"}},
		"over a file":         {[]tools.TextChange{move("a.txt", "b.txt")}, []string{"exists already"}},
		"delete of nothing":   {[]tools.TextChange{{Op: tools.OpDelete, File: b.text("none")}}, []string{"does not exist"}},
		"foreign text":        {[]tools.TextChange{write(other.text("x"), "x")}, []string{"not read by this editor"}},
		"made up":             {[]tools.TextChange{write(tools.Text{Name: "x", Real: "/x"}, "x")}, []string{"not read by this editor"}},
		"encoding, second":    {[]tools.TextChange{write(b.text("a.txt"), "x"), write(b.text("latin.txt"), "→")}, []string{"windows-1252"}},
		"reads as UTF-8 then": {[]tools.TextChange{write(b.text("latin.txt"), "Ã©\n")}, []string{"windows-1252", "utf-8"}},
		"NUL":                 {[]tools.TextChange{write(b.text("a.txt"), "a\x00")}, []string{"NUL"}},
		"no UTF-8":            {[]tools.TextChange{write(b.text("a.txt"), "a\xff")}, []string{"not valid UTF-8"}},
		"file as directory":   {[]tools.TextChange{write(b.text("a.txt"), "x"), write(b.text("b2/x"), "x"), write(b.text("b2"), "x")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := tree(t, b.root)
			_, err := b.edit(c.changes...)
			wantErr(t, err, append(c.words, "nothing was changed")...)
			if after := tree(t, b.root); after != before {
				t.Errorf("changed from\n%s\nto\n%s", before, after)
			}
		})
	}
	_, err := b.Change(t.Context(), tools.Call{}, []tools.TextChange{write(b.text("a.txt"), "x")})
	wantErr(t, err, "not permitted", "nothing was changed")
}

// narrowPermit is a permit that says what it is for.
type narrowPermit struct {
	permit
	paths []string
}

func (p narrowPermit) Paths() []string { return p.paths }

func TestChangeStaysWithinThePermit(t *testing.T) {
	b := newBench(t)
	a, other := b.put("a.txt", "a\n"), b.put("b.txt", "b\n")
	try := func(paths ...string) error {
		_, err := b.Change(t.Context(), tools.Call{Permit: narrowPermit{paths: paths}},
			[]tools.TextChange{{File: b.text("a.txt"), Body: "x\n"}, {Op: tools.OpDelete, File: b.text("b.txt")}})
		return err
	}
	wantErr(t, try(a), "b.txt", "permitted", "nothing was changed")
	if err := try(a, other); err != nil {
		t.Error(err)
	}
}

func TestTextRefuses(t *testing.T) {
	b := newBench(t)
	b.put(".env", "KEY=secret")
	b.put("binary", "a\x00b")
	b.put("broken.txt", "äöü\xe9\n")
	b.put("half16.txt", "\xFF\xFEa\x00b")
	b.put("lone16.txt", "\xFF\xFEa\x00\x00\xd8b\x00")
	b.put("dir/x", "")
	b.put("n.ipynb", "{}")
	b.put("d.docx", "PK\x03\x04")
	b.put(filepath.Join(b.home, ".hermes/auth.json"), "secret")
	if err := os.Symlink(filepath.Join(b.home, ".hermes/auth.json"), filepath.Join(b.root, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for path, word := range map[string]string{
		".env": "environment file", "link.txt": "credentials", "binary": "binary data", "broken.txt": "damaged",
		"half16.txt": "damaged", "lone16.txt": "damaged", "dir": "directory", "n.ipynb": "notebook", "d.docx": "Word",
		"a\nb": "control", "dir/": "directory", "": "empty", "/dev/zero": "device", "/proc/self/environ": "process",
		"dir/x/y": "a part of the path is a file",
	} {
		_, err := b.Text(path)
		wantErr(t, err, word)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q shows a secret", path)
		}
	}
	if text := b.text("none.env"); text.Exists || text.Body != "" {
		t.Errorf("got %+v", text)
	}
	if text := b.text(".env.local"); text.Exists {
		t.Errorf("got %+v", text)
	}
}

func TestPartly(t *testing.T) {
	b := newBench(t)
	b.put("f.txt", strings.Repeat("line\n", 30))
	is := func(want bool, what string) {
		t.Helper()
		if got := b.text("f.txt").Partly; got != want {
			t.Errorf("%s: partly is %v", what, got)
		}
	}
	is(false, "never read")
	b.read("f.txt", "offset", 11, "limit", 10)
	is(true, "middle")
	b.mustEdit(tools.TextChange{File: b.text("f.txt"), Body: strings.Repeat("line\n", 29) + "end\n"})
	is(true, "middle and edited")
	b.read("f.txt", "offset", 21, "limit", 10)
	b.read("f.txt", "limit", 10)
	is(true, "without the middle")
	b.read("f.txt", "offset", 5, "limit", 20)
	is(false, "all pages")
	b.read("f.txt", "limit", 5)
	is(false, "all pages and one again")
	b.put("f.txt", strings.Repeat("other\n", 30))
	b.read("f.txt", "limit", 5)
	is(true, "changed and one page")
	b.write("f.txt", "all of it\n")
	is(false, "written")
}

// failing is a file system that refuses one kind of operation on one name.
type failing struct {
	place.FS
	op, name string
	at       func()
}

func (f failing) fail(op, name string) error {
	if f.op != op || filepath.Base(name) != f.name {
		return nil
	}
	if f.at != nil {
		f.at()
	}
	return &os.PathError{Op: op, Path: name, Err: errors.New("the disk is on fire")}
}

func (f failing) WriteAtomic(name string, data []byte, mode os.FileMode) error {
	if err := f.fail("write", name); err != nil {
		return err
	}
	return f.FS.WriteAtomic(name, data, mode)
}

func (f failing) Remove(name string) error {
	if err := f.fail("remove", name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

func (f failing) Rename(from, to string) error {
	if err := f.fail("rename", to); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

func TestFailureTakesEverythingBack(t *testing.T) {
	for _, c := range []struct{ op, name string }{
		{"write", "two.txt"}, {"write", "fresh.txt"}, {"write", "moved.txt"}, {"rename", "moved.txt"},
		{"remove", "gone1.txt"}, {"remove", "gone2.txt"},
	} {
		t.Run(c.op+" "+c.name, func(t *testing.T) {
			b := newBench(t)
			b.put("one.txt", "1\r\n")
			b.put("two.txt", "\xFF\xFE2\x00")
			b.put("from.txt", "f\xe9\n")
			b.put("gone1.txt", "g1")
			b.put("gone2.txt", "g2")
			before := tree(t, b.root)
			changes := []tools.TextChange{
				{Op: tools.OpDelete, File: b.text("gone1.txt")},
				{File: b.text("one.txt"), Body: "x\n"},
				{File: b.text("a/b/fresh.txt"), Body: "x\n"},
				{Op: tools.OpMove, File: b.text("from.txt"), To: b.text("c/moved.txt"), Body: "y\n"},
				{File: b.text("two.txt"), Body: "x\n"},
				{Op: tools.OpDelete, File: b.text("gone2.txt")},
			}
			whole := b.Files.fs
			b.Files.fs = failing{FS: whole, op: c.op, name: c.name}
			_, err := b.edit(changes...)
			wantErr(t, err, c.name, "on fire", "nothing was changed")
			if after := tree(t, b.root); after != before {
				t.Errorf("changed from\n%s\nto\n%s", before, after)
			}
			b.Files.fs = whole
			for i := range changes { // what was read still holds
				changes[i].File = b.text(changes[i].File.Name)
			}
			b.mustEdit(changes...)
		})
	}
}

func TestWhatCannotBeTakenBackIsSaid(t *testing.T) {
	b := newBench(t)
	b.put("one.txt", "1\n")
	b.put("two.txt", "2\n")
	changes := []tools.TextChange{{File: b.text("one.txt"), Body: "x\n"}, {File: b.text("two.txt"), Body: "x\n"}}
	b.Files.fs = failing{FS: b.Files.fs, op: "write", name: "two.txt", at: func() { b.put("one.txt", "theirs\n") }}
	_, err := b.edit(changes...)
	wantErr(t, err, "on fire", "could not be taken back", "one.txt", "changed by someone else")
	if strings.Contains(fmt.Sprint(err), "nothing was changed") {
		t.Errorf("error %v", err)
	}
	if b.content("one.txt") != "theirs\n" || b.content("two.txt") != "2\n" {
		t.Error("what someone else wrote is lost")
	}
}

func TestChangedWhileEdited(t *testing.T) {
	b := newBench(t)
	for name, meanwhile := range map[string]func(path string) error{
		"content": func(p string) error { return os.WriteFile(p, []byte("b\n"), 0o600) },
		"gone":    os.Remove,
		"directory": func(p string) error {
			return errors.Join(os.Remove(p), os.Mkdir(p, 0o755))
		},
		"link": func(p string) error { return errors.Join(os.Remove(p), os.Symlink(b.home, p)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := b.put(name+".txt", "a\n")
			text := b.text(name + ".txt")
			if err := meanwhile(path); err != nil {
				t.Fatal(err)
			}
			before := tree(t, b.root)
			_, err := b.edit(tools.TextChange{File: text, Body: "mine\n"})
			wantErr(t, err, "nothing was changed")
			if after := tree(t, b.root); after != before {
				t.Errorf("changed from\n%s\nto\n%s", before, after)
			}
		})
	}
	fresh := b.text("fresh.txt")
	b.put("fresh.txt", "theirs\n")
	_, err := b.edit(tools.TextChange{File: fresh, Body: "mine\n"})
	wantErr(t, err, "changed by someone else", "nothing was changed")
}

func TestCancelledChange(t *testing.T) {
	b := newBench(t)
	b.put("f.txt", "a\n")
	text := b.text("f.txt")
	ctx, cancel := testContext(t)
	cancel(errors.New("escape was pressed"))
	_, err := b.Change(ctx, tools.Call{Permit: permit{}}, []tools.TextChange{{File: text, Body: "b\n"}})
	wantErr(t, err, "escape was pressed", "nothing was changed")
	if b.content("f.txt") != "a\n" {
		t.Error("the file was changed")
	}
}

// TestStrangeNamesOfChanges edits files with names that are hard to handle.
func TestStrangeNamesOfChanges(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"-rf", "--help", "with space", "文😀", "\u202egnp.txt", "~", "%s", "a'b\"c", "$(x)", ".git"} {
		r := b.mustEdit(tools.TextChange{File: b.text("./" + name), Body: "x\n"})
		if b.content(name) != "x\n" || len(r.Created) != 1 {
			t.Errorf("%q: %+v", name, r)
		}
		b.mustEdit(tools.TextChange{Op: tools.OpDelete, File: b.text("./" + name)})
	}
	for _, name := range []string{"a\nb", "\x1b[2J", "bad\xff", strings.Repeat("n", 300), strings.Repeat("d/", 2500) + "f"} {
		if _, err := b.Text(name); err == nil {
			t.Errorf("%.20q is taken", name)
		}
	}
}

func BenchmarkChange10kLines(b *testing.B) {
	w := newBench(b)
	lines := strings.Repeat("the quick brown fox jumps over the lazy dog\n", 10_000)
	w.put("f.txt", lines)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		text := w.text("f.txt")
		w.mustEdit(tools.TextChange{File: text, Body: lines[:220_000] + fmt.Sprintf("line %d\n", i) + lines[220_000:]})
	}
}
