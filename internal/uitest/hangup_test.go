//go:build unix

package uitest

import (
	"syscall"
	"testing"
)

func TestHangup(t *testing.T) {
	d := Start(t, probed(t, "raw", Options{Plain: true, Args: []string{"ready", "stall"}}))
	if st := d.WaitFor(Contains("ready")).Hangup().Wait(); st != (ExitState{Code: -1, Signal: syscall.SIGHUP}) {
		t.Errorf("it %v", st)
	}
}
