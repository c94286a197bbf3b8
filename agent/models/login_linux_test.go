package models

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
)

// TestLoginOnAFullDisk refuses before anyone logs in for nothing, leaves the file as
// it is, and spends no refresh token. It runs again in a process with a file system of
// 64 KB of its own.
func TestLoginOnAFullDisk(t *testing.T) {
	const env = "HERMES_TUI_TEST_TINY_DISK"
	dir := os.Getenv(env)
	if dir == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), env+"="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		switch exit := (*exec.ExitError)(nil); {
		case err != nil && !errors.As(err, &exit), strings.Contains(string(out), "cannot mount"):
			t.Skipf("no file system of its own here: %v", err)
		case err != nil:
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	b := newLoginBox(t)
	if err := os.MkdirAll(b.home.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", b.home.Dir(), "tmpfs", 0, "size=64k"); err != nil {
		fmt.Println("cannot mount:", err)
		t.SkipNow()
	}
	t.Cleanup(func() { _ = syscall.Unmount(b.home.Dir(), syscall.MNT_DETACH) })
	b.stored(-1)
	before := b.file()
	l := b.open()
	if err := os.WriteFile(filepath.Join(b.home.Dir(), "fill"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	_, err := l.Login(t.Context(), "", LoginWay{Device: func(login.Prompt) { t.Error("shown") }})
	if file, ok := errors.AsType[*credentials.FileError](err); !ok || file.Problem != credentials.ProblemWrite || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("logging in: %v", err)
	}
	s, err := l.Source(login.ProviderOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("renewing: %v", err)
	}
	if _, err := l.Logout(t.Context(), login.ProviderOpenAI); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("logging out: %v", err)
	}
	if b.file() != before || b.issuer.Asked("/oauth/token") != 0 || len(b.issuer.Revoked()) != 0 {
		t.Errorf("the service was asked %d times; auth.json is %s", b.issuer.Asked("/oauth/token"), b.file())
	}
}
