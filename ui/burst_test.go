//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"hermes-tui/providers/script"

	. "hermes-tui/internal/uitest"
)

// TestBurstIsPaste has a terminal paste without marks: nothing of it is sent, run or taken
// for a command, and the turn that runs goes on.
func TestBurstIsPaste(t *testing.T) {
	t.Parallel()
	const text = "Fix this:\rnpm ERR! code ELIFECYCLE\r!touch pasted-ran\r/new\r\r    at foo (bar.js:1)\r\rlast line\r"
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("work", say("I am at it."), script.Stall{}), on("Fix this", say("Fixed."))), Home: t.TempDir()})
	for _, gap := range []time.Duration{0, time.Second / 1200} {
		d.Type("work").Press("enter").WaitFor(Contains("I am at it.", "esc interrupt"))
		if gap == 0 {
			d.Send(text)
		} else {
			line := time.NewTicker(gap)
			for i := range len(text) {
				d.Send(text[i : i+1])
				<-line.C
			}
			line.Stop()
		}
		d.WaitFor(Any(Contains("last line"), Contains(" lines]"), Contains("asted"))).WaitSync().Expect(Contains("esc interrupt"), NotContains("queued"), NotContains("interrupted"))
		d.Press("esc").WaitFor(Contains("interrupted")).WaitIdle().Press("enter").WaitFor(Contains("Fixed.")).WaitIdle()
		if _, err := os.Stat(filepath.Join(d.Dir(), "pasted-ran")); err == nil {
			t.Fatal("a line of the paste was run")
		}
		d.Type("/new").Press("enter").WaitFor(NotContains("Fixed."))
	}
	for _, attack := range []string{"!touch owned\r", "\x1b[200~\x1b[201~!touch owned\r\x1b[201~", "\x1b[200~x\x1b[201~\x15!touch owned\r\x1b[201~"} {
		d.Send(attack).WaitIdle().Press("ctrl+c").WaitIdle()
		if _, err := os.Stat(filepath.Join(d.Dir(), "owned")); err == nil {
			t.Fatalf("%q ran", attack)
		}
	}
	d.Type("!touch typed").Press("enter")
	wait(t, "the typed command does not run", func() bool { _, err := os.Stat(filepath.Join(d.Dir(), "typed")); return err == nil })
	d.Quit().Wait()
}

// TestBurstAnswersNothing pastes without marks over a question, and types an answer.
func TestBurstAnswersNothing(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Config: manual, Scenario: answers(on("make", run("touch made")), after("make", 1, say("Made.")))})
	d.Type("make").Press("enter").WaitFor(Contains("wants to run", "touch made")).WaitIdle().Press("tab").WaitIdle()
	d.Send("y\r2\ry\r").WaitIdle().Expect(Contains("wants to run"))
	if _, err := os.Stat(filepath.Join(d.Dir(), "made")); err == nil {
		t.Fatal("the paste has answered")
	}
	d.Press("tab", "y", "enter").WaitFor(Contains("Made."))
}

// TestCutSequences has what a terminal sends come in two pieces, a while apart.
func TestCutSequences(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("work", say("I am at it."), script.Stall{}))})
	d.Type("work").Press("enter").WaitFor(Contains("I am at it.", "esc interrupt"))
	pause := time.NewTimer(0)
	<-pause.C
	for _, seq := range []string{"\x1b[<35;51;18M", "\x1b]11;rgb:1e1e/1e1e/2e2e\x07", "\x1b[?62;22c"} {
		d.Send("\x1b[<35;50;18M")
		for cut := 1; cut < len(seq); cut++ {
			d.Send(seq[:cut])
			pause.Reset(70 * time.Millisecond)
			<-pause.C
			d.Send(seq[cut:])
		}
	}
	d.WaitSync().Expect(Contains("esc interrupt"), CursorAfter("❯ "))
	d.Press("esc").WaitFor(Contains("interrupted"))
}
