package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inTinyDisk runs a test again in a process that has a file system of 64 KB of
// its own at dir; without the right to make one the test is skipped.
func inTinyDisk(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	const env = "ATOMICFILE_TINY_DISK"
	if dir := os.Getenv(env); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
			fmt.Println("cannot mount:", err)
			t.SkipNow()
		}
		test(t, dir)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch exit := (*exec.ExitError)(nil); {
	case err != nil && !errors.As(err, &exit):
		t.Skip("no namespaces here:", err)
	case err != nil:
		t.Errorf("in the tiny disk: %v\n%s", err, out)
	case strings.Contains(string(out), "cannot mount:"):
		t.Skip("no mounts here")
	}
}

func TestWriteOnFullDisk(t *testing.T) {
	inTinyDisk(t, func(t *testing.T, dir string) {
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
	inTinyDisk(t, func(t *testing.T, dir string) {
		name := filepath.Join(dir, "file")
		if err := Write(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
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
	inTinyDisk(t, func(t *testing.T, dir string) {
		path := filepath.Join(dir, "lock")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
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
