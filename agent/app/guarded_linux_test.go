package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/internal/disktest"
)

// TestGuardedAgain opens a conversation while there is no room for what confinement
// needs. It stays manual, whatever is asked of it; once there is room the user is told
// so, and the next one that is opened is guarded.
func TestGuardedAgain(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root mounts a small disk")
	}
	if !disktest.Again(t, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}) {
		return
	}
	b := newBox(t)
	b.config("probe:\n  local_servers: false\nmodel:\n  provider: script\n")
	disk := t.TempDir()
	disktest.Mount(t, disk, "256k,nr_inodes=64")
	b.env["TMPDIR"], b.confine = disk, true
	ballast := filepath.Join(disk, "ballast")
	full, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = full.Write(make([]byte, 4096))
	}
	for i := 0; !errors.Is(err, syscall.ENOSPC) || i == 0; i++ { // and no folder
		err = os.Mkdir(filepath.Join(disk, strings.Repeat("x", i+1)), 0o700)
	}
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	_, c := b.begin()
	refused := func(conv Conversation) string {
		t.Helper()
		err := conv.SetMode(event.ModeGuarded)
		if err == nil || conv.State().Mode != event.ModeManual {
			t.Fatalf("mode %s, %v", conv.State().Mode, err)
		}
		return err.Error()
	}
	if why := refused(c); !strings.Contains(why, disk) || !strings.Contains(why, "make room there, then try again") {
		t.Errorf("with a full disk: %s", why)
	}
	entries, err := os.ReadDir(disk)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(disk, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if why := refused(c); !strings.Contains(why, "commands can be confined now") {
		if strings.Contains(why, "make room") {
			t.Fatal(why)
		}
		t.Skip("SKIPPED:", why)
	}
	if left, err := os.ReadDir(disk); err != nil || len(left) > 0 {
		t.Errorf("what was tried has left %v behind, %v", left, err)
	}
	if _, err := c.Submit("hello"); err != nil {
		t.Fatal(err)
	}
	session := string(c.Session())
	a := c.(*conversation).app
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next, err := a.Resume(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	if got := next.State().Mode; got != event.ModeGuarded {
		t.Errorf("opened again it is in mode %s", got)
	}
}
