package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// helperEnv makes the test binary act as another process: its value names what
// to do.
const helperEnv = "ATOMICFILE_HELPER"

func TestMain(m *testing.M) {
	if task := os.Getenv(helperEnv); task != "" {
		os.Exit(help(task, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func help(task string, args []string) int {
	var err error
	switch task {
	case "hold": // lock, say so, hold until killed or stdin ends
		err = hold(args[0])
	default:
		err = helpUnix(task, args)
	}
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

func hold(path string) error {
	l, err := TryAcquire(path)
	if err != nil {
		return err
	}
	fmt.Println("locked")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return l.Close()
}

// helper prepares a helper process; the caller may change the command before
// it starts.
func helper(t *testing.T, task string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), helperEnv+"="+task, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// run starts a helper and gives what it printed.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// startHolder starts a process that holds the lock until it is killed or close is
// called on its standard input.
func startHolder(t *testing.T, path string) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := helper(t, "hold", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "locked\n" {
		t.Fatalf("helper said %q, %v", line, err)
	}
	return cmd, in
}
