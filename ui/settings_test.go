//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// settingsFile edits config.yaml while the program runs.
type settingsFile struct {
	t    *testing.T
	path string
	base string
}

func newSettingsFile(t *testing.T, d *Driver) settingsFile {
	t.Helper()
	path := filepath.Join(d.Home(), "config.yaml")
	base, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return settingsFile{t, path, string(base)}
}

// set makes the file what it was at the start, and more.
func (f settingsFile) set(more string) {
	f.t.Helper()
	if err := os.WriteFile(f.path, []byte(f.base+more), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// replace is set by another file under its name, as editors do it.
func (f settingsFile) replace(more string) {
	f.t.Helper()
	if err := os.WriteFile(f.path+"~", []byte(f.base+more), 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(f.path+"~", f.path); err != nil {
		f.t.Fatal(err)
	}
}

// TestSettingsWhileRunning edits config.yaml under a running program: what takes effect
// at once does, what cannot be used changes nothing, and a line says either.
func TestSettingsWhileRunning(t *testing.T) {
	t.Parallel()
	s := answers(
		on("list", call("terminal", map[string]any{"command": "ls"})), after("list", 1, say("Listed.")),
		on("again", call("terminal", map[string]any{"command": "ls"})), after("again", 1, say("I may not.")),
		on("", say("One.")),
	)
	d := Start(t, Options{Cols: 110, Rows: 40, Scenario: s})
	d.WaitFor(Contains("Type what you want done")).WaitIdle()
	f := newSettingsFile(t, d)
	f.set("display: {busy_input_mode: steer}\nagent: {max_turns: 7}\n")
	d.WaitFor(Contains("Settings have changed"), Contains("display.busy_input_mode"), Contains("agent.max_turns"))

	// A broken edit says where, once, and changes nothing; so does a rule that cannot be
	// read. Another odd value is passed over, and the rest of the file counts.
	const usable = "display: {busy_input_mode: steer}\nagent: {max_turns: 7}\n"
	for i, broken := range []struct{ text, says string }{
		{"display: {busy_input_mode: queue\n", "config.yaml, line "},
		{"display: {busy_input_mode: queue}\napprovals: {deny: [[ls]]}\n", "approvals.deny"},
	} {
		f.set(broken.text)
		d.WaitFor(Count("cannot be used, so the settings stay as they were", i+1), Contains(broken.says))
		f.replace(usable)
		d.WaitFor(Count("can be used again; no setting has changed", i+1))
	}
	f.set("display: {busy_input_mode: shout}\nagent: {max_turns: 8}\n")
	d.WaitFor(Contains("display.busy_input_mode must be queue, steer or interrupt", `not "shout"; it is ignored`), Count("agent.max_turns", 2))
	f.replace(usable)
	d.WaitFor(Count("agent.max_turns", 3))

	// A rule that forbids holds from the next question on.
	d.Type("list").Press("enter").WaitFor(Contains("Listed.")).WaitIdle()
	f.replace("approvals: {deny: [\"terminal(ls *)\"]}\n")
	d.WaitFor(Contains("at once: approvals.deny"))
	d.Type("again").Press("enter").WaitFor(Contains("I may not.")).WaitIdle().Expect(Contains("⊘ terminal", "the rule terminal(ls *) forbids it"))
	d.Type("/permissions").Press("enter").WaitFor(Contains("deny terminal(ls *)")).Press("esc").WaitIdle()

	// What the program writes itself is not told, and the file may go and come.
	d.Type("/theme light").Press("enter").WaitIdle()
	f.set("display: {theme: light, show_reasoning: false}\n")
	d.WaitFor(Contains("display.show_reasoning"), NotContains("display.theme"))
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		f.set(fmt.Sprintf("agent: {max_turns: %d}\n", 10+i))
	}
	f.set("paste_collapse_threshold: 2\n")
	d.WaitFor(Contains("paste_collapse_threshold"))
	d.Paste("a\nb\nc\nd\n").WaitFor(Contains("4 lines")).Press("ctrl+c").WaitIdle()
}

// TestSettingsForTheNextTurn changes how many calls a turn may make: the turn that runs
// keeps what it began with, the next one does not.
func TestSettingsForTheNextTurn(t *testing.T) {
	t.Parallel()
	look := call("search_files", map[string]any{"pattern": "a", "target": "files"})
	s := answers(on("first", look), after("first", 1, say("Found.")), on("second", look), after("second", 1, say("Found again.")))
	d := Start(t, Options{Cols: 110, Rows: 32, Scenario: s})
	d.WaitFor(Contains("Type what you want done")).WaitIdle()
	d.Type("first").Press("enter").WaitFor(Contains("Found.")).WaitIdle()
	newSettingsFile(t, d).set("agent: {max_turns: 1}\n")
	d.WaitFor(Contains("with the next turn: agent.max_turns"))
	d.Type("second").Press("enter").WaitIdle().Expect(NotContains("Found again."))
}
