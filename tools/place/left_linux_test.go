package place

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLeft: what a process leaves running is counted, goes on writing to nowhere, and is found
// and ended as a whole. What ends with it is not counted.
func TestLeft(t *testing.T) { // by itself: others watch who writes
	work := t.TempDir()
	places := map[string]Place{"plain": newLocal(t)}
	if g, err := NewGuarded(t.Context(), newLocal(t), GuardedOptions{Roots: []string{work}}); err == nil {
		t.Cleanup(func() { _ = g.Close() })
		places["confined"] = g
	}
	server := alone + ` sh -c 'while echo tick; do echo >> beats; sleep 0.01; done; echo > broke' & ` + alone + ` sleep 600 >/dev/null 2>&1 & until [ -s beats ]; do sleep 0.01; done`
	for name, at := range places {
		for script, want := range map[string]int{server: 2, "true | cat": 0} {
			t.Run(fmt.Sprint(name, " ", want), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				dir, err := os.MkdirTemp(work, "")
				if err != nil {
					t.Fatal(err)
				}
				spec := Proc{Argv: []string{"/bin/sh", "-c", script}, Dir: dir, Env: os.Environ(), Stdout: new(bytes.Buffer)}
				if name == "confined" {
					spec.Confine = &Confine{}
				} else {
					spec.Leashed = true
				}
				p, err := at.Start(ctx, spec)
				if err != nil {
					t.Fatal(err)
				}
				exit, err := p.Wait()
				left := exit.Left
				if err != nil || exit.Code != 0 || left.Count < want || want == 0 && left.Count > 0 {
					t.Fatalf("%+v %v", exit, err)
				}
				if want == 0 {
					return
				}
				goesOn(t, dir)
				ctx, cancel = context.WithCancel(t.Context())
				again, err := at.Adopt(ctx, left.Ref)
				if err != nil {
					t.Fatal(err)
				}
				all := again.(*process).descendants()
				cancel()
				_, _ = again.Wait()
				var pids []int
				for _, m := range all {
					pids = append(pids, m.pid)
				}
				gone(t, append(pids, left.PID))
			})
		}
	}
}

// goesOn waits until what writes into a folder has done so for a while.
func goesOn(t *testing.T, dir string) {
	t.Helper()
	beats := func() int {
		data, _ := os.ReadFile(filepath.Join(dir, "beats"))
		return strings.Count(string(data), "\n")
	}
	for from, until := beats(), time.Now().Add(30*time.Second); beats() < from+20; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "broke")); err == nil || time.Now().After(until) {
			t.Fatal(fmt.Sprint("it could not write on: ", err))
		}
	}
}
