//go:build linux || darwin

package place

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// playOrphans is a program that makes a scratch folder, starts three processes with logs and
// waits to be killed.
func playOrphans() int {
	l, err := NewLocal(Options{Env: os.Environ()})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	empty, _, err := l.Scratch()
	dir, _, err2 := l.Scratch()
	if err != nil || err2 != nil {
		fmt.Println(err, err2)
		return 1
	}
	for name, script := range map[string]string{
		"flood": "exec yes 0123456789012345678901234567890123456789012345678901234567890",
		"calm":  "echo calm; exec sleep 600",
		"over":  "echo over",
	} {
		p, err := l.Start(context.Background(), Proc{
			Argv: []string{"/bin/sh", "-c", script}, Dir: "/", Env: testEnv, Log: filepath.Join(dir, name+".log"),
		})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if name == "over" {
			_, _ = p.Wait()
		}
	}
	fmt.Println(empty, dir)
	select {}
}

// What a killed program has left is found by the next one: its scratch folders, a
// process that writes without end, and the logs that someone may still come for.
func TestTidy(t *testing.T) {
	next := newLocal(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), rolePlayed+"=orphans", "TMPDIR="+next.info.Temp, "HOME="+next.info.Home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var empty, dir string
	if _, err := fmt.Fscan(out, &empty, &dir); err != nil {
		t.Fatal(err)
	}
	own, remove, err := next.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(next.info.Temp, "hermes-ffff.1.1-0123456789abcdef01234567")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	tidy := func() {
		t.Helper()
		if err := next.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	flood, calm := filepath.Join(dir, "flood.log"), filepath.Join(dir, "calm.log")
	waitFor(t, func() bool { st, err := os.Stat(flood); return err == nil && st.Size() > maxOrphanLog })
	tidy()
	for _, there := range []string{empty, dir, own} {
		if _, err := os.Stat(there); err != nil {
			t.Errorf("taken from a program that runs: %v", err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	tidy()
	if _, err := os.Stat(empty); err == nil {
		t.Error("the empty folder is still there")
	}
	for _, there := range []string{own, foreign, calm, filepath.Join(dir, "over.log")} {
		if _, err := os.Stat(there); err != nil {
			t.Errorf("gone: %v", err)
		}
	}
	if _, _, err := findRef(read(t, flood+LogRef)); err == nil {
		t.Error("what writes without end still runs")
	}
	if text := read(t, flood); len(text) != keptOrphanLog || !strings.Contains(text, "67890\n01234") {
		t.Errorf("%d bytes are left of its log", len(text))
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := next.Adopt(ctx, read(t, calm+LogRef))
	if err != nil {
		t.Fatalf("the calm one was ended: %v", err)
	}
	cancel()
	_, _ = p.Wait() // it was ended
	old := time.Now().Add(-2 * keepOrphans)
	for _, name := range []string{"flood.log", "calm.log", "over.log"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	tidy()
	if _, err := os.Stat(dir); err == nil {
		t.Error("old logs are still there")
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
}
