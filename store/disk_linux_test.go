package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hermes-tui/internal/disktest"
)

func homeAt(t *testing.T, dir string) Home {
	t.Helper()
	h, err := Find(Where{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestEnsureDiskFull(t *testing.T) {
	disktest.Run(t, "16k", func(t *testing.T, dir string) {
		if err := homeAt(t, dir).Ensure(); err != nil {
			t.Fatal(err)
		}
		disktest.Fill(t, dir)
		wantEnsure(t, homeAt(t, dir), DiskFull, dir)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	})
}

func TestEnsureReadOnly(t *testing.T) {
	disktest.Run(t, "16k", func(t *testing.T, dir string) {
		disktest.ReadOnly(t, dir)
		wantEnsure(t, homeAt(t, dir), ReadOnly, dir)
		sub := filepath.Join(dir, "sub")
		wantEnsure(t, homeAt(t, sub), ReadOnly, sub)
	})
}

func TestEnsurePermission(t *testing.T) {
	// Root may write everywhere; nobody may not write in /.
	nobody := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}}
	if os.Geteuid() == 0 && !disktest.Again(t, nobody) {
		return
	}
	wantEnsure(t, homeAt(t, "/"), NoPermission, "/")
	wantEnsure(t, homeAt(t, "/sub"), NoPermission, "/sub")
}
