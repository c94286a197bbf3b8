//go:build unix

package search

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe would hang if a pipe were opened.
func TestPipe(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{"f": "x\n"})
	if err := syscall.Mkfifo(filepath.Join(b.root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := b.find(map[string]any{"pattern": "x", "path": "pipe"}); !strings.Contains(r.Error, "neither a directory nor a regular file") {
		t.Errorf("got %s", r.Content)
	}
	b.same("beside it", b.find(map[string]any{"pattern": "x"}).lines(), []string{"f:1"})
}
