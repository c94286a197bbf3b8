//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// behind is a call that starts a command in the background.
func inBackground(command string) script.Call {
	return call("terminal", map[string]any{"command": command, "background": true})
}

// pidIn reads the number of a process that wrote it into a file.
func pidIn(t *testing.T, d *Driver, name string) int {
	t.Helper()
	pid := 0
	wait(t, "no process has told its number", func() bool {
		text, err := os.ReadFile(filepath.Join(d.Dir(), name))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	return pid
}

// TestJobs lists background jobs, reads the output of one, goes back to the list,
// and ends it.
func TestJobs(t *testing.T) {
	t.Parallel()
	s := answers(
		on("serve", inBackground("echo $$ > pid; echo it has begun; exec sleep 300"), inBackground("echo short-lived; exit 3")),
		after("serve", 2, say("Both were started.")),
	)
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: s})
		d.Type("serve").Press("enter").WaitFor(Contains("Both were started."))
		pid := pidIn(t, d, "pid")
		d.Type("/jobs").Press("enter").WaitFor(Contains("Background jobs"), LineMatches(` running \d+s`), Contains("exit 3"), Contains("short-lived"))
		if cols >= 60 {
			d.Expect(Contains("esc close"), NotContains("x end"))
		}
		d.Press("down").WaitFor(Contains("it has begun"), Contains("x end"))
		d.Press("o").WaitFor(Contains("it has begun"), Contains("copy"), NotContains("Background jobs"))
		d.Press("esc").WaitFor(Contains("Background jobs"), Contains("it has begun"))
		d.Press("enter").WaitFor(NotContains("Background jobs")).Press("esc").WaitFor(Contains("Background jobs"))
		if syscall.Kill(pid, 0) != nil {
			t.Fatal("it ended by itself")
		}
		if d.Press("x"); rows > 10 {
			d.WaitFor(Contains("again to end the job"))
		}
		d.WaitSync().Expect(Contains(" running ")).Press("x").WaitFor(NotContains(" running "), Contains("ended"), NotContains("x end"))
		waitGone(t, pid)
		d.Press("esc").WaitFor(NotContains("Background jobs"))
		d.WaitIdle().Expect(CursorAfter("❯ "))
	})
}

// TestJobsAtRest holds that the window draws nothing while nothing in it changes,
// with all jobs over, and after it was closed.
func TestJobsAtRest(t *testing.T) {
	t.Parallel()
	s := answers(on("serve", inBackground("echo over")), after("serve", 1, say("Started.")))
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s})
	d.Type("serve").Press("enter").WaitFor(Contains("Started."))
	d.Type("/jobs").Press("enter").WaitFor(Contains("exit 0"), Contains("over"))
	d.WaitIdle().ExpectQuiet(time.Second)
	d.Press("esc").WaitIdle().ExpectQuiet(time.Second)
}

// TestJobFoundAgain ends the program with a job running, finds the job in the next
// one and ends it there.
func TestJobFoundAgain(t *testing.T) {
	t.Parallel()
	s := answers(on("serve", inBackground("echo $$ > pid; echo it has begun; exec sleep 300")), after("serve", 1, say("Started.")))
	for _, size := range sizes[:3] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s})
		d.Type("serve").Press("enter").WaitFor(Contains("Started."))
		d.WaitIdle()
		pid := pidIn(t, d, "pid")
		d.Kill9().Wait()
		if syscall.Kill(pid, 0) != nil {
			t.Skip("SKIPPED: the job ended with the program: there is no place here that keeps it")
		}
		again := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Home: d.Home(), Args: []string{"--continue"}})
		again.WaitFor(Contains("Started."))
		again.Type("/jobs").Press("enter").WaitFor(Contains("still running"))
		again.Press("x", "x").WaitFor(NotContains("still running"), Contains("ended"))
		waitGone(t, pid)
		again.Press("esc").WaitIdle().Quit()
		if st := again.Wait(); st.Code != 0 {
			t.Errorf("exit %+v", st)
		}
	}
}

// TestJobOutputCannotHarm shows a job that puts out wide characters and sequences
// that would move the cursor and clear the screen.
func TestJobOutputCannotHarm(t *testing.T) {
	t.Parallel()
	s := answers(
		on("serve", inBackground(`printf '\033[2J\033[H漢字漢字漢字 \033[31mred\033[0m \033]0;owned\007 %s\n' end; sleep 300`)),
		after("serve", 1, say("Started.")),
	)
	for _, size := range sizes[:3] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s})
		d.Type("serve").Press("enter").WaitFor(Contains("Started."))
		d.Type("/jobs").Press("enter").WaitFor(Contains("漢字漢字漢字 red"), Contains("Background jobs"), Contains("hermes ☤"))
		d.Resize(size[0]-7, size[1]-1).WaitFor(Contains("漢字漢字漢字 red"), Contains("Background jobs"))
		d.Press("x", "x").WaitFor(NotContains(" running "), Contains("ended"))
	}
}

// TestJobOutputGrows has the window with a job's output show what comes while it
// is open, at its end; where it was scrolled to, it stays.
func TestJobOutputGrows(t *testing.T) {
	t.Parallel()
	s := answers(on("serve", inBackground("sh work.sh")), after("serve", 1, say("Started.")))
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s})
	work := "seq 1 100; while [ ! -e go ]; do sleep 0.02; done; echo came later; while [ ! -e on ]; do sleep 0.02; done; echo at last; exec sleep 300"
	if err := os.WriteFile(filepath.Join(d.Dir(), "work.sh"), []byte(work), 0o644); err != nil {
		t.Fatal(err)
	}
	touch := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(d.Dir(), name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.Type("serve").Press("enter").WaitFor(Contains("Started."))
	d.Type("/jobs").Press("enter").WaitFor(Contains("Background jobs"), Contains("100"))
	d.Press("o").WaitFor(NotContains("Background jobs"), LineMatches(`│ +100 +│`), NotContains("came later"))
	touch("go")
	d.WaitFor(LineMatches(`│ +100 +│`), Contains("came later"), Contains("101 lines"))
	d.Press("home").WaitFor(LineMatches(`│ +1 +│`))
	touch("on")
	d.WaitFor(Contains("102 lines")).Expect(LineMatches(`│ +1 +│`), NotContains("at last"))
	d.Press("end").WaitFor(Contains("at last"))
	d.Press("esc").WaitFor(Contains("Background jobs")).Press("x", "x").WaitFor(NotContains(" running "), Contains("ended"))
}
