//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestFinishedOutputStays runs commands to their end: what they have put out is
// still to be seen, and of a failure what explains it.
func TestFinishedOutputStays(t *testing.T) {
	t.Parallel()
	s := answers(
		on("go", run("echo v1.2.3"), run("seq 1 2000"),
			run("echo 'fatal: no such remote' >&2; echo; echo Please make sure; echo you have access; echo rights; echo 'and the repository exists.'; exit 128")),
		after("go", 3, say("all done")),
	)
	d := Start(t, Options{Cols: 100, Rows: 40, Scenario: s})
	d.Type("go").Press("enter").WaitFor(Contains("all done"))
	d.WaitIdle().Expect(
		LineMatches(`^\s+v1\.2\.3\s*$`),
		LineMatches(`^\s+2000 lines, 8\.9 kB\s*$`), LineMatches(`^\s+1997\s*$`), LineMatches(`^\s+2000\s*$`),
		Contains("exit 128"), Contains("fatal: no such remote"), NotContains("and the repository exists."),
	)
	d.Press("f6", "up", "up", "enter").WaitIdle().Expect(Contains("last 12 of 2000 lines"))
}
