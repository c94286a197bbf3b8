package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hermes-tui/internal/uitest"
)

// TestScripts runs the scripts of testdata/script against the built program, each with
// an empty home. Beside the usual commands there are "exits CODE COMMAND ARG..." and
// "unpack FILE", of a tar.gz.
func TestScripts(t *testing.T) {
	bin := uitest.Build(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(bin)+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"unpack": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(unpack(ts.MkAbs(args[0]), ts.MkAbs(".")))
			},
		},
	})
}

// exits runs a command that is expected to end with a code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want := args[0]; strconv.Itoa(code) != want {
		ts.Fatalf("%v ends with %d, not %s", args[1:], code, want)
	}
}
