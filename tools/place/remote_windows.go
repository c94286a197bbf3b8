package place

import (
	"errors"
	"os"
	"syscall"
)

func clientSession(bool) *syscall.SysProcAttr { return ownSession() }

func killClient(p *os.Process) { _ = p.Kill() }

// processAlive reports whether a process of this machine exists.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

func programEndings() []string { return []string{".exe", ".cmd", ".bat"} }

func multiplexes() bool { return false }

func openScreen(Size) (screen, line *os.File, err error) {
	return nil, nil, errors.New("terminals are not available on Windows")
}
