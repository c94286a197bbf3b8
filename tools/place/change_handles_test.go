//go:build linux || darwin

package place

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// Even who has just found the name free replaces nothing.
func TestTheSystemSeesThatANameIsFree(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "from"), "new")
	write(t, filepath.Join(dir, "to"), "kept")
	at, err := enter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	err = renameFree(dirName{at, "from", ""}, dirName{at, "to", ""})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if read(t, filepath.Join(dir, "to")) != "kept" || read(t, filepath.Join(dir, "from")) != "new" {
		t.Error("something was replaced")
	}
}
