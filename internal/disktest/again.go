//go:build unix

// Package disktest runs tests in processes of their own: with a small file system to
// fill or to make read-only, or with other rights.
package disktest

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Again runs the test once more in a process made with attr, and reports true there.
// What is done to that process harms no other test. The parent skips where the child did
// or where it cannot be started.
func Again(t *testing.T, attr *syscall.SysProcAttr) bool {
	t.Helper()
	const env = "HERMES_TEST_AGAIN"
	if os.Getenv(env) == t.Name() {
		return true
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	if runtime.GOOS == "linux" { // a process without rights may be unable to reach the file by its name
		exe = "/proc/self/fd/3"
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.ExtraFiles = []*os.File{self}
	cmd.Env = append(os.Environ(), env+"="+t.Name(), "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	switch exit := (*exec.ExitError)(nil); {
	case err != nil && !errors.As(err, &exit):
		t.Skip("SKIPPED: no such process here:", err)
	case err != nil:
		t.Errorf("in its own process: %v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("NOT A TEST: in its own process:\n%s", out)
	}
	return false
}
