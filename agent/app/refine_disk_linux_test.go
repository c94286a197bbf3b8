package app

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes-tui/providers/script"
)

// TestReviewDiskFull looks back with memory on a full disk of its own: nothing is kept and
// nothing is torn, the model hears why, and the session goes on.
func TestReviewDiskFull(t *testing.T) {
	const env = "REVIEW_TINY_DISK"
	if os.Getenv(env) == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), env+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		switch exit := (*exec.ExitError)(nil); {
		case err != nil && !errors.As(err, &exit):
			t.Skip("a file system of its own cannot be had here:", err)
		case err != nil:
			t.Errorf("on the full disk: %v\n%s", err, out)
		case strings.Contains(string(out), "not possible:"):
			t.Skipf("%s", out)
		}
		return
	}
	b := newBox(t)
	if err := os.MkdirAll(b.home.Memories(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", b.home.Memories(), "tmpfs", 0, "size=64k,mode=700"); err != nil {
		fmt.Println("not possible:", err)
		t.SkipNow()
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(b.home.Memories(), syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	server := serves(t, onReview([]script.Step{remembers(strings.Repeat("tabs ", 100))})...)
	b.reviewing(server, server, "")
	a, c := b.begin()
	say(t, c, "use tabs")
	if err := os.WriteFile(filepath.Join(b.home.Memories(), "fill"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	kept, err := c.Refine(t.Context(), "")
	if err != nil || len(kept.Changes) != 0 || len(known(t, a)) != 0 {
		t.Errorf("%+v, %v, memory %q", kept, err, known(t, a))
	}
	if list := lookBacks(t, server); len(list) != 2 || !strings.Contains(list[1].Messages[len(list[1].Messages)-1].Content, "no space left") {
		t.Errorf("the model heard %+v", list[len(list)-1].Messages)
	}
	if err := os.Remove(filepath.Join(b.home.Memories(), "fill")); err != nil {
		t.Fatal(err)
	}
	say(t, c, "and now?")
	if kept, err = c.Refine(t.Context(), ""); err != nil || len(kept.Changes) != 1 || len(known(t, a)) != 1 {
		t.Errorf("with room: %+v, %v, memory %q", kept, err, known(t, a))
	}
	closed(t, a)
}
