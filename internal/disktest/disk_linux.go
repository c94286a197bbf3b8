package disktest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Own runs the test once more in a process that may mount, and reports true there.
func Own(t *testing.T) bool {
	t.Helper()
	return Again(t, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	})
}

// Run calls test in a process of its own, with the folder of a file system that holds
// size bytes ("64k", "1m"). Where that cannot be had the test is skipped.
func Run(t *testing.T, size string, test func(t *testing.T, dir string)) {
	t.Helper()
	if Own(t) {
		dir := t.TempDir()
		Mount(t, dir, size)
		test(t, dir)
	}
}

// Mount lays a file system that holds size bytes over a folder, until the test is over;
// size may go on with other options of tmpfs. The test is skipped where that is not
// allowed.
func Mount(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size="+size); err != nil {
		t.Skip("SKIPPED: cannot mount:", err)
	}
	// A folder with something mounted over it can't be removed.
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// ReadOnly makes a file system that was mounted read-only.
func ReadOnly(t *testing.T, dir string) {
	t.Helper()
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}

// Fill takes the room that is left in a folder, and gives a function that frees it.
func Fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "fill")
	if err := os.WriteFile(name, make([]byte, 2<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}
