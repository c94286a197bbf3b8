package snapshots

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestPruneWhileOthersOpen prunes while other conversations are opened for the first
// time: what they are about to write is left alone.
func TestPruneWhileOthersOpen(t *testing.T) {
	base := t.TempDir()
	root, dir := filepath.Join(base, "work"), filepath.Join(base, "s")
	for _, d := range []string{root, dir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	over, stop := context.WithCancel(t.Context())
	var pruning, opening sync.WaitGroup
	pruning.Go(func() {
		for over.Err() == nil {
			if _, err := Prune(t.Context(), dir, Limits{}, time.Now()); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 8 {
		opening.Go(func() {
			for n := range 25 {
				k, err := Open(t.Context(), Options{Dir: dir, Conv: fmt.Sprint("c", i, "-", n), Files: disk{}, Root: root})
				if err == nil {
					err = k.Warm(t.Context())
				}
				if err == nil {
					err = k.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	opening.Wait()
	stop()
	pruning.Wait()
}
