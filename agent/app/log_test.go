package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hermes-tui/store/config"
)

// TestRotated has two programs write one log: it is put aside when it is too long, no line
// is lost or cut but those of the oldest, and not more old ones stay than are wanted.
func TestRotated(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "logs", "x.log")
	const lines = 30_000 // of 100 bytes, by each: six files
	var writers sync.WaitGroup
	for w := range 2 {
		r, err := openLogFile(name, config.Logging{MaxSize: 1, Backups: 9})
		if err != nil {
			t.Fatal(err)
		}
		writers.Go(func() {
			defer func() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}()
			for i := range lines {
				if _, err := fmt.Fprintf(r, "%d %05d %s\n", w, i, strings.Repeat("x", 91)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	files, err := filepath.Glob(name + "*")
	if err != nil || len(files) < 5 || len(files) > 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	seen := map[string]int{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || len(text) > 2<<20 {
			t.Fatalf("%s has %d bytes, %v", f, len(text), err)
		}
		for line := range strings.Lines(string(text)) {
			if len(line) != 100 {
				t.Fatalf("%s holds %q", f, line)
			}
			seen[line[:7]]++
		}
	}
	if len(seen) != 2*lines {
		t.Errorf("%d lines of %d", len(seen), 2*lines)
	}
}
