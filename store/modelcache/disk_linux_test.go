package modelcache

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inTinyDisk runs a test again in a process that has a file system of 256 KB of its own
// at dir; without the right to make one the test is skipped.
func inTinyDisk(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	const env = "MODELCACHE_TINY_DISK"
	if dir := os.Getenv(env); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
			fmt.Println("cannot mount:", err)
			t.SkipNow()
		}
		test(t, dir)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch exit := (*exec.ExitError)(nil); {
	case err != nil && !errors.As(err, &exit):
		t.Skip("no namespaces here:", err)
	case err != nil:
		t.Errorf("in the tiny disk: %v\n%s", err, out)
	case strings.Contains(string(out), "cannot mount:"):
		t.Skip("no mounts here")
	}
}

func TestFullDisk(t *testing.T) {
	inTinyDisk(t, func(t *testing.T, dir string) {
		c, k := in(dir, time.Now), NewKey("https://a/v1", "")
		mustPut(t, c, k, some(10))
		mustLearn(t, c, "m", base, 8_192)
		filler := filepath.Join(dir, "filler")
		if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		wantProblem(t, c.Put(t.Context(), k, some(2_000)), ProblemFull)
		wantProblem(t, c.Learn(t.Context(), "m", base, 4_096, true), ProblemFull)
		if got, _, ok := c.Get(k); !ok || len(got) != 10 {
			t.Errorf("the old list has %d models, %v", len(got), ok)
		}
		if got, _ := c.Limit("m", base); got != 8_192 {
			t.Errorf("the old window is %d", got)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		mustPut(t, c, k, some(20))
		if err := c.Succeeded(t.Context(), "m", base, 4_000); err != nil {
			t.Error(err)
		}
		if got, _ := c.Limit("m", base); got != 4_096 {
			t.Errorf("the window is %d", got)
		}
		wantFiles(t, dir)
	})
}

func TestReadOnlyDisk(t *testing.T) {
	inTinyDisk(t, func(t *testing.T, dir string) {
		c, k := in(dir, time.Now), NewKey("https://a/v1", "")
		mustPut(t, c, k, some(10))
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		wantProblem(t, c.Put(t.Context(), k, some(2)), ProblemWrite)
		wantProblem(t, c.Learn(t.Context(), "m", base, 4_096, true), ProblemWrite)
		if got, _, ok := c.Get(k); !ok || len(got) != 10 {
			t.Errorf("the list has %d models, %v", len(got), ok)
		}
	})
}
