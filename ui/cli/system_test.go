//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"
)

// TestCurrentFolderIsGone starts in a folder that was deleted: one sentence says so.
func TestCurrentFolderIsGone(t *testing.T) {
	dir := t.TempDir() + "/gone"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := system().dir(); err == nil || !strings.HasPrefix(err.Error(), "the current folder cannot be found (") || !strings.HasSuffix(err.Error(), "): change to one that exists") {
		t.Error(err)
	}
}
