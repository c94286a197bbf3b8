//go:build unix && !linux && !darwin

package place

import "syscall"

// awaitLeader blocks until the leader has ended, and reaps it.
func (p *process) awaitLeader() { p.reap() }

// descendants knows the leader's group only: what left it is not found.
func (p *process) descendants() []member { return nil }

// remains knows of none.
func (*process) remains() []member { return nil }

// alive reports whether a process with this id exists.
func (m member) alive() bool { return syscall.Kill(m.pid, 0) == nil }

// startOf knows nothing: there is no reference that outlives this program.
func startOf(int) (member, bool) { return member{}, false }

func bootID() (string, bool) { return "", false }
