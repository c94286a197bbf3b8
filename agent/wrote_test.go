package agent

import (
	"fmt"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/delegate"
	"hermes-tui/tools/process"
)

func TestWrote(t *testing.T) {
	note := awareOpen + "\n- \"a.go\" has changed" + awareClose
	attached := tools.Attach([]tools.Attached{{Name: "a.go", Text: "package a"}})
	for content, want := range map[string]string{
		"plain": "plain", "two\nlines\n": "two\nlines", "": "", " \n": "",
		"asked" + note: "asked", "asked" + attached: "asked", "asked" + note + attached: "asked",
		"look [image a.png]" + fmt.Sprintf(lostImage, "a.png") + note: "look [image a.png]",
		"what is [note from the program] about?":                      "what is [note from the program] about?",
	} {
		if got, ok := tools.Wrote(content); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", content, got, ok)
		}
	}
	for _, notice := range []string{
		process.Notice{Kind: process.Completion, ID: "proc_1", Command: "make"}.Text(),
		delegate.Completion("deleg_1", "count", delegate.Report{Summary: "two"}),
		"[note from the program; the user did not write it]\nA hook of the user says that this is not finished:\nx\n[end of the note]",
	} {
		if got, ok := tools.Wrote(notice); ok {
			t.Errorf("a notice is taken for what the user wrote: %q", got)
		}
	}
}
