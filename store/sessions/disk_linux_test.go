package sessions

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// ownDisk runs the test in a process that has a file system of its own, and
// returns its folder there and "" elsewhere.
func ownDisk(t *testing.T, size string) string {
	t.Helper()
	if !again(t, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}) {
		return ""
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("can't mount:", err)
	}
	// A folder that is mounted can't be removed when the test is over.
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := ownDisk(t, "3m")
	if dir == "" {
		return
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1500<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	d := mustOpen(t, filepath.Join(dir, "state.db"))
	begin(t, d, "c")
	last := fillUp(t, d)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	afterFull(t, d, last)
}

func TestOpenOnFullDisk(t *testing.T) {
	dir := ownDisk(t, "64k")
	if dir == "" {
		return
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 60<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), filepath.Join(dir, "state.db"), Options{})
	wantKind(t, err, KindFull)
}

func TestReadOnlyDisk(t *testing.T) {
	dir := ownDisk(t, "8m")
	if dir == "" {
		return
	}
	path := filepath.Join(dir, "state.db")
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	mustClose(t, d)
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip("can't make it read-only:", err)
	}
	_, err := Open(t.Context(), path, Options{})
	wantKind(t, err, KindReadOnly)
	_, err = Open(t.Context(), filepath.Join(dir, "new.db"), Options{})
	wantKind(t, err, KindReadOnly)
	d = openWith(t, path, Options{ReadOnly: true})
	if n := len(events(t, d, "c", 0)); n != 1 {
		t.Errorf("%d events", n)
	}
	mustClose(t, d)
}
