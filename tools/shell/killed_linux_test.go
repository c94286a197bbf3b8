package shell

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-tui/tools/approval"
)

const heldVariable = "HERMES_TEST_HELD"

// TestHolding is the program that TestCommandEndsWithTheProgram kills.
func TestHolding(t *testing.T) {
	mode := os.Getenv(heldVariable)
	if mode == "" {
		t.Skip("NOT A TEST: it is started by TestCommandEndsWithTheProgram")
	}
	make := newBench
	if strings.HasPrefix(mode, "confined") {
		make = func(t testing.TB, change func(*Options)) *bench { b, _ := newHeld(t, change); return b }
	}
	b := make(t, func(o *Options) { o.Jobs = &jobs{place: o.Place} })
	if !strings.HasPrefix(mode, "confined") {
		b.mode = approval.ModeOff
	}
	fmt.Println("DIR " + b.dir + " ")
	b.call(t.Context(), map[string]any{
		"command": `trap "" TERM HUP; sh -c 'trap "" TERM HUP; echo $$ > a; sleep 600; true' & (setsid sh -c 'echo $$ > b; sleep 600; true' &) ; wait`, "pty": strings.HasSuffix(mode, "terminal"),
	}, nil)
}

// TestCommandEndsWithTheProgram kills the program while a command runs that ends of nothing
// but KILL. Nothing of it goes on, whether it has a terminal, and whether it is confined.
func TestCommandEndsWithTheProgram(t *testing.T) {
	for _, mode := range []string{"outside", "outside terminal", "confined", "confined terminal"} {
		t.Run(mode, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestHolding$", "-test.v")
			cmd.Env = append(os.Environ(), heldVariable+"="+mode, "TMPDIR="+t.TempDir())
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			for buf := make([]byte, 1000); !strings.Contains(said, "DIR "); {
				n, err := out.Read(buf)
				if said += string(buf[:n]); err != nil {
					if strings.Contains(said, "SKIP") {
						t.Skip("SKIPPED:", said)
					}
					t.Fatalf("%v: %s", err, said)
				}
			}
			dir := strings.Fields(said[strings.Index(said, "DIR "):])[1]
			pids := []int{waitPID(t, filepath.Join(dir, "a")), waitPID(t, filepath.Join(dir, "b"))}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			for _, pid := range pids {
				for until := time.Now().Add(20 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
					if time.Now().After(until) {
						_ = syscall.Kill(pid, syscall.SIGKILL)
						t.Fatalf("%d of %v goes on", pid, pids)
					}
				}
			}
		})
	}
}

// waitPID waits for a file with the number of a process.
func waitPID(t *testing.T, file string) int {
	t.Helper()
	for until := time.Now().Add(60 * time.Second); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if data, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(data), "\n") {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
				return pid
			}
		}
	}
	t.Fatal("the command did not begin")
	return 0
}

// running reports whether a process is there that was not only left unreaped.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
