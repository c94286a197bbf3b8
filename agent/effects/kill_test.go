//go:build linux

package effects_test

import (
	"strings"
	"syscall"
	"testing"
)

// TestKilledMidway ends the program by each signal that does so while a confined command and a job run. They may
// go on until the next start finds them; no helper and no proxy does, and the
// machine's mounts are what they were.
func TestKilledMidway(t *testing.T) {
	prepare(t)
	calls := []toolCall{
		call("terminal", map[string]any{"command": "./wait.sh job", "background": true}),
		command("./wait.sh; true"),
	}
	ways := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGSEGV}
	jobs := make([]job, len(ways))
	for i, by := range ways {
		jobs[i] = job{Mode: "guarded", Trust: true, Calls: calls, Setup: waiting, KillWhen: work + "/began", KillBy: by, Seconds: 40}
	}
	for i, r := range machines(t, jobs) {
		if r.Note != "" {
			t.Errorf("%v: %s", ways[i], r.Note)
		}
		for _, l := range r.Left {
			if strings.Contains(l, "hermes-tui") || strings.Contains(l, "memfd:") || !strings.Contains(l, "wait.sh") && !strings.HasPrefix(l, "sleep") && !strings.Contains(l, "bash") {
				t.Errorf("%v: left: %s", ways[i], l)
			}
		}
		if len(r.Mounts) > 0 {
			t.Errorf("%v: mounts left:\n%s", ways[i], strings.Join(r.Mounts, "\n"))
		}
		if !strings.Contains(strings.Join(r.In, "\n"), "+began") {
			t.Errorf("%v: the command did not run: %v %s", ways[i], r.Results, r.Stderr)
		}
	}
}

// waiting makes a program that says when it has begun and then waits.
const waiting = `printf '#!/bin/sh\n[ "$1" = job ] || touch began\nsleep 300\n' > wait.sh; chmod +x wait.sh`
