package credentials

import (
	"context"
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

// inTinyDisk runs a test again in a process that has a file system of 64 KB of
// its own; without the right to make one the test is skipped.
func inTinyDisk(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	const env = "CREDENTIALS_TINY_DISK"
	if dir := os.Getenv(env); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
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

// tinyRig is a rig on the tiny disk.
func tinyRig(t *testing.T, dir, content string) *rig {
	t.Helper()
	r := &rig{t: t, dir: dir, file: filepath.Join(dir, "auth.json"), clock: &clock{at: noon}, reports: &reports{}}
	r.write(content)
	r.Store = r.open(Options{File: r.file})
	return r
}

// fill takes all room that is left, and gives a function that frees it.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "fill")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

// On a full disk the file stays as it is, statuses hold in memory and are written
// once there is room, and no token is spent.
func TestFullDisk(t *testing.T) {
	inTinyDisk(t, func(t *testing.T, dir string) {
		content := strings.Replace(loginFile(noon), `"svc":[`, `"openrouter":[{"id":"bbbbbb","label":"one","access_token":"k1"},{"id":"cccccc","label":"two","access_token":"k2","priority":1}],"svc":[`, 1)
		r := tinyRig(t, dir, content)
		free := fill(t, dir)
		p := r.pool("openrouter", PoolOptions{})
		err := pick(t, p, Want{}).Failed(t.Context(), Failure{Code: 429})
		wantFileError(t, err, r.file, ProblemWrite, "no space left on device")
		if l := pick(t, p, Want{}); l.Label != "two" {
			t.Errorf("picked %v", l)
		}
		_, err = p.Add(t.Context(), New{Label: "three", Key: "k3"})
		wantFileError(t, err, r.file, ProblemWrite, "no space left on device")
		if got := labels(p.List()); got != "one two" {
			t.Errorf("added although it failed: %s", got)
		}
		i := &issuer{clock: r.clock}
		_, err = r.pool("svc", PoolOptions{Refresh: i.refresh}).Pick(t.Context(), Want{})
		if calls, _ := i.counts(); calls != 0 || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%d tokens spent, %v", calls, err)
		}
		if r.text() != content {
			t.Error("the file changed")
		}
		free()
		if l := pick(t, p, Want{}); l.Label != "two" {
			t.Errorf("picked %v", l)
		}
		if r.row("openrouter", "bbbbbb")["last_status"] != "exhausted" {
			t.Error("the mark was not written")
		}
	})
}

// A disk that fills up between spending a token and storing the next one: that
// one holds in memory and is stored as soon as there is room.
func TestDiskFillsDuringRenewal(t *testing.T) {
	inTinyDisk(t, func(t *testing.T, dir string) {
		r := tinyRig(t, dir, loginFile(noon))
		i := &issuer{clock: r.clock}
		var free func()
		p := r.pool("svc", PoolOptions{Refresh: func(ctx context.Context, c Credential) (Refreshed, error) {
			if free == nil {
				free = fill(t, dir)
			}
			return i.refresh(ctx, c)
		}})
		for range 2 {
			if l := pick(t, p, Want{}); l.Key() != "at-1" {
				t.Errorf("key %s", l.Key())
			}
		}
		if got := r.reports.all(); len(got) != 1 || !strings.Contains(got[0], "no space left") {
			t.Errorf("reports %q", got)
		}
		if row := r.row("svc", "aaaaaa"); row["refresh_token"] != "rt-0" {
			t.Errorf("row %v", row)
		}
		if err := r.Close(t.Context()); err == nil {
			t.Error("closed without an error, although a login is lost")
		}
		free()
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if row := r.row("svc", "aaaaaa"); row["refresh_token"] != "rt-1" || row["access_token"] != "at-1" {
			t.Errorf("row %v", row)
		}
	})
}

func TestReadOnlyDisk(t *testing.T) {
	inTinyDisk(t, func(t *testing.T, dir string) {
		r := tinyRig(t, dir, twoKeys)
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		p := r.pool("openrouter", PoolOptions{Strategy: RoundRobin})
		var got []string
		for range 4 {
			got = append(got, pick(t, p, Want{}).Label)
		}
		if strings.Join(got, " ") != "one two one two" {
			t.Errorf("picked %v", got)
		}
		if got := r.reports.all(); len(got) != 1 || !strings.Contains(got[0], "read-only file system") {
			t.Errorf("reports %q", got)
		}
		err := pick(t, p, Want{}).Failed(t.Context(), Failure{Code: 429})
		wantFileError(t, err, r.file, ProblemWrite, "read-only file system")
		if next, ok := p.Next(noon); !ok || !next.Equal(noon.Add(time.Hour)) {
			t.Errorf("next %v", next)
		}
	})
}
