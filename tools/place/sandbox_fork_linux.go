package place

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fork is a process to be made by a raw call of the kernel: one that is a child of
// this process's parent, which waits for it, and that restricts itself before it
// becomes its program. Everything it needs stands here before, since between the two
// it may use nothing of Go: no memory is had, no stack grows, no lock is taken.
type fork struct {
	path, dir  *byte
	argv, env  []*byte
	files      [3]int // become its input, output and errors
	status     int    // takes a [failure] when it cannot become its program
	terminal   bool   // its input is to be its controlling terminal
	rules      int    // a ruleset of Landlock
	filter     *unix.SockFprog
	limit      unix.Rlimit // of open files
	processes  unix.Rlimit // of processes; none for root, whom the system does not hold to it
	ignored    [numSignals + 1]bool
	all, none  uint64     // sets of signals
	unset, old [4]uint64  // a default action, and room for one
	failed     [2]uint32  // a failure
	keep       [64]uint64 // 1 for a capability that is kept
}

const numSignals = 64

// What a process was doing when it could not become its program.
const (
	stepRestrict = iota
	stepDirectory
	stepExec
)

// newFork prepares what all forks of this process have in common.
// In a namespace for users only the processes in it are counted.
func newFork(limit unix.Rlimit, counted bool) fork {
	f := fork{all: ^uint64(0), limit: limit}
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &f.processes); err != nil || !counted || os.Geteuid() == 0 {
		f.processes = unix.Rlimit{}
	}
	f.processes.Cur, f.processes.Max = min(f.processes.Cur, maxProcesses), min(f.processes.Max, maxProcesses)
	for c := range kept {
		f.keep[c] = 1
	}
	for sig := 1; sig <= numSignals; sig++ {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&f.old)), 8, 0, 0)
		f.ignored[sig] = errno == 0 && f.old[0] == 1
	}
	return f
}

// start makes the process and gives its id.
func (f *fork) start() (int, error) {
	runtime.LockOSThread() // whose signals are held back
	defer runtime.UnlockOSThread()
	pid, errno := f.split()
	runtime.KeepAlive(f)
	if errno != 0 {
		return 0, fmt.Errorf("make a process: %w", errno)
	}
	return int(pid), nil
}

// split is where one process becomes two; only the parent returns.
//
//go:noinline
//go:norace
//go:nosplit
func (f *fork) split() (uintptr, syscall.Errno) {
	var mask uint64
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.all)), uintptr(unsafe.Pointer(&mask)), 8, 0, 0)
	flags, stack := uintptr(unix.CLONE_PARENT|unix.SIGCHLD), uintptr(0)
	if runtime.GOARCH == "s390x" {
		flags, stack = stack, flags
	}
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, flags, stack, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		f.become()
	}
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&mask)), 0, 8, 0, 0)
	return pid, errno
}

// become is what the new process does. It does not return.
//
//go:noinline
//go:norace
//go:nosplit
func (f *fork) become() {
	step, errno := uint32(stepRestrict), f.enter()
	if errno == 0 {
		step = stepDirectory
		_, _, errno = unix.RawSyscall(unix.SYS_CHDIR, uintptr(unsafe.Pointer(f.dir)), 0, 0)
	}
	if errno == 0 {
		step, errno = stepRestrict, f.restrict()
	}
	if errno == 0 {
		step = stepExec
		f.calm()
		_, _, errno = unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(f.path)), uintptr(unsafe.Pointer(&f.argv[0])), uintptr(unsafe.Pointer(&f.env[0])))
	}
	f.failed[0], f.failed[1] = step, uint32(errno)
	_, _, _ = unix.RawSyscall(unix.SYS_WRITE, uintptr(f.status), uintptr(unsafe.Pointer(&f.failed)), 8)
	for {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 126, 0, 0)
	}
}

// enter gives the process a session, its files and its terminal.
//
//go:norace
//go:nosplit
func (f *fork) enter() syscall.Errno {
	if _, _, errno := unix.RawSyscall(unix.SYS_SETSID, 0, 0, 0); errno != 0 {
		return errno
	}
	for i := range f.files {
		if _, _, errno := unix.RawSyscall(unix.SYS_DUP3, uintptr(f.files[i]), uintptr(i), 0); errno != 0 {
			return errno
		}
	}
	if f.terminal {
		if _, _, errno := unix.RawSyscall(unix.SYS_IOCTL, 0, unix.TIOCSCTTY, 0); errno != 0 {
			return errno
		}
	}
	if f.processes.Max > 0 {
		if _, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NPROC, uintptr(unsafe.Pointer(&f.processes)), 0, 0, 0); errno != 0 {
			return errno
		}
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&f.limit)), 0, 0, 0)
	return errno
}

// restrict takes away, for good, what the program may not do. Who has no
// capabilities to lower has none to give.
//
//go:norace
//go:nosplit
func (f *fork) restrict() syscall.Errno {
	for c := range f.keep {
		if f.keep[c] == 0 {
			_, _, _ = unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0, 0)
		}
	}
	_, _, _ = unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0, 0)
	if _, _, errno := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(f.rules), 0, 0); errno != 0 {
		return errno
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(f.filter)))
	return errno
}

// calm takes back how Go handles signals, and lets them come.
//
//go:norace
//go:nosplit
func (f *fork) calm() {
	for sig := 1; sig <= numSignals; sig++ {
		if !f.ignored[sig] {
			_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&f.unset)), 0, 8, 0, 0)
		}
	}
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.none)), 0, 8, 0, 0)
}

// failure is what a process says on its status before it ends.
func failure(said []byte, p Proc) error {
	if len(said) != 8 {
		return fmt.Errorf("start confined: %q", said)
	}
	step := *(*uint32)(unsafe.Pointer(&said[0]))
	errno := syscall.Errno(*(*uint32)(unsafe.Pointer(&said[4])))
	switch step {
	case stepDirectory:
		return &os.PathError{Op: "chdir", Path: p.Dir, Err: errno}
	case stepExec:
		return &os.PathError{Op: "exec", Path: p.Argv[0], Err: errno}
	}
	return fmt.Errorf("confine the process: %w", errno)
}
