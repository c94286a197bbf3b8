//go:build unix

package files

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipe would hang if a pipe were opened for reading or writing.
func TestPipe(t *testing.T) {
	b := newBench(t)
	if err := syscall.Mkfifo(filepath.Join(b.root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.wantError(b.read("pipe"), "not a regular file")
	b.wantError(b.write("pipe", "x"), "not a regular file")
}
