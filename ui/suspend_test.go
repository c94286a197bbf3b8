//go:build unix

package ui_test

import (
	"os/exec"
	"syscall"
	"testing"

	. "hermes-tui/internal/uitest"
)

// jobs starts the program from a shell with job control, says when it is back there,
// and goes on with the program when a line was typed.
const jobs = `"$0"; echo "it is stopped"; read line; eval "$1"; fg >/dev/null; echo "it has ended"`

// reset has the shell put the terminal back by itself, as one does whose program was
// stopped without a chance to: the main screen, no mouse, no pastes in brackets.
const reset = `printf '\033[?1049l\033[?1002l\033[?1006l\033[?2004l\033[?1004l\033[?25h'`

// asked holds when the program has the whole screen and is told of the mouse, the focus
// and pastes.
func asked() Matcher {
	return Matches("has all modes", func(s Screen) bool { return s.Alt && s.Mouse && s.Focus && s.Paste && s.Cursor.Visible })
}

// TestSuspend stops the program by its key and by a signal. The shell has the terminal
// as it was; continued, the program draws all of it again.
func TestSuspend(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("SKIPPED: there is no shell")
	}
	start := func(t *testing.T) *Driver {
		return Start(t, Options{Bin: sh, Args: []string{"-mc", jobs, Build(t), reset}, Cols: 80, Rows: 24, Scenario: occupied()})
	}
	stops := map[string]func(d *Driver){
		"ctrl+z":  func(d *Driver) { d.Press("ctrl+z") },
		"SIGTSTP": func(d *Driver) { d.SignalForeground(syscall.SIGTSTP) },
		"SIGSTOP": func(d *Driver) { d.SignalForeground(syscall.SIGSTOP) },
	}
	for way, stop := range stops {
		t.Run(way, func(t *testing.T) {
			d := start(t)
			d.Type("hi").Press("enter").WaitIdle().Type("a draft").WaitIdle()
			stop(d)
			d.WaitFor(Contains("it is stopped"))
			if way != "SIGSTOP" { // which no program can see coming
				d.WaitFor(NotContains("a draft"), Matches("is the main one", func(s Screen) bool { return !s.Alt && s.Cursor.Visible }))
			}
			d.Resize(100, 30).Press("ctrl+j").WaitFor(Contains("Hello.", "a draft"), asked())
			d.WaitIdle().Expect(CursorAfter("a draft")).Press("ctrl+c").Press("ctrl+d").WaitFor(Contains("it has ended"))
			d.Wait()
			d.AssertRestored()
		})
	}
}

// TestSuspendWithoutAShell goes on: no one would continue it.
func TestSuspendWithoutAShell(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 80, Rows: 24, Scenario: occupied()})
	d.WaitIdle().Press("ctrl+z").Type("hi").Press("enter").WaitIdle().Expect(Contains("Hello."))
	d.Signal(syscall.SIGTSTP).Type("again").WaitIdle().Expect(CursorAfter("again"))
	left(t, d.Press("ctrl+c").Press("ctrl+d"), 0)
}
