package watch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// poorEnv tells a process of a test what the kernel is not to give it.
const poorEnv = "WATCH_TEST_POOR"

// poor watches where the kernel gives too little, and prints what came of it.
func poor() {
	limit, value, _ := strings.Cut(os.Getenv(poorEnv), "=")
	if err := os.WriteFile("/proc/sys/user/"+limit, []byte(value), 0o600); err != nil {
		fmt.Println("cannot:", err)
		return
	}
	dir, err := os.MkdirTemp("", "poor-")
	if err != nil {
		fmt.Println("cannot:", err)
		return
	}
	defer os.RemoveAll(dir)
	w := New(Options{Dir: filepath.Join(dir, "marks"), Warn: func(err error) { fmt.Println("warned:", err) }})
	set, watched := w.Set(), 0
	for i := range 6 {
		path := filepath.Join(dir, fmt.Sprint("d", i), "a")
		if os.Mkdir(filepath.Dir(path), 0o700) == nil && set.Watch(path) {
			watched++
		}
	}
	fmt.Println("watched:", watched, set.Close(), w.Close())
}

// TestPoorKernel goes on without watches where the kernel gives too few or none, and
// says so once.
func TestPoorKernel(t *testing.T) {
	for limit, want := range map[string]struct{ watched, warned string }{
		"max_inotify_watches=3":   {"watched: 2 ", "further files are not watched"},
		"max_inotify_watches=0":   {"watched: 0 ", "files are not watched"},
		"max_inotify_instances=0": {"watched: 0 ", "files are not watched"},
	} {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
		cmd.Env = append(os.Environ(), poorEnv+"="+limit)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "cannot:") {
			t.Skipf("SKIPPED: no namespaces for users here, so the kernel's limits are not tested: %v %s", err, out)
		}
		if !strings.Contains(string(out), want.watched) || strings.Count(string(out), "warned:") != 1 || !strings.Contains(string(out), want.warned) {
			t.Errorf("%s: %s", limit, out)
		}
	}
}
