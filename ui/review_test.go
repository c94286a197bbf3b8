//go:build unix

package ui_test

import (
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestReview decides about the hunks of an edit before it is made, and about what is left of
// them afterwards.
func TestReview(t *testing.T) {
	for _, size := range []struct{ cols, rows int }{{60, 20}, {100, 30}, {160, 45}} {
		before := strings.Repeat("kept\n", 9)
		d := Start(t, Options{Cols: size.cols, Rows: size.rows, Config: "approvals:\n  edits: ask\n", Scenario: answers(
			on("alter", call("write_file", map[string]any{"path": "f.txt", "content": "ONE\n" + before + "TWO\n" + before + "THREE\n"})),
			after("alter", 1, say("Then {{last_tool}}.")),
			on("", say("Understood: {{last_user}}.")),
		)})
		leave(t, d, "f.txt", "one\n"+before+"two\n"+before+"three\n")
		d.Type("alter").Press("enter").WaitFor(Contains("Review the changes")).WaitFor(Contains("f.txt  +3 −3 in 3 hunks"))
		d.WaitIdle().Press("tab").Press("e").WaitFor(Contains("wants to change")).WaitFor(Contains("3 undecided"))
		d.Press("a").WaitFor(Contains("✓ accepted")).WaitFor(Contains("2 undecided"))
		d.Press("r").Press("c").WaitFor(Contains("Comment on f.txt:21")).Type("why, and for whom?").Press("enter").WaitFor(Contains("“ why, and for whom?"))
		d.Press("esc").WaitFor(Contains("Review the changes"))               // nothing is answered
		d.WaitIdle().Press("tab").Press("e").WaitFor(Contains("✗ rejected")) // nor lost
		d.Press("e").WaitFor(Contains("In place of f.txt:21")).Type(" and four").Press("enter").WaitFor(Contains("✎ THREE and four"))
		if size.cols == 60 {
			d.Press("p").Press("c").Type("small").Press("enter")
		}
		d.WaitIdle().Press("enter").WaitFor(Contains("Then "))
		d.WaitIdle()
		if got, want := file(t, d, "f.txt"), "ONE\n"+before+"two\n"+before+"THREE and four\n"; got != want {
			t.Fatalf("%d columns: the file holds %q, want %q", size.cols, got, want)
		}
		d.Type("/review").Press("enter").WaitFor(Contains("Changed since “alter”"))
		d.Press("r").WaitFor(Contains("✗ rejected")).Press("enter").WaitFor(Contains("Understood: I have looked at what"))
		d.WaitIdle()
		if got, want := file(t, d, "f.txt"), "one\n"+before+"two\n"+before+"THREE and four\n"; got != want {
			t.Fatalf("%d columns: afterwards the file holds %q, want %q", size.cols, got, want)
		}
		d.Type("/review").Press("enter").WaitFor(Contains("This turn has changed no file."))
		d.Type("/review session").Press("enter").WaitFor(Contains("Changed since “alter”")).Press("esc").WaitFor(NotContains("Changed since"))
		d.WaitIdle().Press("f6").Press("up").Press("g").Press("d").WaitFor(Contains("Changed since “alter”")).WaitFor(Contains("THREE and four"))
	}
}

// TestReviewOfWhatIsWithdrawn looks at an edit whose question gets no answer in time: the
// window closes by itself, and the screen says why.
func TestReviewOfWhatIsWithdrawn(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 36, Config: "approvals:\n  edits: ask\n  timeout: 8\n", Scenario: answers(
		on("^go$", call("write_file", map[string]any{"path": "f.txt", "content": "ONE\n"})), after("^go$", 1, say("Then {{last_tool}}.")),
	)})
	d.Type("go").Press("enter").WaitFor(Contains("Review the changes"))
	d.Press("tab").Press("e").WaitFor(Contains("wants to change", "undecided"))
	d.WaitFor(NotContains("undecided"), Contains("got no answer in time"), Contains("Then "))
}
