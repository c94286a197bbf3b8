package uitest

import (
	"fmt"
	"os"
	"syscall"
)

// ExitState is how a program ended.
type ExitState struct {
	// Code is the exit code, -1 when a signal ended the program.
	Code int
	// Signal is what ended it, 0 if nothing did.
	Signal syscall.Signal
}

// String implements fmt.Stringer.
func (e ExitState) String() string {
	if e.Signal != 0 {
		return fmt.Sprintf("ended by the signal %v", e.Signal)
	}
	return fmt.Sprintf("exited with code %d", e.Code)
}

// exitState reads what the operating system tells about an ended process.
func exitState(p *os.ProcessState) ExitState {
	e := ExitState{Code: p.ExitCode()}
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Signal = status.Signal()
	}
	return e
}
