package memory

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestDiskFull writes on a full disk of its own: what was there stays, and there is no
// half line in a file that is appended to.
func TestDiskFull(t *testing.T) {
	const env = "MEMORY_TINY_DISK"
	dir := os.Getenv(env)
	if dir == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), env+"="+t.TempDir())
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
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		fmt.Println("not possible:", err)
		t.SkipNow()
	}
	s := open(dir, 1000)
	mustApply(t, s, adding(Notes, strings.Repeat("a", 400), strings.Repeat("b", 400)))
	want := texts(t, s, Notes)
	if err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
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
	if err := os.Remove(filepath.Join(dir, "fill")); err != nil {
		t.Fatal(err)
	}
	if p := mustApply(t, s, adding(Notes, strings.Repeat("c", 500))); len(p.Evicted) != 1 {
		t.Errorf("evicted %v", p.Evicted)
	}
}
