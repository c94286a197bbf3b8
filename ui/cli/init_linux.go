package cli

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// runBelowInit runs the program as a child where it was started as process 1, as in a
// container: process 1 has to wait for the processes that others leave behind, which a
// program that waits for its own children cannot do. It reports whether it did so, and the
// exit code of the child.
func runBelowInit() (handled bool, code int) {
	if os.Getpid() != 1 {
		return false, 0
	}
	self, err := os.Executable()
	if err != nil {
		return false, 0
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals)
	signal.Reset(unix.SIGURG, unix.SIGCHLD, unix.SIGTTOU, unix.SIGTTIN)
	_, err = unix.IoctlGetTermios(0, unix.TCGETS)
	child, err := os.StartProcess(self, os.Args, &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys: &syscall.SysProcAttr{Setpgid: true, Foreground: err == nil},
	})
	if err != nil {
		return false, 0
	}
	go func() {
		for s := range signals {
			_ = child.Signal(s) // one that has ended needs none
		}
	}()
	return true, reapUntil(child.Pid)
}

// reapUntil waits for all children until one has ended, and returns its exit code. A stopped
// one is continued: no shell is there to do that.
func reapUntil(pid int) int {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return exitFailed
		case status.Stopped():
			if ended == pid {
				_ = syscall.Kill(-pid, syscall.SIGCONT)
			}
		case ended == pid && status.Signaled():
			return 128 + int(status.Signal())
		case ended == pid:
			return status.ExitStatus()
		}
	}
}
