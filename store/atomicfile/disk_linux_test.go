package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hermes-tui/internal/disktest"
)

func TestWriteOnFullDisk(t *testing.T) {
	disktest.Run(t, "64k", func(t *testing.T, dir string) {
		name := filepath.Join(dir, "file")
		if err := Write(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Write(name, bytes.Repeat([]byte("x"), 1<<20), 0o600)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("error %v", err)
		}
		if got := read(t, name); got != "old" {
			t.Errorf("the old file is %q", got)
		}
		wantNames(t, dir, "file")
	})
}

func TestReadOnlyDisk(t *testing.T) {
	disktest.Run(t, "64k", func(t *testing.T, dir string) {
		name := filepath.Join(dir, "file")
		if err := Write(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		disktest.ReadOnly(t, dir)
		for what, err := range map[string]error{
			"write": Write(name, []byte("new"), 0o600),
			"mkdir": MkdirPrivate(filepath.Join(dir, "sub")),
			"lock":  func() error { _, err := TryAcquire(filepath.Join(dir, "lock")); return err }(),
		} {
			if !errors.Is(err, syscall.EROFS) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if got := read(t, name); got != "old" {
			t.Errorf("the old file is %q", got)
		}
		if _, err := os.Lstat(filepath.Join(dir, "lock")); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
}

// A lock that cannot be described on a full disk is still a lock.
func TestLockOnFullDisk(t *testing.T) {
	disktest.Run(t, "64k", func(t *testing.T, dir string) {
		path := filepath.Join(dir, "lock")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		disktest.Fill(t, dir)
		l, err := TryAcquire(path)
		if err != nil {
			t.Fatal(err)
		}
		held := (*HeldError)(nil)
		if _, err := TryAcquire(path); !errors.As(err, &held) || held.Holder != (Holder{}) {
			t.Errorf("second opener: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}
