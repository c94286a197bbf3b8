package place

import "golang.org/x/sys/unix"

// awaitLeader blocks until the leader has ended, and reaps it.
func (p *process) awaitLeader() { p.reap() }

// stateZombie is SZOMB of sys/proc.h.
const stateZombie = 5

// descendants asks the kernel for the table of processes. It has no sessions
// and no environments: what left the group and lost its parents is not found.
func (p *process) descendants() []member {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	table := make([]entry, 0, len(all))
	for i := range all {
		table = append(table, kernelEntry(&all[i]))
	}
	return related(table, p.PID(), func(int) bool { return false })
}

// remains are the processes that the leader, which has ended, has left in its group.
func (p *process) remains() []member { return p.descendants() }

func kernelEntry(k *unix.KinfoProc) entry {
	start := k.Proc.P_starttime
	return entry{
		member: member{
			pid:   int(k.Proc.P_pid),
			start: uint64(start.Sec)*1_000_000 + uint64(start.Usec),
		},
		parent: int(k.Eproc.Ppid),
		group:  int(k.Eproc.Pgid),
		gone:   k.Proc.P_stat == stateZombie,
	}
}

// alive reports whether this very process still runs.
func (m member) alive() bool {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", m.pid)
	if err != nil {
		return false
	}
	e := kernelEntry(k)
	return !e.gone && e.start == m.start
}

// startOf describes the process that has this id now.
func startOf(pid int) (member, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return member{}, false
	}
	return kernelEntry(k).member, true
}

// bootID names this run of the kernel.
func bootID() (string, bool) {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	return id, err == nil && id != ""
}
