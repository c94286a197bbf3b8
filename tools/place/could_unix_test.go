//go:build unix

package place

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCould(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(locked, "f"), "")
	if err := os.Chmod(filepath.Join(locked, "f"), 0o400); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "new", "new/deep/er"} {
		if !MayWrite(filepath.Join(locked, name)) {
			t.Errorf("%s: the folder is the user's", name)
		}
	}
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: root may write everywhere")
	}
	if err := os.Chmod(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(locked, 0o700) }) // else it cannot be removed
	for _, name := range []string{"f", "new", "new/deep"} {
		if MayWrite(filepath.Join(locked, name)) {
			t.Errorf("%s: the folder is closed", name)
		}
	}
}
