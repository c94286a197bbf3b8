//go:build unix

package ui_test

import (
	"syscall"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// TestSignalWithAStuckTerminal: the terminal takes nothing more. A signal ends what
// runs at once all the same, and then the program, which puts back the settings
// of the terminal.
func TestSignalWithAStuckTerminal(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			d := Start(t, Options{Cols: 200, Rows: 60, Scenario: occupied(), Timeout: 20 * time.Second})
			d.WaitIdle().Type("run").Press("enter")
			pid := hanging(t, d.Dir())
			d.StopReading()
			frames := 0
			wait(t, "it is not drawn", func() bool { // more than the system keeps
				d.Resize(200-frames%2, 60)
				frames++
				return frames > 100
			})
			d.Signal(signal)
			waitGone(t, pid)
			if st := d.Wait(); st.Signal != 0 || st.Code != 0 && st.Code != 130 {
				t.Errorf("it %v\n%s", st, d.Stderr())
			}
			d.AssertSettings()
			resume(t, d, Options{Cols: 80, Rows: 24, Scenario: occupied()}).Expect(Contains("❯ run", "interrupted")).Quit().Wait()
		})
	}
}
