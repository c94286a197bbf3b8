//go:build unix

package place

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func write(t testing.TB, name, data string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// names lists a directory, so that forgotten temporary files are seen.
func names(t testing.TB, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestOpenRefusesWhatMayBlock(t *testing.T) {
	dir := tempDir(t)
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, fifo, filepath.Join(dir, "link"))
	for _, name := range []string{fifo, filepath.Join(dir, "link"), "/dev/zero", "/dev/tty"} {
		f, err := newLocal(t).FS().Open(name)
		if err == nil {
			f.Close()
			t.Errorf("%s was opened", name)
			continue
		}
		if _, statErr := os.Stat(name); statErr == nil && !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := newLocal(t).FS().Open("relative"); err == nil {
		t.Error("a relative name was opened")
	}
}

func TestOpenReads(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "f"), "text")
	fsys := newLocal(t).FS()
	f, err := fsys.Open(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil || string(data) != "text" {
		t.Errorf("read %q, %v", data, err)
	}
	part := make([]byte, 2)
	if _, err := f.ReadAt(part, 2); err != nil || string(part) != "xt" {
		t.Errorf("read at: %q, %v", part, err)
	}
	d, err := fsys.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

func TestResolve(t *testing.T) {
	dir := tempDir(t)
	for _, d := range []string{"real/sub", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link(t, "real/sub", filepath.Join(dir, "in"))
	link(t, filepath.Join(dir, "other"), filepath.Join(dir, "abs"))
	link(t, "real/not yet", filepath.Join(dir, "dangling"))
	link(t, "loop", filepath.Join(dir, "loop"))
	cases := []struct{ name, want string }{
		{"real/sub", "real/sub"},
		{"in/file", "real/sub/file"},
		{"in/..", "real"}, // where the link leads, not where it stands
		{"abs/x/y", "other/x/y"},
		{"dangling", "real/not yet"},
		{"dangling/x", "real/not yet/x"},
		{"missing/../abs/x", "other/x"},
		{"./real//sub/", "real/sub"},
		{"missing/x/../../real", "real"},
	}
	fsys := newLocal(t).FS()
	for _, c := range cases {
		got, err := fsys.Resolve(dir + "/" + c.name)
		if want := filepath.Join(dir, c.want); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, want)
		}
	}
	if got, err := fsys.Resolve("/../../"); err != nil || got != "/" {
		t.Errorf("above the root: %q, %v", got, err)
	}
	for _, bad := range []string{"loop", "loop/x"} {
		if got, err := fsys.Resolve(filepath.Join(dir, bad)); err == nil {
			t.Errorf("%s: got %q", bad, got)
		}
	}
	if _, err := fsys.Resolve("rel"); err == nil {
		t.Error("a relative name was resolved")
	}
}

func TestWriteAtomic(t *testing.T) {
	dir := tempDir(t)
	name := filepath.Join(dir, "file with ⚡ and\nbreak")
	fsys := newLocal(t).FS()
	for _, c := range []struct {
		data string
		mode fs.FileMode
	}{{"one", 0o644}, {"", 0o600}, {"three", 0o755}, {strings.Repeat("x", 1<<20), 0o666}} {
		if err := fsys.WriteAtomic(name, []byte(c.data), c.mode); err != nil {
			t.Fatal(err)
		}
		if got := read(t, name); got != c.data {
			t.Errorf("read %d bytes, want %d", len(got), len(c.data))
		}
		if st, _ := os.Stat(name); st.Mode() != c.mode {
			t.Errorf("mode = %v, want %v", st.Mode(), c.mode)
		}
	}
	if got := names(t, dir); got != filepath.Base(name) {
		t.Errorf("left behind: %q", got)
	}
}

func TestWriteAtomicKeepsOtherNamesOfAFile(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "precious"), "old")
	if err := os.Link(filepath.Join(dir, "precious"), filepath.Join(dir, "name")); err != nil {
		t.Skip("SKIPPED: no hard links here:", err)
	}
	if err := newLocal(t).FS().WriteAtomic(filepath.Join(dir, "name"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "precious")); got != "old" {
		t.Errorf("the other name reads %q", got)
	}
}

func TestWriteAtomicRefuses(t *testing.T) {
	dir := tempDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "target"), "kept")
	link(t, filepath.Join(dir, "target"), filepath.Join(dir, "link"))
	link(t, filepath.Join(dir, "real"), filepath.Join(dir, "linkdir"))
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	fsys := newLocal(t).FS()
	cases := []struct {
		name string
		want error
	}{
		{"link", ErrLink}, {"linkdir/new", ErrLink}, {"real", ErrNotRegular},
		{"fifo", ErrNotRegular}, {"missing/new", fs.ErrNotExist},
	}
	for _, c := range cases {
		err := fsys.WriteAtomic(filepath.Join(dir, c.name), []byte("x"), 0o644)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for _, name := range []string{"link/sub", "linkdir/sub", "fifo/sub"} {
		if made, err := fsys.MkdirAll(filepath.Join(dir, name), 0o755); err == nil {
			t.Errorf("%s: made %q", name, made)
		}
	}
	var pe *fs.PathError
	if err := fsys.WriteAtomic("rel", nil, 0o644); !errors.As(err, &pe) {
		t.Errorf("relative: %v", err)
	}
	if got := read(t, filepath.Join(dir, "target")); got != "kept" {
		t.Errorf("the link's target reads %q", got)
	}
	if got := names(t, dir); got != before {
		t.Errorf("directory holds %q, want %q", got, before)
	}
}

func TestWriteAtomicBelowADirectoryThatCannotBeRead(t *testing.T) {
	dir := tempDir(t)
	home := filepath.Join(dir, "home", "me")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "home"), 0o311); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "home"), 0o755) })
	if err := newLocal(t).FS().WriteAtomic(filepath.Join(home, "f"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := direct(home); err != nil { // root can read everything: test the way itself
		t.Fatal(err)
	}
	link(t, home, filepath.Join(dir, "home", "link"))
	if _, err := direct(filepath.Join(dir, "home", "link")); !errors.Is(err, ErrLink) {
		t.Errorf("a link: %v", err)
	}
}

func TestMkdirAll(t *testing.T) {
	dir := tempDir(t)
	fsys := newLocal(t).FS()
	made, err := fsys.MkdirAll(filepath.Join(dir, "a/b/c"), 0o750)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "a/b", "a/b/c"}
	if len(made) != len(want) {
		t.Fatalf("made %q", made)
	}
	for i := range want {
		if made[i] != filepath.Join(dir, want[i]) {
			t.Errorf("made[%d] = %q", i, made[i])
		}
	}
	if again, err := fsys.MkdirAll(filepath.Join(dir, "a/b"), 0o750); err != nil || len(again) != 0 {
		t.Errorf("again: %q, %v", again, err)
	}
	write(t, filepath.Join(dir, "file"), "")
	if _, err := fsys.MkdirAll(filepath.Join(dir, "file/sub"), 0o750); err == nil {
		t.Error("a directory was made below a file")
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"a/../b", "in/../x", "\x00", "in/in/..", strings.Repeat("../", 50)} {
		f.Add(s)
	}
	dir := tempDir(f)
	link(f, ".", filepath.Join(dir, "in"))
	fsys := newLocal(f).FS()
	f.Fuzz(func(t *testing.T, name string) {
		got, err := fsys.Resolve(dir + "/" + name)
		if err != nil {
			return
		}
		if !filepath.IsAbs(got) || got != filepath.Clean(got) {
			t.Errorf("%q resolves to %q", name, got)
		}
		again, err := fsys.Resolve(got)
		if err != nil || again != got {
			t.Errorf("%q resolves to %q, then to %q, %v", name, got, again, err)
		}
	})
}

func BenchmarkWriteAtomic(b *testing.B) {
	name := filepath.Join(tempDir(b), "f")
	fsys := newLocal(b).FS()
	data := bytes.Repeat([]byte("line of text\n"), 1000)
	b.ReportAllocs()
	for b.Loop() {
		if err := fsys.WriteAtomic(name, data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
}
