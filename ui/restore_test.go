//go:build unix

package ui_test

import (
	"errors"
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

// exits are the ways out of the program that are open at any time.
var exits = map[string]func(*Driver){
	"ctrl+d":  func(d *Driver) { d.Quit() },
	"SIGINT":  func(d *Driver) { d.Signal(syscall.SIGINT) },
	"SIGTERM": func(d *Driver) { d.Signal(syscall.SIGTERM) },
	"SIGHUP":  func(d *Driver) { d.Signal(syscall.SIGHUP) },
}

// hangs is a command that leaves its process id in a file and does not end.
const hangs = "echo $$ >pid; exec sleep 120"

// occupations are what the program may be in the middle of.
var occupations = map[string]func(t *testing.T, d *Driver){
	"at rest": func(_ *testing.T, d *Driver) { d.WaitIdle() },
	"streaming": func(_ *testing.T, d *Driver) {
		d.Type("stream").Press("enter").WaitFor(Contains("half an answer"))
	},
	"in a tool": func(t *testing.T, d *Driver) {
		d.Type("run").Press("enter")
		pid := hanging(t, d.Dir())
		t.Cleanup(func() { waitGone(t, pid) })
	},
	"asking": func(_ *testing.T, d *Driver) {
		d.Type("ask").Press("enter").WaitFor(Contains("wants to run", "▸ 1 Deny"))
	},
	"in a window": func(_ *testing.T, d *Driver) { d.WaitIdle().Press("?").WaitFor(Contains("Keys and commands")) },
}

// occupied is a scenario for the occupations.
func occupied() *script.Scenario {
	return answers(
		on("^hi$", say("Hello.")),
		on("^stream$", say("half an answer"), script.Stall{}),
		on("^run$", run(hangs)),
		on("^ask$", run("rm -rf old")),
	)
}

// hanging waits until the command hangs runs and returns its process id.
func hanging(t *testing.T, dir string) int {
	t.Helper()
	pid := 0
	wait(t, "the tool did not start", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	return pid
}

// wait waits until something holds that nothing tells of.
func wait(t *testing.T, failure string, holds func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	late := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-look.C:
		case <-late:
			t.Fatal(failure)
		}
	}
}

// waitGone waits until a process is gone. One that has ended and that no one has
// asked about does not count.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	wait(t, "process "+strconv.Itoa(pid)+" is still there", func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil {
			_, after, _ := strings.Cut(string(stat), ") ")
			return strings.HasPrefix(after, "Z")
		}
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
}

// left checks that the program has left the terminal to the user: as it was,
// with a visible cursor at the start of an empty row and the title of before,
// and with no answer of the terminal typed into the shell.
func left(t *testing.T, d *Driver, code int) {
	t.Helper()
	if st := d.Wait(); st != (ExitState{Code: code}) {
		t.Errorf("it %v, not with code %d\n%s", st, code, d.Stderr())
	}
	d.AssertRestored()
	d.Expect(Title("a shell"), NotContains("^["), Matches("is the main one with a cursor at the start of an empty row", func(s Screen) bool {
		return !s.Alt && s.Cursor.Visible && s.Cursor.X == 0 && s.Line(s.Cursor.Y) == ""
	}))
}

// TestLeavingRestoresTheTerminal leaves in every way out of every occupation.
func TestLeavingRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	for doing, occupy := range occupations {
		for way, leave := range exits {
			t.Run(way+" "+doing, func(t *testing.T) {
				d := Start(t, Options{Cols: 80, Rows: 24, Config: askDeletions, Scenario: occupied()})
				d.Type("hi").Press("enter").WaitIdle()
				occupy(t, d)
				leave(d)
				left(t, d, 0)
				d.Expect(LineMatches(`^To resume: hermes-tui --resume \d{8}_\d{6}_[0-9a-f]{6}$`))
			})
		}
	}
}

// TestTypedWaysOut leaves by command and by the second ctrl+c, and does not leave
// by what only looks like it.
func TestTypedWaysOut(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) *Driver {
		d := Start(t, Options{Cols: 80, Rows: 24, Config: askDeletions, Scenario: occupied()})
		return d.Type("hi").Press("enter").WaitIdle()
	}
	t.Run("/quit", func(t *testing.T) {
		d := start(t).Type("/quit").Press("enter")
		left(t, d, 0)
		d.Expect(Contains("❯ hi\n\nHello.\n\nTo resume: hermes-tui --resume "))
	})
	t.Run("ctrl+c twice", func(t *testing.T) {
		d := start(t).Press("ctrl+c").WaitFor(Contains("Press ctrl+c again to quit."))
		left(t, d.Press("ctrl+c"), 0)
	})
	t.Run("ctrl+d on a draft", func(t *testing.T) {
		d := start(t).Type("unsent").Press("ctrl+d").Expect(Contains("ctrl+d quits"), CursorAfter("unsent"))
		d.Press("esc").Expect(CursorAfter("unsent"))
		d.Press("ctrl+c").Expect(Contains("Draft cleared"), NotContains("unsent"))
		left(t, d.Press("ctrl+d"), 0)
	})
}

// terminals are terminals that differ in what has to be put back.
var terminals = map[string]Terminal{
	"kitty": {Kitty: true}, "light": {Light: true}, "silent": {Silent: true}, "plain": {NoSync: true, NoGraphemes: true},
}

func TestLeavingRestoresEveryTerminal(t *testing.T) {
	t.Parallel()
	for name, kind := range terminals {
		for _, way := range []string{"ctrl+d", "SIGTERM"} {
			t.Run(way+" on a "+name+" terminal", func(t *testing.T) {
				d := Start(t, Options{Cols: 80, Rows: 24, Terminal: kind, Config: askDeletions, Scenario: occupied()})
				d.WaitIdle().Press("?").WaitFor(Contains("Keys and commands"))
				exits[way](d)
				left(t, d, 0)
			})
		}
	}
}

// TestLeavingAtOnce leaves while the answers of the terminal are on their way.
// They must not be typed into the shell.
func TestLeavingAtOnce(t *testing.T) {
	t.Parallel()
	all := map[string]Terminal{"usual": {}}
	for name, kind := range terminals {
		all[name] = kind
	}
	for name, kind := range all {
		t.Run("signal on a "+name+" terminal", func(t *testing.T) {
			d := Start(t, Options{Cols: 80, Rows: 24, Terminal: kind, Config: askDeletions, Scenario: occupied()})
			d.WaitFor(Contains("hermes"))
			left(t, d.Signal(syscall.SIGTERM), 0)
		})
		t.Run("failure on a "+name+" terminal", func(t *testing.T) {
			home := filepath.Join(t.TempDir(), ".hermes")
			if err := errors.Join(os.Mkdir(home, 0o700), os.WriteFile(filepath.Join(home, "state.db"), []byte("a letter"), 0o600)); err != nil {
				t.Fatal(err)
			}
			d := Start(t, Options{Cols: 80, Rows: 24, Terminal: kind, Config: askDeletions, Scenario: occupied(), Home: home})
			left(t, d, 3)
			if got := d.Stderr(); !strings.HasPrefix(got, "hermes-tui: "+home) || strings.Count(got, "\n") != 1 {
				t.Errorf("it says %q", got)
			}
		})
	}
}

// TestHangup closes the terminal in the middle of everything. The program ends,
// with all it had started, and what was said is there the next time.
func TestHangup(t *testing.T) {
	t.Parallel()
	for doing, occupy := range occupations {
		t.Run(doing, func(t *testing.T) {
			o := Options{Cols: 80, Rows: 24, Config: askDeletions, Scenario: occupied(), IgnoreRaces: true}
			d := Start(t, o)
			d.Type("hi").Press("enter").WaitIdle()
			occupy(t, d)
			if st := d.Hangup().Wait(); st != (ExitState{}) || d.Stderr() != "" {
				t.Errorf("it %v and says %q", st, d.Stderr())
			}
			again := resume(t, d, o).Expect(Contains("❯ hi", "Hello."), NotContains("wants to run", "ask for approval"))
			again.Type("hi").Press("enter").WaitIdle().Expect(Count("Hello.", 2))
			sent(t, again)
			left(t, again.Quit(), 0)
		})
	}
}
