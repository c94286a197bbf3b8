//go:build linux

package effects_test

import (
	"strings"
	"testing"
)

// TestKilledMidway kills the program while a confined command and a job run. They may
// go on until the next start finds them; no helper and no proxy does, and the
// machine's mounts are what they were.
func TestKilledMidway(t *testing.T) {
	prepare(t)
	calls := []toolCall{
		call("terminal", map[string]any{"command": "./wait.sh job", "background": true}),
		command("./wait.sh; true"),
	}
	jobs := []job{
		{Mode: "guarded", Trust: true, Calls: calls, Setup: waiting, KillWhen: work + "/began", Seconds: 40},
	}
	for _, r := range machines(t, jobs) {
		if r.Note != "" {
			t.Error(r.Note)
		}
		for _, l := range r.Left {
			if strings.Contains(l, "hermes-tui") || strings.Contains(l, "memfd:") || !strings.Contains(l, "wait.sh") && !strings.HasPrefix(l, "sleep") && !strings.Contains(l, "bash") {
				t.Errorf("left: %s", l)
			}
		}
		if len(r.Mounts) > 0 {
			t.Errorf("mounts left:\n%s", strings.Join(r.Mounts, "\n"))
		}
		if !strings.Contains(strings.Join(r.In, "\n"), "+began") {
			t.Errorf("the command did not run: %v %s", r.Results, r.Stderr)
		}
	}
}

// waiting makes a program that says when it has begun and then waits.
const waiting = `printf '#!/bin/sh\n[ "$1" = job ] || touch began\nsleep 300\n' > wait.sh; chmod +x wait.sh`
