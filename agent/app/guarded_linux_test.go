package app

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hermes-tui/agent/event"
)

const smallDiskEnv = "HERMES_TEST_SMALL_DISK"

// TestGuardedAgain opens a conversation while there is no room for what confinement
// needs. It stays manual, whatever is asked of it; once there is room the user is told
// so, and the next one that is opened is guarded.
func TestGuardedAgain(t *testing.T) {
	if os.Getenv(smallDiskEnv) == "" {
		if os.Geteuid() != 0 {
			t.Skip("only root mounts a small disk")
		}
		again := exec.Command("/proc/self/exe", "-test.run=^TestGuardedAgain$", "-test.count=1", "-test.v")
		again.Env = append(os.Environ(), smallDiskEnv+"=1")
		again.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		out, err := again.CombinedOutput()
		switch {
		case errors.Is(err, syscall.EPERM), bytes.Contains(out, []byte("--- SKIP")):
			t.Skipf("%v\n%s", err, out)
		case err != nil:
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	b := newBox(t)
	b.config("probe:\n  local_servers: false\nmodel:\n  provider: script\n")
	disk := t.TempDir()
	if err := unix.Mount("none", disk, "tmpfs", 0, "size=256k,nr_inodes=64"); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
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
		t.Skip(why)
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
