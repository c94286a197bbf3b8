//go:build unix

package code

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestChildrenDieWithTheCall leaves processes behind in every way that can be
// found.
func TestChildrenDieWithTheCall(t *testing.T) { everyWay(t, testChildrenDieWithTheCall) }

func testChildrenDieWithTheCall(t *testing.T, newBench maker) {
	b := newBench(t)
	r := b.script(`
import os, subprocess, sys, time
kept = [subprocess.Popen(["sleep", "1000"]).pid, subprocess.Popen(["sleep", "1000"], start_new_session=True).pid]
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(w, b"%d\n" % os.getpid())
        while True:
            time.sleep(1)
    os._exit(0)
kept.append(int(os.read(r, 20)))
print(*kept)
`)
	pids := strings.Fields(r.Output)
	if r.result.Status != "success" || len(pids) != 3 {
		t.Fatalf("got %s", r.Content)
	}
	for _, pid := range pids {
		gone(t, pid)
	}
}

// TestScriptEndsWithTheAgent kills the program that runs a script, here and at the
// other end of a connection.
func TestScriptEndsWithTheAgent(t *testing.T) {
	const pidVariable, hostVariable = "CODE_TEST_PID_FILE", "CODE_TEST_SSHD"
	if file := os.Getenv(pidVariable); file != "" { // this is the program to be killed
		b := newBench(t)
		if dir, port, remote := strings.Cut(os.Getenv(hostVariable), ":"); remote {
			number, err := strconv.Atoi(port)
			if err != nil {
				t.Fatal(err)
			}
			b = sshd{dir, number}.bench(t)
		}
		b.script("import os, time\nopen(" + strconv.Quote(file+".new") + ", 'w').write(str(os.getpid()))\n" +
			"os.rename(" + strconv.Quote(file+".new") + ", " + strconv.Quote(file) + ")\ntime.sleep(1000)")
		return
	}
	t.Run("here", func(t *testing.T) { endsWithTheAgent(t, pidVariable, "") })
	t.Run("ssh", func(t *testing.T) {
		host := startSSHD(t)
		host.bench(t) // skips without Python there
		endsWithTheAgent(t, pidVariable, hostVariable+"="+host.dir+":"+strconv.Itoa(host.port))
	})
}

func endsWithTheAgent(t *testing.T, pidVariable, host string) {
	newBench(t) // skips without Python
	temp, err := os.MkdirTemp("/tmp", "killed")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	file := filepath.Join(temp, "pid")
	agent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestScriptEndsWithTheAgent$")
	agent.Env = append(os.Environ(), pidVariable+"="+file, tempVariable+"="+temp, "TMPDIR="+temp, host)
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	within(t, 60*time.Second, func() bool {
		text, err := os.ReadFile(file)
		pid, _ = strconv.Atoi(string(text))
		return err == nil
	})
	if err := agent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = agent.Wait() // it was killed
	within(t, 30*time.Second, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ")
	})
}

// within waits for a condition.
func within(t *testing.T, limit time.Duration, met func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(limit); !met(); {
		select {
		case <-late:
			t.Fatalf("not within %v", limit)
		case <-tick.C:
		}
	}
}

// gone wants a process to have ended.
func gone(t *testing.T, text string) {
	t.Helper()
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d is still there", pid)
		}
		return
	}
	if stat, err := os.ReadFile("/proc/" + text + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %d is still there: %s", pid, stat)
	}
}
