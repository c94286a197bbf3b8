//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestModeOffIsChosen: no key alone leads to the mode that protects nothing. It takes its
// name and a yes, and a turn that runs goes on as it began.
func TestModeOffIsChosen(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Config: manual, Scenario: answers(
		on("first", run("while [ ! -e go ]; do sleep 0.05; done; touch waited")), after("first", 1, run("touch made")), after("first", 2, say("Both are over.")),
		on("second", run("touch unasked")), after("second", 1, say("That was not asked about.")),
	)})
	d.WaitIdle()
	for range 3 {
		d.Press("shift+tab").WaitFor(Contains("◇ plan")).Press("shift+tab").WaitFor(Contains("◆ manual"))
	}
	d.Type("first").Press("enter").WaitFor(Contains("touch waited", "wants to run")).WaitIdle().Press("tab", "y", "enter").WaitFor(NotContains("wants to run"))
	for _, leave := range []string{"esc", "enter"} {
		d.WaitSync().Type("/mode off").Press("enter").WaitFor(Contains("Switch all questions off?", "nothing is confined")).Press(leave).WaitFor(NotContains("Switch all"))
	}
	d.WaitFor(Contains("⚠ approvals off", "from the next turn on"))
	if err := os.WriteFile(filepath.Join(d.Dir(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.WaitFor(Contains("touch made", "wants to run")).WaitIdle()
	if _, err := os.Stat(filepath.Join(d.Dir(), "made")); err == nil {
		t.Fatal("the running turn was loosened")
	}
	d.Press("tab", "y", "enter").WaitFor(Contains("Both are over.")).WaitIdle()
	d.Type("second").Press("enter").WaitFor(Contains("That was not asked about."))
	d.Press("shift+tab").WaitFor(Any(Contains("◆ guarded"), Contains("◆ manual"))).Press("shift+tab").WaitFor(Contains("◇ plan"))
	d.Type("/mode").Press("enter").WaitFor(Contains("Approval mode")).Type("off").WaitIdle().Press("enter").WaitFor(Contains("Switch all questions off?"))
	d.Press("esc").WaitFor(Contains("◇ plan")).Quit().Wait()
}

// TestLinearModeOff asks in lines as well.
func TestLinearModeOff(t *testing.T) {
	t.Parallel()
	d, p := lines(t, Options{Cols: 100, Rows: 40, Config: manual, Scenario: answers()})
	d.Type("/mode off").Press("enter").WaitFor(Contains("nothing is confined", "Answer yes"))
	d.Type("perhaps").Press("enter").WaitFor(Contains("not done, mode manual stays"))
	d.Type("/mode OFF").Press("enter").WaitFor(Count("Answer yes", 2)).Type("yes").Press("enter").WaitFor(Contains("mode off."))
	d.Quit().Wait()
	p.plain(t)
}
