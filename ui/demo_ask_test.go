//go:build unix

package ui_test

import (
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// TestDemoAsks holds that the demonstration shows a question for consent in the usual mode,
// and ticks the command only when it ran.
func TestDemoAsks(t *testing.T) {
	t.Parallel()
	for key, said := range map[string]string{"y": "Permission: allowed", "n": "Permission: denied"} {
		d := Start(t, Options{Cols: 110, Rows: 120, Args: []string{"--provider", "demo"}, Timeout: 2 * time.Minute})
		d.WaitIdle().Type("hello").Press("enter").WaitFor(Contains("What should I look at more closely?"))
		d.Press("tab", "1").WaitFor(Contains("wants to run", "hermes-demo-"))
		d.Press("tab", key).WaitFor(NotContains("wants to run"))
		d.WaitFor(Contains("Connect a real model", said)).WaitIdle()
		d.Quit().Wait()
	}
}
