package cli

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"hermes-tui/internal/uitest"
)

// TestExecInAPipeline waits for a command of the same pipeline that writes late, and not for the
// program that has started this one.
func TestExecInAPipeline(t *testing.T) {
	t.Parallel()
	b, server := with(t, on("", say("ok")))
	run := func(in bool, line string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line, uitest.Build(t))
		cmd.Args = append(cmd.Args, b.flags...)
		var errs bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stderr = b.dir, b.environ(), &errs
		if in {
			w, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
		}
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, errs.String())
		}
		return errs.String()
	}
	late := fmt.Sprintf(`(sleep %d; echo late) | "$0" "$@" exec why`, int(idleTime.Seconds())+1)
	holds(t, "stderr", run(false, late), "waiting for the command before it")
	holds(t, "stderr", run(true, `"$0" "$@" exec why`), "nothing came on the standard input")
	for i, want := range []string{"user: why\n\n<stdin>\nlate\n</stdin>", "user: why"} {
		if got := sent(t, server, i+1); strings.Join(got, "|") != want {
			t.Errorf("call %d sent %q", i, got)
		}
	}
}
