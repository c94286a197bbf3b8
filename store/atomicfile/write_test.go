package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func fsMode(n uint64) fs.FileMode { return fs.FileMode(n) }

// names lists a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func TestWriteMakesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for _, data := range []string{"one", "", strings.Repeat("long ", 100_000)} {
		if err := Write(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(t, name); got != data {
			t.Errorf("read %d bytes, want %d", len(got), len(data))
		}
	}
	wantNames(t, dir, "file")
}

func TestWriteRelativeName(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := Write("file", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, "file"); got != "x" {
		t.Errorf("read %q", got)
	}
}

func TestWriteReplacesLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("SKIPPED: no links here:", err)
	}
	if err := Write(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, target); got != "old" {
		t.Errorf("the link was followed: %q", got)
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("link is %v, %v", info.Mode(), err)
	}
}

func TestWriteErrorsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		filepath.Join(dir, "dir"):          nil,
		filepath.Join(dir, "gone", "file"): fs.ErrNotExist,
		dir + "/":                          fs.ErrInvalid,
		dir + "/..":                        fs.ErrInvalid,
		"":                                 fs.ErrInvalid,
		filepath.Join(dir, "a\x00b"):       nil,
		filepath.Join(dir, strings.Repeat("n", 300)): nil,
	} {
		err := Write(name, []byte("data"), 0o600)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("Write(%q) = %v, want %v", name, err, want)
		}
		if errors.Is(err, ErrUnsynced) {
			t.Errorf("Write(%q) = %v", name, err)
		}
	}
	wantNames(t, dir, "dir")
}

// Readers see one of the versions, whole, while writers replace the file.
func TestWriteIsOneStep(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	version := func(n int) []byte { return bytes.Repeat([]byte{'a' + byte(n)}, 20_000+n) }
	if err := Write(name, version(0), 0o600); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	done := make(chan struct{})
	for w := range 3 {
		writers.Go(func() {
			for range 20 {
				if err := Write(name, version(w), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { writers.Wait(); close(done) }()
	for {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := int(got[0] - 'a'); !bytes.Equal(got, version(n)) {
			t.Fatalf("a mixed file of %d bytes", len(got))
		}
		select {
		case <-done:
			wantNames(t, filepath.Dir(name), "file")
			return
		default:
		}
	}
}
