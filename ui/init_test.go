//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestInit has the agent write AGENTS.md, and asks before one that is there is changed.
func TestInit(t *testing.T) {
	t.Parallel()
	write := call("write_file", map[string]any{"path": "AGENTS.md", "content": "# Project\n\nMind the gap.\n"})
	d := Start(t, Options{Cols: 100, Rows: 34, Scenario: answers(
		on("about the gap", write), after("about the gap", 1, say("Written.")), on("already: read it first", say("Nothing to change.")),
	)})
	d.Type("/init about the gap").Press("enter").WaitFor(Contains("AGENTS.md"), Contains("▸ 1 Deny"))
	choose(d, "Allow once").Press("enter").WaitFor(Contains("Written."))
	text, err := os.ReadFile(filepath.Join(d.Dir(), "AGENTS.md"))
	if err != nil || string(text) != "# Project\n\nMind the gap.\n" {
		t.Fatalf("%q, %v", text, err)
	}
	d.WaitIdle().Type("/init").Press("enter").WaitFor(Contains("Change AGENTS.md?"))
	d.Press("esc").WaitFor(NotContains("Change AGENTS.md?")).Expect(NotContains("Nothing to change."))
	d.Type("/init").Press("enter").WaitFor(Contains("Change AGENTS.md?")).Press("enter").WaitFor(Contains("Nothing to change."))
	d.WaitIdle()
}
