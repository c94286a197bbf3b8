package sessions

import (
	"os"
	"path/filepath"
	"testing"

	"hermes-tui/internal/disktest"
)

// ownDisk runs the test in a process that has a file system of its own, and
// returns its folder there and "" elsewhere.
func ownDisk(t *testing.T, size string) string {
	t.Helper()
	if !disktest.Own(t) {
		return ""
	}
	dir := t.TempDir()
	disktest.Mount(t, dir, size)
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
	disktest.ReadOnly(t, dir)
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
