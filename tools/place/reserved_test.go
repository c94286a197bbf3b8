//go:build unix

package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestReserved opens no database that is reserved, by whatever name, and opens it again
// when all who reserved it are done.
func TestReserved(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	db, other := filepath.Join(dir, "state.db"), filepath.Join(dir, "hard")
	first, second := Reserve(db), Reserve(db) // before it is there
	write(t, db, "x")
	write(t, db+shared, "x")
	write(t, filepath.Join(dir, "free"), "x")
	link(t, db, filepath.Join(dir, "soft"))
	if err := os.Link(db, other); err != nil {
		t.Fatal(err)
	}
	opens := func(name string) error {
		t.Helper()
		var failed error
		for _, open := range []func(string) (File, error){localFS{}.Open, localFS{}.OpenReal} {
			f, err := open(filepath.Join(dir, name))
			if err == nil {
				err = f.Close()
			} else if errors.Is(err, ErrLink) { // OpenReal follows none
				continue
			}
			failed = errors.Join(failed, err)
		}
		return failed
	}
	for _, name := range []string{"state.db", "state.db-shm", "hard", "soft"} {
		err := opens(name)
		var r ReservedError
		if !errors.As(err, &r) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
	first()
	first()
	if opens("hard") == nil {
		t.Error("it is open to all while one still has it")
	}
	second()
	for _, name := range []string{"state.db", "state.db-shm", "hard", "soft", "free", ""} {
		if err := opens(name); err != nil {
			t.Errorf("%q, not reserved any more: %v", name, err)
		}
	}
}

// TestReservedIsReleasedWithItsFile removes what a database that is closed leaves: the
// next file may get its number, and may be read.
func TestReservedIsReleasedWithItsFile(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "state.db")
	defer Reserve(db)()
	gone, next := db+shared, filepath.Join(dir, "made.txt")
	if err := os.WriteFile(gone, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(gone)
	if err != nil || mayOpen(next, st) == nil {
		t.Fatalf("it may be opened by another name, %v", err)
	}
	if err := os.Rename(gone, next); err != nil { // a new file with the number of the old one
		t.Fatal(err)
	}
	if mayOpen(next, st) != nil {
		t.Error("what is there no more is still reserved")
	}
}

// A file with keys is opened by its own name, and by no hard link to it.
func TestReservedNames(t *testing.T) {
	dir := tempDir(t)
	key, other := filepath.Join(dir, "auth.json"), filepath.Join(dir, "notes.txt")
	write(t, key, "key")
	if err := os.Link(key, other); err != nil {
		t.Fatal(err)
	}
	release := ReserveNames(key)
	for _, open := range []func(string) (File, error){localFS{}.Open, localFS{}.OpenReal} {
		if f, err := open(key); err != nil {
			t.Errorf("by its own name: %v", err)
		} else {
			_ = f.Close()
		}
		if _, err := open(other); !errors.As(err, new(LinkedError)) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("by another one: %v", err)
		}
	}
	release()
	if f, err := (localFS{}).Open(other); err != nil {
		t.Errorf("when no one keeps it: %v", err)
	} else {
		_ = f.Close()
	}
}
