//go:build unix

package place

import (
	"os"
	"syscall"

	"github.com/creack/pty"
)

// clientSession is how a client is started: in a session of its own, with its
// input as the controlling terminal if that is one.
func clientSession(terminal bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: terminal, Ctty: 0}
}

func killClient(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	_ = p.Kill()
}

// processAlive reports whether a process of this machine exists.
func processAlive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

func programEndings() []string { return []string{""} }

// multiplexes reports whether the ssh of this system can share a connection.
func multiplexes() bool { return true }

// openScreen makes a terminal: what is typed into screen arrives at line.
func openScreen(s Size) (screen, line *os.File, err error) {
	screen, line, err = pty.Open()
	if err != nil {
		return nil, nil, err
	}
	if err = pty.Setsize(screen, &pty.Winsize{Rows: uint16(s.Rows), Cols: uint16(s.Cols)}); err != nil {
		_ = screen.Close()
		_ = line.Close()
		return nil, nil, err
	}
	if screen, err = pollable(screen); err != nil {
		_ = line.Close()
		return nil, nil, err
	}
	return screen, line, nil
}
