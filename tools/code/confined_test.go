package code

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

func TestMain(m *testing.M) {
	if handled, code := place.SandboxMain(os.Args); handled {
		os.Exit(code)
	}
	_ = flag.Set("test.parallel", "6") // most of the time they wait for each other; the command line still wins
	os.Exit(m.Run())
}

// A confined script writes only in its folder, calls tools through the gate, and runs
// once more with all rights when the user says so.
func TestConfinedScript(t *testing.T) {
	b := heldBench(t)
	outside := filepath.Join(filepath.Dir(b.root), "outside")
	write := `open("inside", "w").write("x"); open(` + tools.JSON(outside) + `, "w").write("x")`
	r := b.script(write)
	if _, err := os.Stat(outside); err == nil || r.View.Ran != tools.RanConfined || !strings.Contains(r.Note, "changed") {
		t.Errorf("it wrote outside, or it is not said that it did not: %s", r.Content)
	}
	r = b.script("from hermes_tools import write_file\nprint(write_file('tool', 'x'))\nprint(open('tool').read())")
	if r.result.Status != "success" || r.Calls != 1 || !strings.HasSuffix(strings.TrimSpace(r.Output), "\nx") || r.Note != "" {
		t.Errorf("a tool of a confined script: %s", r.Content)
	}
	r = b.script("print('first'); open(" + tools.JSON(outside) + `, "w").write("x")`) // the host says yes, once
	if _, err := os.Stat(outside); err != nil || r.View.Ran != tools.RanOutside || strings.Count(r.View.Body, "first") < 2 || !strings.Contains(r.Note, "second run") {
		t.Errorf("not run again: %s\n%s", r.Content, r.View.Body)
	}
}
