package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/uitest"
)

// TestFirstProcess starts the program as process 1 with a child that is not its own: no
// zombie stays, and the exit code is that of the program.
func TestFirstProcess(t *testing.T) {
	unshare := []string{"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"}
	if out, err := exec.CommandContext(t.Context(), unshare[0], append(unshare[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no process can be the first one here: %v %s", err, out)
	}
	l := uitest.Prepare(t, uitest.Options{})
	script := `sleep 0.1 & exec "$0" exec -`
	cmd := exec.CommandContext(t.Context(), unshare[0], append(unshare[1:], "sh", "-c", script, l.Bin)...)
	cmd.Dir, cmd.Env = l.Dir, l.Env
	in, err := cmd.StdinPipe() // open: the program waits for its prompt
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := awaitChildren(t, cmd.Process.Pid, func(names string) bool { return strings.Contains(names, "hermes-tui") })
	awaitChildren(t, first, func(names string) bool { return !strings.Contains(names, "sleep") })
	_ = in.Close()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("it ended with %v, want 2: there was no prompt", err)
	}
}

// awaitChildren waits until the names of the children of a process are as they should be, and
// returns the first child.
func awaitChildren(t *testing.T, pid int, fit func(names string) bool) (first int) {
	t.Helper()
	names := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		names, first = "", 0
		for _, child := range strings.Fields(string(list)) {
			name, _ := os.ReadFile("/proc/" + child + "/stat")
			names += string(name)
			if first == 0 {
				_, _ = fmt.Sscan(child, &first)
			}
		}
		if fit(names) {
			return first
		}
	}
	t.Fatalf("the children of %d are %q", pid, names)
	return 0
}
