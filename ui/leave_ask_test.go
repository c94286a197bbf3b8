//go:build unix

package ui_test

import (
	"runtime"
	"syscall"
	"testing"

	"hermes-tui/providers/script"

	. "hermes-tui/internal/uitest"
)

// working is a session with a background job, and an answer that does not end.
func working(t *testing.T) (d *Driver, pid int) {
	t.Helper()
	d = Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(
		on("serve", inBackground("echo $$ > pid; exec sleep 300")), after("serve", 1, say("It serves."), script.Stall{}),
	)})
	d.Type("serve").Press("enter").WaitFor(Contains("It serves."))
	return d, pidIn(t, d, "pid")
}

// TestLeavingAsks holds that leaving names what it ends, and ends nothing unasked.
func TestLeavingAsks(t *testing.T) {
	t.Parallel()
	d, pid := working(t)
	d.Type("and then this").Press("enter").WaitFor(Contains("queued"))
	all := Contains("end what is running?", "still working", "Not sent yet: and then this", "In the background: ", "exec sleep 300", "esc stay")
	d.Press("ctrl+d").WaitFor(all).Press("esc").WaitFor(NotContains("esc stay"))
	d.Type("/quit").Press("enter").WaitFor(all).Press("esc").WaitFor(NotContains("esc stay"))
	if syscall.Kill(pid, 0) != nil {
		t.Fatal("the job has ended by itself")
	}
	d.Press("ctrl+d").WaitFor(all).Press("enter").Wait()
	waitGone(t, pid)
	d.Expect(Contains("Ended in the background: echo $$ > pid; exec sleep 300"))
}

// TestLeavingUnsent holds that the question says so if only an unsent message would be lost.
func TestLeavingUnsent(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("work", say("On it."), script.Stall{}))})
	d.Type("work").Press("enter").WaitFor(Contains("On it.")).Type("and then this").Press("enter").WaitFor(Contains("queued"))
	d.Press("esc").WaitFor(Contains("interrupted")).WaitIdle().Press("ctrl+d")
	d.WaitFor(Contains("Leave without sending?", "Not sent yet: and then this", "enter leave"), NotContains("running?"))
	d.Press("enter").Wait()
}

// TestLeavingByTheSameKey holds that a key which asks leaves when pressed again, also with a
// job of a session that is out of sight.
func TestLeavingByTheSameKey(t *testing.T) {
	t.Parallel()
	d, pid := working(t)
	d.Press("esc").WaitFor(Contains("interrupted")).WaitIdle()
	d.Type("/new").Press("enter").WaitFor(Contains("1 other session")).WaitIdle()
	d.Press("ctrl+c", "ctrl+c").WaitFor(Contains("exec sleep 300", "esc stay"), NotContains("still working"))
	d.Press("ctrl+c").Wait()
	waitGone(t, pid)
}

// TestHangupIsToldAtResume closes the terminal, which cannot be asked about: the next start
// says how the work ended.
func TestHangupIsToldAtResume(t *testing.T) {
	t.Parallel()
	d, pid := working(t)
	d.Hangup().Wait()
	waitGone(t, pid)
	again := Start(t, Options{Cols: 100, Rows: 30, Home: d.Home(), Scenario: answers(), Args: []string{"--continue"}})
	again.WaitFor(Contains("It serves.", "interrupted", "Ended when the program was closed: echo $$ > pid; exec sleep 300"))
	again.WaitIdle().Press("ctrl+d").Wait()
}

// TestLeavingNamesWhatGoesOn leaves a session in which a command with all rights has left
// something running: it goes on, and its command is named.
func TestLeavingNamesWhatGoesOn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: what left its group is found on Linux only")
	}
	const leaves = "setsid sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 & until [ -s pid ]; do sleep 0.01; done"
	d := Start(t, Options{Cols: 120, Rows: 30, Config: "approvals: {mode: \"off\"}\n", Scenario: answers(on("^go$", run(leaves)), after("^go$", 1, say("Finis.")))})
	d.Type("go").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	pid := pidIn(t, d, "pid")
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	d.Quit().Wait()
	d.Expect(Contains("Goes on: setsid sh -c"))
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("it does not go on: %v", err)
	}
}
