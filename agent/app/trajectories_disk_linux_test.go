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
)

// TestTrajectoriesDiskFull keeps turns on a full disk of its own: the user is told once,
// nothing is torn, and the line of the next turn holds what could not be written.
func TestTrajectoriesDiskFull(t *testing.T) {
	const env = "TRAJECTORIES_TINY_DISK"
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
	dir := b.home.Trajectories()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=700"); err != nil {
		fmt.Println("not possible:", err)
		t.SkipNow()
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	b.config(fmt.Sprintf(training, serve(t, "m").URL(), true))
	a, c := b.begin()
	say(t, c, "one")
	closed(t, a) // what was to be written is
	a, c = b.resume()
	fill := filepath.Join(dir, "fill")
	if err := os.WriteFile(fill, make([]byte, 2<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	say(t, c, "two "+strings.Repeat("words ", 2000))
	say(t, c, "three")
	closed(t, a)
	if got := notices(c); strings.Count(got, "This turn is not in trajectories/trajectory_samples.jsonl (") != 1 || !strings.Contains(got, "no space left on device). The session has it: hermes-tui sessions export "+string(c.Session())) {
		t.Errorf("told: %s", got)
	}
	if list := b.trajectories(completedTrajectories); len(list) != 1 {
		t.Errorf("%d lines on a full disk", len(list))
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	a, c = b.resume()
	say(t, c, "four")
	closed(t, a)
	if list := b.trajectories(completedTrajectories); len(list) != 2 || list[1].from() != "system"+strings.Repeat(" human gpt", 4) {
		t.Errorf("with room: %d lines, the last %s", len(list), list[len(list)-1].from())
	}
}
