package place

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// A repository that a process has made, and exchanges with a link while it is made again, is
// not made from what the link leads to.
func TestNewRepositoryExchanged(t *testing.T) {
	work, outside := tempDir(t), tempDir(t)
	git, link, key := filepath.Join(work, ".git"), filepath.Join(work, "link"), filepath.Join(outside, "id_rsa")
	w := &absentPaths{
		fs: localFS{rand: rand.Reader}, names: []string{filepath.Join(git, "config"), filepath.Join(git, "hooks")}, folder: filepath.Join(tempDir(t), "aside"),
		tools: map[string]bool{}, protect: func() error { return nil }, harmless: func(string) bool { return true },
	}
	over := make(chan struct{})
	var flipping sync.WaitGroup
	flipping.Go(func() {
		for !closed(over) {
			_ = unix.Renameat2(unix.AT_FDCWD, git, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) // while both are there
		}
	})
	t.Cleanup(flipping.Wait)
	defer close(over)
	swept := 0
	for range 400 {
		_ = os.RemoveAll(git) // whichever it is by now
		_ = os.RemoveAll(link)
		were := w.missing()
		write(t, key, "key")
		if err := errors.Join(os.MkdirAll(filepath.Join(git, "hooks"), 0o700), os.WriteFile(filepath.Join(git, "config"), []byte("[core]\n"), 0o600)); err != nil {
			continue // the link took its place
		}
		if os.Symlink(outside, link) != nil {
			continue
		}
		_ = w.sweep(were)
		swept++
		if data, err := os.ReadFile(key); err != nil || string(data) != "key" {
			t.Fatalf("the key is gone, %q, %v", data, err)
		}
	}
	if swept < 50 {
		t.Errorf("tried %d times", swept)
	}
}

// TestAsideOnAnotherFileSystem: what is made at a protected path is taken away although the
// folder for it is on another file system and the names beside it are taken.
func TestAsideOnAnotherFileSystem(t *testing.T) {
	work := tempDir(t)
	folder, err := os.MkdirTemp("/dev/shm", "aside")
	if err != nil {
		t.Skip("SKIPPED: there is no /dev/shm:", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if os.Rename(tempDir(t), filepath.Join(folder, "here")) == nil {
		t.Skip("SKIPPED: /dev/shm is on the same file system")
	}
	name := filepath.Join(work, "AGENTS.md")
	w := &absentPaths{fs: localFS{rand: rand.Reader}, names: []string{name}, folder: folder}
	were := w.missing()
	write(t, name+".refused-1", "planted")
	for i, want := range []string{"one", "two"} {
		write(t, name, want)
		w.sweep(were)
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s stays", want)
		}
		if got, _ := os.ReadFile(name + ".refused-" + strconv.Itoa(i+2)); string(got) != want {
			t.Errorf("%s is %q", want, got)
		}
	}
}
