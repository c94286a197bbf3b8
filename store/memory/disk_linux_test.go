package memory

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"hermes-tui/internal/disktest"
)

// TestDiskFull writes on a full disk of its own: what was there stays, and there is no
// half line in a file that is appended to.
func TestDiskFull(t *testing.T) {
	disktest.Run(t, "64k", diskFull)
}

func diskFull(t *testing.T, dir string) {
	s := open(dir, 1000)
	mustApply(t, s, adding(Notes, strings.Repeat("a", 400), strings.Repeat("b", 400)))
	want := texts(t, s, Notes)
	free := disktest.Fill(t, dir)
	failed := 0
	for range 20 { // the last page of an appended file may have room
		if _, err := s.Apply(t.Context(), adding(Notes, strings.Repeat("c", 500))); err != nil {
			failed++
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("error %v", err)
			}
		}
	}
	if failed != 20 {
		t.Errorf("%d of 20 writes failed", failed)
	}
	if got := texts(t, s, Notes); !slices.Equal(got, want) {
		t.Errorf("left %q", got)
	}
	for _, name := range []string{s.archiveFile(), s.historyFile()} {
		if text, err := os.ReadFile(name); err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
			t.Errorf("%s ends in half a line", name)
		}
	}
	free()
	if p := mustApply(t, s, adding(Notes, strings.Repeat("c", 500))); len(p.Evicted) != 1 {
		t.Errorf("evicted %v", p.Evicted)
	}
}
