//go:build unix

package place

import (
	"os"
	"strconv"
	"syscall"
)

const (
	signalTerm = syscall.SIGTERM
	signalKill = syscall.SIGKILL
)

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// exitCode is the code, or 128 plus the signal's number as in a shell.
func exitCode(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// member is a process as it was found. Start tells it from a later one with
// the same id; its unit is the system's own.
type member struct {
	pid   int
	start uint64
}

// signalAll signals the group and every descendant that can be found, and those
// in known as long as they live. It returns all of them.
func (p *process) signalAll(known []member, sig syscall.Signal) []member {
	// Descendants are looked for while their parents live: what is in the middle of an
	// exec shows no mark, and is found by its parent alone.
	found := p.descendants()
	// The group's id cannot be another's: the leader is reaped after this, or,
	// where the system cannot leave it unreaped and for a leader that is no child
	// of ours, an instant before at most.
	if p.cmd != nil || p.self.alive() {
		_ = syscall.Kill(-p.PID(), sig)
	}
	for _, m := range known {
		if m.alive() && !contains(found, m) {
			found = append(found, m)
		}
	}
	for _, m := range found {
		if m.alive() {
			_ = syscall.Kill(m.pid, sig)
		}
	}
	return found
}

// endGroup ends what a process that has ended by itself left in its group. It is called
// before the leader is reaped, so that the group's id is not another's.
func (p *process) endGroup() { _ = syscall.Kill(-p.PID(), syscall.SIGKILL) }

func memberOf(pid int, start uint64) member { return member{pid: pid, start: start} }

// began is the moment of the start as a number of the system's own unit.
func (m member) began() string { return strconv.FormatUint(m.start, 10) }

func contains(list []member, m member) bool {
	for _, x := range list {
		if x == m {
			return true
		}
	}
	return false
}

func anyAlive(list []member) bool {
	for _, m := range list {
		if m.alive() {
			return true
		}
	}
	return false
}

// entry is one line of the system's table of processes.
type entry struct {
	member
	parent, group, session int
	gone                   bool // a zombie
}

// related picks what belongs to the leader: its group, its session, what
// descends from one of those, and what carries the mark.
func related(table []entry, leader int, marked func(pid int) bool) []member {
	in := map[int]bool{leader: true}
	for _, e := range table {
		if e.group == leader || e.session == leader || !e.gone && marked(e.pid) {
			in[e.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, e := range table {
			if !in[e.pid] && in[e.parent] {
				in[e.pid], grown = true, true
			}
		}
	}
	var found []member
	for _, e := range table {
		if in[e.pid] && !e.gone {
			found = append(found, e.member)
		}
	}
	return found
}
