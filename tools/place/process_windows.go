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

// member is a process. Windows has no groups to look into.
type member struct{ pid int }

func memberOf(pid int, _ uint64) member { return member{pid: pid} }

func (member) began() string { return "" }

// alive is not known: no process of an earlier run is found again.
func (member) alive() bool { return false }

// startOf knows nothing: there is no reference that outlives this program.
func startOf(int) (member, bool) { return member{}, false }

func bootID() (string, bool) { return "", false }

// signalAll ends the process itself; descendants are not found.
func (p *process) signalAll([]member, int) []member {
	_ = p.cmd.Process.Kill()
	return nil
}

// endGroup has nothing to do: there are no groups.
func (*process) endGroup() {}

// remains knows of none.
func (*process) remains() []member { return nil }

func anyAlive([]member) bool { return false }

// sweep has nothing to do: reading has no deadline here.
func (p *pipe) sweep() {}
