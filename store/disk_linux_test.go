package store

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

// again runs the test once more in a process with other rights; change sets
// them. Where that is not allowed the test is skipped.
func again(t *testing.T, env string, dir string, change *syscall.SysProcAttr) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A user without rights may be unable to reach the test binary where it is.
	cmd := exec.Command("/proc/self/fd/3", "-test.run=^"+t.Name()+"$", "-test.v")
	self, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	cmd.ExtraFiles = []*os.File{self}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), env+"="+dir, "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = change
	out, err := cmd.CombinedOutput()
	switch exit := (*exec.ExitError)(nil); {
	case err != nil && !errors.As(err, &exit):
		t.Skip("cannot change rights here:", err)
	case err != nil:
		t.Errorf("with other rights: %v\n%s", err, out)
	case strings.Contains(string(out), "not possible:"):
		t.Skipf("%s", out)
	}
}

// inTinyDisk runs test in a process with a file system of 16 KB of its own.
func inTinyDisk(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	const env = "STORE_TINY_DISK"
	if dir := os.Getenv(env); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16k"); err != nil {
			fmt.Println("not possible:", err)
			t.SkipNow()
		}
		test(t, dir)
		return
	}
	again(t, env, t.TempDir(), &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	})
}

func homeAt(t *testing.T, dir string) Home {
	t.Helper()
	h, err := Find(Where{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestEnsureDiskFull(t *testing.T) {
	inTinyDisk(t, func(t *testing.T, dir string) {
		if err := homeAt(t, dir).Ensure(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		wantEnsure(t, homeAt(t, dir), DiskFull, dir)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	})
}

func TestEnsureReadOnly(t *testing.T) {
	inTinyDisk(t, func(t *testing.T, dir string) {
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		wantEnsure(t, homeAt(t, dir), ReadOnly, dir)
		sub := filepath.Join(dir, "sub")
		wantEnsure(t, homeAt(t, sub), ReadOnly, sub)
	})
}

func TestEnsurePermission(t *testing.T) {
	const env = "STORE_NO_RIGHTS"
	check := func(t *testing.T, dir string) {
		wantEnsure(t, homeAt(t, dir), NoPermission, dir)
		sub := filepath.Join(dir, "sub")
		wantEnsure(t, homeAt(t, sub), NoPermission, sub)
	}
	if dir := os.Getenv(env); dir != "" {
		check(t, dir)
		return
	}
	if os.Geteuid() == 0 {
		// Root may write everywhere; nobody may not write in /.
		again(t, env, "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}})
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	check(t, dir)
}
