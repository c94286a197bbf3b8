//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// TestJourneys plays the scripts of testdata/journey, one for each way that a user goes: the
// built program in a terminal, with keys and the rows that are expected. A script holds what
// answers (scenario.json) and further settings (config.yaml). Beside the usual commands of
// testscript there are:
//
//	start [COLSxROWS] [ARG...]   starts the program and waits for its first prompt
//	type TEXT                    types
//	press KEY...                 presses keys
//	paste FILE                   pastes the text of a file
//	wheel up|down N              turns the wheel
//	resize COLSxROWS             resizes the window
//	[!] shows TEXT...            waits until all texts are shown; with !, until the program
//	                             rests and shows none
//	row REGEXP                   waits for a row that matches
//	rows FILE                    waits for the rows of a file, one below the other
//	written TEXT FILE            waits until the file holds the text
//	kill                         kills the program
//	quit                         quits, which has to end with 0
func TestJourneys(t *testing.T) {
	uitest.Build(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "journey"),
		Setup: func(e *testscript.Env) error {
			tb, ok := e.T().(testing.TB)
			if !ok {
				return fmt.Errorf("%T is no testing.TB", e.T())
			}
			e.Values[journeyKey{}] = &journey{t: tb}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": begin,
			"type":  step(1, func(j *journey, args []string) { j.d.Type(args[0]) }),
			"press": step(1, func(j *journey, args []string) { j.d.Press(args...) }),
			"paste": step(1, func(j *journey, args []string) { j.d.Paste(j.file(args[0])) }),
			"wheel": step(2, func(j *journey, args []string) { j.wheel(args[0], args[1]) }),
			"resize": step(1, func(j *journey, args []string) {
				size, _ := dimensions(args[0])
				j.d.Resize(size[0], size[1])
			}),
			"shows": shows,
			"row":   step(1, func(j *journey, args []string) { j.d.WaitFor(uitest.LineMatches(args[0])) }),
			"rows": step(1, func(j *journey, args []string) {
				j.d.WaitFor(uitest.Contains(strings.TrimSuffix(j.file(args[0]), "\n")))
			}),
			"written": step(2, func(j *journey, args []string) {
				deadline := time.Now().Add(patience)
				for !strings.Contains(j.file(args[1]), args[0]) {
					if time.Now().After(deadline) {
						j.ts.Fatalf("%s never held %q", args[1], args[0])
					}
					time.Sleep(time.Millisecond)
				}
			}),
			"kill": step(0, func(j *journey, _ []string) { j.d.Kill9() }),
			"quit": step(0, func(j *journey, _ []string) {
				if state := j.d.WaitIdle().Quit().Wait(); state.Code != exitOK {
					j.ts.Fatalf("it ends with %+v: %s", state, j.d.Stderr())
				}
			}),
		},
	})
}

type journeyKey struct{}

// journey is a script that is played.
type journey struct {
	t  testing.TB
	ts *testscript.TestScript
	d  *uitest.Driver
}

// file returns the text of a file of the script.
func (j *journey) file(name string) string {
	text, err := os.ReadFile(j.ts.MkAbs(name))
	j.ts.Check(err)
	return string(text)
}

func (j *journey) wheel(to, times string) {
	direction := uitest.Down
	if to == "up" {
		direction = uitest.Up
	}
	n, err := strconv.Atoi(times)
	j.ts.Check(err)
	j.d.Wheel(10, 10, direction, n)
}

// step makes a command that needs at least some arguments and a program that runs.
func step(least int, do func(*journey, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		j := ts.Value(journeyKey{}).(*journey)
		if neg || len(args) < least || j.d == nil {
			ts.Fatalf("too few arguments, nothing started, or a ! that means nothing")
		}
		j.ts = ts
		do(j, args)
	}
}

// begin starts the program with what the script holds.
func begin(ts *testscript.TestScript, _ bool, args []string) {
	j := ts.Value(journeyKey{}).(*journey)
	j.ts = ts
	o := uitest.Options{Config: "approvals: {mode: manual}\n"} // which questions come depends on no machine
	if len(args) > 0 {
		if size, ok := dimensions(args[0]); ok {
			o.Cols, o.Rows, args = size[0], size[1], args[1:]
		}
	}
	o.Args = slices.Clone(args)
	for i, arg := range o.Args {
		if i > 0 && o.Args[i-1] == "--record" {
			o.Args[i] = ts.MkAbs(arg)
		}
	}
	s, err := script.Load(ts.MkAbs("scenario.json"))
	ts.Check(err)
	o.Scenario = s
	if text, err := os.ReadFile(ts.MkAbs("config.yaml")); err == nil {
		o.Config += string(text)
	} else if !os.IsNotExist(err) {
		ts.Check(err)
	}
	j.d = uitest.Start(j.t, o)
	j.d.WaitFor(uitest.Contains("What do you want to do?")).WaitIdle()
}

func shows(ts *testscript.TestScript, neg bool, args []string) {
	step(1, func(j *journey, args []string) {
		if neg {
			j.d.WaitIdle().Expect(uitest.NotContains(args...))
			return
		}
		j.d.WaitFor(uitest.Contains(args...))
	})(ts, false, args)
}

// dimensions reads a size such as 70x20.
func dimensions(text string) (size [2]int, ok bool) {
	n, err := fmt.Sscanf(text, "%dx%d", &size[0], &size[1])
	return size, err == nil && n == 2
}
