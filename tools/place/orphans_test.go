//go:build linux || darwin

package place

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// playOrphans is a program that makes a scratch folder, starts three processes with logs and
// waits to be killed.
func playOrphans() int {
	l, err := NewLocal(Options{Env: os.Environ(), Scratch: os.Getenv("OWN")})
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
		"flood": "ulimit -f 600000; exec yes 0123456789012345678901234567890123456789012345678901234567890",
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
	next.own = filepath.Join(tempDir(t), "run")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), rolePlayed+"=orphans", "TMPDIR="+next.info.Temp, "HOME="+next.info.Home, "OWN="+next.own)
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
	foreign := filepath.Join(next.own, "ffff.1.1-01234567")
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

// TestTidyTrustsNothingOfOthers holds that a folder among the temporary files, where confined
// processes can write, ends no process and changes no file, whatever its name. A link in the
// folder of a killed program is removed, and its target stays.
func TestTidyTrustsNothingOfOthers(t *testing.T) {
	next := newLocal(t)
	next.own = filepath.Join(tempDir(t), "run")
	ended, err := startOfEnded()
	if err != nil {
		t.Fatal(err)
	}
	victim, log := filepath.Join(next.info.Home, "victim"), filepath.Join(tempDir(t), "log")
	write(t, victim, "alive")
	ctx, cancel := context.WithCancel(t.Context())
	p, err := next.Start(ctx, Proc{Argv: []string{"/bin/sh", "-c", "exec sleep 600"}, Dir: "/", Env: testEnv, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _, _ = p.Wait() }()
	forge := func(dir string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "job"+LogRef), p.Ref())
		write(t, filepath.Join(dir, "job"), "")
		if err := os.Truncate(filepath.Join(dir, "job"), maxOrphanLog+1); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{tempPrefix + ended + "-x", ended + "-x"} {
		forge(filepath.Join(next.info.Temp, name))
	}
	own, gone := filepath.Join(next.own, ended+"-01234567"), filepath.Join(next.info.Temp, tempPrefix+"0123456789ab")
	below := filepath.Join(own, "below")
	err = errors.Join(os.MkdirAll(below, 0o700), os.Symlink(gone, filepath.Join(own, tempLink)), os.Symlink(next.info.Home, gone))
	if _, _, short := next.Shorten(below); errors.Join(err, short) != nil { // which the killed program had made
		t.Fatal(err, short)
	}
	if err := next.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !memberOf(p.PID(), p.(*process).self.start).alive() {
		t.Error("it ended a process on the word of others")
	}
	if got := read(t, victim); got != "alive" {
		t.Errorf("the file is %q", got)
	}
	if _, err := os.Lstat(gone); err == nil {
		t.Error("the link stays")
	}
	if _, err := os.Lstat(own); err == nil {
		t.Error("what the killed program has left stays")
	}
	if list, _ := os.ReadDir(next.info.Temp); len(list) != 2 {
		t.Errorf("%d entries among the temporary files", len(list))
	}
	// The folder is looked into only while no one else can write there.
	forge(filepath.Join(next.own, ended+"-76543210"))
	if err := os.Chmod(next.own, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := next.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !memberOf(p.PID(), p.(*process).self.start).alive() {
		t.Error("it ended a process on the word of a folder that is open to all")
	}
}

// startOfEnded begins the name of a scratch folder of a program that has ended.
func startOfEnded() (string, error) {
	cmd := exec.Command("/bin/sh", "-c", "exit 0")
	err := cmd.Run()
	return processSpace() + "." + strconv.Itoa(cmd.Process.Pid) + ".1", err
}
