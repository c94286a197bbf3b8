package place

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// The descriptors that the helper finds its instructions on and says on what
// went wrong.
const (
	toldFD   = 3
	statusFD = 4
)

// SandboxMain does the work of the helper of a [Sandbox] when the arguments of
// the program, os.Args, say so: it restricts the process and becomes the program
// that is to run. It must be called before anything else in main, and main must
// end with code when it was handled.
func SandboxMain(args []string) (handled bool, code int) {
	if len(args) < 2 || args[1] != helperWord {
		return false, 0
	}
	runtime.LockOSThread() // what is restricted is this thread, which becomes the program
	told := os.NewFile(toldFD, "instructions")
	status := os.NewFile(statusFD, "status")
	// What is open stays usable whatever is forbidden: the program gets nothing but
	// its input and output.
	err := unix.CloseRange(toldFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		err = become(told)
	}
	if err == nil {
		return true, 0 // it was a trial
	}
	var errno syscall.Errno
	_ = errors.As(err, &errno)
	if _, no := status.WriteString(strconv.Itoa(int(errno)) + "\n" + err.Error()); no != nil {
		fmt.Fprintln(os.Stderr, err) // called by hand
	}
	return true, 126
}

// become restricts the process and replaces it. It returns nil for a trial.
func become(told io.Reader) error {
	data, err := io.ReadAll(told)
	if err != nil {
		return fmt.Errorf("read what the sandbox is to be (%s is not meant to be called by hand): %w", helperWord, err)
	}
	var sp spec
	if err := json.Unmarshal(data, &sp); err != nil {
		return fmt.Errorf("read what the sandbox is to be: %w", err)
	}
	if sp.Mounts {
		if err := sp.arrange(); err != nil {
			return fmt.Errorf("arrange mounts: %w", err)
		}
		if err := reenter(); err != nil {
			return err
		}
	}
	if err := sp.restrict(); err != nil {
		return err
	}
	if sp.Probe {
		return nil
	}
	argv := text(sp.Argv)
	return &os.PathError{Op: "exec", Path: argv[0], Err: syscall.Exec(argv[0], argv, text(sp.Env))}
}

// reenter enters the working directory once more: what was entered before lies
// below the new mounts, and leads past them.
func reenter() error {
	dir, err := unix.Getwd()
	if err == nil {
		err = unix.Chdir(dir)
	}
	if err != nil {
		return fmt.Errorf("enter the working directory: %w", err)
	}
	return nil
}

// restrict takes away, for good, what the program may not do.
func (sp *spec) restrict() error {
	dropCapabilities()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := landlock(sp.ABI, sp.rules()); err != nil {
		return fmt.Errorf("confine to folders: %w", err)
	}
	program, err := filter(sp.Network)
	if err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	if err := load(program); err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}

// kept are the capabilities that root keeps: those over files and its own
// processes. Others never have any.
var kept = map[uintptr]bool{
	unix.CAP_CHOWN: true, unix.CAP_DAC_OVERRIDE: true, unix.CAP_FOWNER: true, unix.CAP_FSETID: true,
	unix.CAP_KILL: true, unix.CAP_SETGID: true, unix.CAP_SETUID: true, unix.CAP_NET_BIND_SERVICE: true,
}

// dropCapabilities lowers what the program can get. Who has none to lower has
// none to give.
func dropCapabilities() {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if !kept[c] {
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		}
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}
