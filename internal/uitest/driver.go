//go:build unix

package uitest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hermes-tui/internal/scripttest"
)

// Driver is a running program with a user in front of it. Its methods return
// the driver where there is nothing else to return, so that steps can be written
// in a row; they end the test when something goes wrong. A driver belongs to the
// goroutine of the test and is ended with it.
type Driver struct {
	t       testing.TB
	launch  Launch
	plain   bool
	races   bool // are ignored
	timeout time.Duration

	began   time.Time // when the program was started
	cmd     *exec.Cmd
	console *console
	term    *terminal
	input   *queue
	errs    string // file of standard error, empty if it is on the screen
	running sync.WaitGroup
	stuck   atomic.Bool   // nothing is read, see [Driver.StopReading]
	exited  chan struct{} // closed when the program has ended and all its output was read
	state   ExitState     // set before exited is closed

	cols, rows int
	marks      int  // replies sent to be counted
	behind     bool // something was sent, or the program started, since the last wait
	ends       bool // an enter or a paste was sent last
	bang       bool // a command of the user's was
	undrawn    bool // the size was changed and not drawn yet
	erased     int  // how often the screen had been erased when it was changed
	told       bool // a failure was reported with the screen
}

// drainTime is how long output is waited for that others still hold the
// terminal for, after the program has ended.
const drainTime = 2 * time.Second

// Start starts the program. It returns at once; the first input waits for the
// first frame.
func Start(t testing.TB, o Options) *Driver {
	t.Helper()
	d := &Driver{
		t: t, launch: Prepare(t, o), plain: o.Plain, races: o.IgnoreRaces, timeout: o.Timeout, cols: o.Cols, rows: o.Rows,
		input: newQueue(), exited: make(chan struct{}), behind: true,
	}
	if d.cols <= 0 || d.rows <= 0 {
		d.cols, d.rows = 120, 36
	}
	if d.timeout == 0 {
		d.timeout = 10 * time.Second
		if raced {
			d.timeout *= 3
		}
	}
	d.term = newTerminal(d.cols, d.rows, o.Terminal)
	if err := d.start(o); err != nil {
		d.term.close()
		t.Fatal(err)
	}
	t.Cleanup(d.end)
	return d
}

// start starts the program and everything that listens to it.
func (d *Driver) start(o Options) error {
	cmd := exec.Command(d.launch.Bin, d.launch.Args...)
	cmd.Dir, cmd.Env = d.launch.Dir, d.launch.Env
	if !o.StderrOnScreen {
		file, err := os.Create(filepath.Join(d.t.TempDir(), "stderr"))
		if err != nil {
			return err
		}
		defer file.Close()
		cmd.Stderr, d.errs = file, file.Name()
	}
	c, err := startConsole(cmd, d.cols, d.rows, &d.began)
	if err != nil {
		return err
	}
	d.cmd, d.console = cmd, c
	ended := make(chan struct{})
	read := make(chan struct{})
	d.running.Go(func() { d.input.drain(c.file) })
	d.running.Go(func() {
		if o.Terminal.Silent {
			discard(d.term.answers())
			return
		}
		d.input.copyFrom(d.term.answers())
	})
	d.running.Go(func() {
		defer close(read)
		show(&stuckReader{c.file, &d.stuck, ended}, d.term, o.Tap)
	})
	d.running.Go(func() {
		d.wait()
		close(ended)
	})
	d.running.Go(func() {
		<-ended
		_ = c.file.SetReadDeadline(time.Now().Add(drainTime))
		<-read
		d.term.end()
		close(d.exited)
	})
	return nil
}

// wait waits for the process.
func (d *Driver) wait() {
	err := d.cmd.Wait()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		d.state = ExitState{Code: -1}
		return
	}
	d.state = exitState(d.cmd.ProcessState)
}

// end ends the program and waits for everything that belongs to it.
func (d *Driver) end() {
	select {
	case <-d.exited:
	default:
		// The program leads a group; what it started in groups of its own is its
		// own to end.
		_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
		<-d.exited
	}
	if d.t.Failed() && !d.told {
		d.t.Log(d.report())
	}
	if errs := d.Stderr(); strings.Contains(errs, "WARNING: DATA RACE") && !d.races {
		d.t.Errorf("the program has a data race:\n%s", errs)
	}
	d.input.close()
	d.term.close()
	d.console.close()
	d.running.Wait()
}

// Home is the HERMES_HOME of the program. With it and [Options.Home] the program
// can be started again where it was.
func (d *Driver) Home() string { return d.launch.Home }

// Dir is where the program was started.
func (d *Driver) Dir() string { return d.launch.Dir }

// Server plays the scenario; nil without one. It knows the requests.
func (d *Driver) Server() *scripttest.Server { return d.launch.Server }

// Pid is the process id of the program.
func (d *Driver) Pid() int { return d.cmd.Process.Pid }

// Stderr is what the program wrote to standard error, unless that goes to the
// screen.
func (d *Driver) Stderr() string {
	if d.errs == "" {
		return ""
	}
	text, err := os.ReadFile(d.errs)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Bytes counts what the program has written to the terminal so far.
func (d *Driver) Bytes() int64 {
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	return d.term.bytes
}

// Output is the newest of what the program wrote to the terminal, as it was
// written, at least the last 64 KB.
func (d *Driver) Output() string {
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	return string(d.term.tail)
}

// Clipboard is what the program put into the clipboard last (OSC 52).
func (d *Driver) Clipboard() string {
	d.settle()
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	return d.term.clip
}

// Notifications are the texts the program sent to be shown on the desktop
// (OSC 9, 99 and 777), oldest first.
func (d *Driver) Notifications() []string {
	d.settle()
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	return append([]string(nil), d.term.notes...)
}

// Bells counts how often the program rang the bell.
func (d *Driver) Bells() int {
	d.settle()
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	return d.term.bells
}

// History are the rows that have left the main screen at its top, oldest first,
// 5,000 at most.
func (d *Driver) History() []string {
	d.settle()
	return d.term.history()
}
