package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// TestCurrentFolderIsGone moves the current folder of the terminal away: no tool makes it
// again, and the model is told.
func TestCurrentFolderIsGone(t *testing.T) {
	for name, call := range map[string]func(b *bench) string{
		"write": func(b *bench) string { return b.write("made", "1\n").Content },
		"patch": func(b *bench) string {
			_, err := b.edit(tools.TextChange{File: b.text("sub/made"), Body: "1\n"})
			return fmt.Sprint(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			cwd := filepath.Join(b.root, "cwd")
			if err := os.Mkdir(cwd, 0o755); err != nil {
				t.Fatal(err)
			}
			b.dir = func() string { return cwd }
			if err := os.Rename(cwd, cwd+"-moved"); err != nil {
				t.Fatal(err)
			}
			if got := call(b); !strings.Contains(got, "was moved or deleted") {
				t.Errorf("the model got %s", got)
			}
			if _, err := os.Lstat(cwd); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder was made again: %v", err)
			}
		})
	}
}
