//go:build linux

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// wakeUps counts how often the threads of a process have waited for something and
// gone on.
func wakeUps(t *testing.T, pid int) int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		t.Skip("SKIPPED: this system does not tell what threads do")
	}
	sum := 0
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // it has ended
		}
		var n int
		for line := range strings.Lines(string(text)) {
			if _, err := fmt.Sscanf(line, "voluntary_ctxt_switches: %d", &n); err == nil {
				sum += n
			}
		}
	}
	return sum
}

// TestNothingWakesAtRest holds the program to no timer at all when nothing goes on,
// after a turn whose stop-watches and animation have ended. What still ends after
// the start has its time first, the runtime's own cleaning up among it.
func TestNothingWakesAtRest(t *testing.T) {
	t.Parallel()
	const rest = 3 * time.Second
	quiet := func(t *testing.T, d *Driver) {
		t.Helper()
		n := 0
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
			before := wakeUps(t, d.Pid())
			pause(rest)
			if n = wakeUps(t, d.Pid()) - before; n == 0 {
				return
			}
		}
		t.Errorf("it wakes %d times in %v", n, rest)
	}
	d := Start(t, Options{Scenario: occupied()})
	d.Type("hi").Press("enter").WaitIdle()
	quiet(t, d)
	left(t, d.Quit(), 0)
}
