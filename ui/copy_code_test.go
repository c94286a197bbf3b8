//go:build unix

package ui_test

import (
	"fmt"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// numberedCode are n blocks of code.
func numberedCode(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "```\nline %d\n```\n\n", i+1)
	}
	return b.String()
}

// TestCopyCode copies the only block of code of an answer, one of several, and says
// so when there is none.
func TestCopyCode(t *testing.T) {
	t.Parallel()
	s := answers(
		on("one", say("Run this:\n\n```sh\nls \\\n  -l\n```\n\nThen look.")),
		on("two", say("Either\n\n```go\nfunc f() {}\n```\n\nor\n\n```py\nprint(1)\nprint(2)\n```\n")),
		on("many", say("Twelve.\n\n"+numberedCode(12))),
		on("plain", say("There is `no block` in it.")),
	)
	for _, size := range [][2]int{{100, 32}, {60, 20}, {40, 10}} {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s})
		d.Type("one").Press("enter").WaitFor(Contains("Then look.")).WaitIdle()
		d.Press("f6", "c").WaitFor(Contains("Copied 9"))
		if got := d.Clipboard(); got != "ls \\\n  -l" {
			t.Errorf("copied %q", got)
		}
		d.Press("esc").Type("two").Press("enter").WaitFor(Contains("print(2)")).WaitIdle()
		d.Press("f6", "c").WaitFor(Contains("1 go func f() {}"), LineMatches(`func f\(\) \{\} +1 *$`))
		if size[1] > 10 {
			d.Expect(LineMatches(`print\(1\) +2 *$`))
		}
		d.Press("2").WaitFor(Contains("Copied 17"), Not(LineMatches(`f\(\) \{\} +1`)))
		if got := d.Clipboard(); got != "print(1)\nprint(2)" {
			t.Errorf("copied %q", got)
		}
		d.Press("c", "esc").WaitFor(Not(LineMatches(`f\(\) \{\} +1`)), Contains("esc comes back")).Press("c", "k").WaitFor(Not(LineMatches(`f\(\) \{\} +1`)), Contains("▎❯ two"))
		d.Press("esc").Type("plain").Press("enter").WaitFor(Contains("no block")).WaitIdle()
		d.Press("f6", "c").WaitFor(Contains("There is no code block"))
		d.Press("esc").Type("many").Press("enter").WaitFor(Contains("│ line 12")).WaitIdle()
		d.Press("f6", "c").WaitFor(Contains("Copy a code block")).Type("12").WaitFor(Contains("12  line 12")).Press("enter").WaitFor(NotContains("Copy a code block"), Contains("Copied 7"))
		if got := d.Clipboard(); got != "line 12" {
			t.Errorf("copied %q", got)
		}
	}
}

// TestCopyPartsOfCalls copies the command of a call and its output: all of it, also what
// the transcript does not hold.
func TestCopyPartsOfCalls(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 32, Scenario: answers(
		on("count", run("seq 1 4000\ntrue")), after("count", 1, run("false")), after("count", 2, say("Counted.")),
	)})
	d.Type("count").Press("enter").WaitFor(Contains("Counted.")).WaitIdle()
	d.Press("f6", "up", "up").WaitFor(Contains("c copy command · r copy output")).Press("c").WaitIdle()
	if got := d.Clipboard(); got != "seq 1 4000\ntrue" {
		t.Errorf("the command is %q", got)
	}
	d.Press("r").WaitFor(Contains("Copied 18")).WaitIdle()
	if got := d.Clipboard(); !strings.HasPrefix(got, "1\n2\n3\n") || !strings.HasSuffix(got, "\n3999\n4000") {
		t.Errorf("the output is %.40q … %q", got, got[max(len(got)-40, 0):])
	}
	d.Press("down", "r").WaitFor(Contains("There is nothing to copy here"))
	d.Press("down", "r").WaitFor(Contains("Select a call first"))
}
