package place

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// openFiles counts the open files of a process.
func openFiles(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Many confined processes, some of which cannot start or are ended, leave nothing open
// in this program or in the helper.
func TestGuardedLeavesNothingOpen(t *testing.T) {
	sock := filepath.Join(tempDir(t), "x")
	if err := os.WriteFile(sock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g, work := newGuarded(t, GuardedOptions{Hidden: []string{sock}})
	round := func() {
		if out, exit := g.run(t, work, "echo x > f && rm f", &Confine{}); exit.Code != 0 {
			t.Fatalf("%+v, %s", exit, out)
		}
		if _, err := g.Start(t.Context(), Proc{Argv: []string{"/no/such"}, Dir: work, Confine: &Confine{}}); err == nil {
			t.Fatal("it started")
		}
		ctx, cancel := context.WithCancel(t.Context())
		p, err := g.Start(ctx, Proc{Argv: []string{g.info.Shell, "-c", "sleep 60 & sleep 60"}, Dir: work, Env: testEnv, TTY: &Size{24, 80}, Confine: &Confine{}})
		cancel()
		if err == nil && !wait(t, p, 30*time.Second).Killed {
			t.Error("it was not killed")
		}
	}
	for range 5 {
		round()
	}
	helper := g.box.system.helper.cmd.Process.Pid
	ours, theirs := openFiles(t, os.Getpid()), openFiles(t, helper)
	for range 25 {
		round()
	}
	if now := g.box.system.helper.cmd.Process.Pid; now != helper {
		t.Fatal("the helper was started again")
	}
	if now := openFiles(t, os.Getpid()); now > ours+2 {
		t.Errorf("%d descriptors, %d before", now, ours)
	}
	if now := openFiles(t, helper); now > theirs {
		t.Errorf("the helper has %d descriptors, %d before", now, theirs)
	}
	for end := time.Now().Add(10 * time.Second); g.left(); { // what was killed has yet to go
		if time.Now().After(end) {
			t.Fatal("something still runs")
		}
	}
}

// A helper that is killed is started again for the next process, and what runs goes on.
func TestGuardedHelperKilled(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	p, err := g.Start(t.Context(), Proc{Argv: []string{g.info.Shell, "-c", "until test -e go; do sleep 0.02; done; echo x > ../outside || touch held"}, Dir: work, Env: testEnv, Confine: &Confine{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.box.system.helper.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-g.box.system.helper.gone
	if out, exit := g.run(t, work, "touch go && cat /etc/passwd > ../outside", &Confine{}); exit.Code == 0 || !strings.Contains(out, "outside") {
		t.Errorf("after the helper: %+v, %s", exit, out)
	}
	wait(t, p, 30*time.Second)
	for name, want := range map[string]bool{"held": true, "../outside": false} {
		if _, err := os.Lstat(filepath.Join(work, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if g.left() {
		t.Error("something still runs")
	}
}

// Where the workspace is gone nothing starts, and the error names it; one that comes back
// is used.
func TestGuardedWorkspaceGone(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	_, err := g.Start(t.Context(), Proc{Argv: []string{g.info.Shell, "-c", "true"}, Dir: "/", Env: testEnv, Confine: &Confine{}})
	if err == nil || !strings.Contains(err.Error(), work) {
		t.Errorf("without a workspace: %v", err)
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, exit := g.run(t, work, "echo x > f && cat f", &Confine{}); exit.Code != 0 || out != "x\n" {
		t.Errorf("with it again: %+v, %s", exit, out)
	}
}

// A workspace that goes while a process runs in it neither holds that process up nor
// has it write elsewhere.
func TestGuardedWorkspaceGoesMeanwhile(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	p, err := g.Start(t.Context(), Proc{Argv: []string{g.info.Shell, "-c", "touch here; while test -e here; do sleep 0.02; done; ! echo x > made && ! echo x > ../outside"}, Dir: work, Env: testEnv, Confine: &Confine{}})
	if err != nil {
		t.Fatal(err)
	}
	awaitFile(t, filepath.Join(work, "here"), "")
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, p, 30*time.Second); exit.Code != 0 {
		t.Errorf("%+v", exit)
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(work), "outside")); err == nil {
		t.Error("it wrote outside")
	}
}

// The path of a workspace may be long.
func TestGuardedLongPath(t *testing.T) {
	long := filepath.Join(tempDir(t), strings.Repeat("a", 200), strings.Repeat("b", 200))
	if err := os.MkdirAll(long, 0o755); err != nil {
		t.Fatal(err)
	}
	g, _ := newGuarded(t, GuardedOptions{Roots: []string{long}, ReadOnly: []string{filepath.Join(long, "kept")}})
	if out, exit := g.run(t, long, "echo x > f && cat f; echo x > ../outside", &Confine{}); exit.Code == 0 || !strings.HasPrefix(out, "x\n") {
		t.Errorf("%+v, %s", exit, out)
	}
}

// left reports whether a confined process runs.
func (g *Guarded) left() bool {
	return len(dwellers(g.box.system.spaces, g.box.system.helper.cmd.Process.Pid, nil)) > 0
}
