package place

import (
	"os"
	"syscall"
)

const (
	signalTerm = iota
	signalKill
)

func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }

// awaitLeader blocks until the leader has ended, and reaps it.
func (p *process) awaitLeader() { p.reap() }

// member is not used: Windows has no groups to look into.
type member struct{}

// signalAll ends the process itself; descendants are not found.
func (p *process) signalAll([]member, int) []member {
	_ = p.cmd.Process.Kill()
	return nil
}

func anyAlive([]member) bool { return false }

// sweep has nothing to do: reading has no deadline here.
func (p *pipe) sweep() {}
