//go:build unix

package uitest

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Started is when the program was started, just before the call that does it.
func (d *Driver) Started() time.Time { return d.began }

// CPU is the processor time that the program has used so far, to the
// nanosecond, without what it started. Once it has ended it is what the system
// accounted for. It is false where a running program's time is not to be had,
// which is everywhere but on Linux.
func (d *Driver) CPU() (time.Duration, bool) {
	select {
	case <-d.exited:
		p := d.cmd.ProcessState
		return p.UserTime() + p.SystemTime(), true
	default:
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", d.Pid()))
	if err != nil {
		return 0, false
	}
	var all time.Duration
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // a thread that has ended
		}
		var ran int64
		if _, err := fmt.Sscan(string(text), &ran); err != nil {
			return 0, false
		}
		all += time.Duration(ran)
	}
	return all, all > 0
}
