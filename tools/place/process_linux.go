package place

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// awaitLeader blocks until the leader has ended and leaves it unreaped, so that
// its id, and its group's, stay its own until the group was dealt with.
func (p *process) awaitLeader() {
	for {
		err := unix.Waitid(unix.P_PID, p.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// descendants reads the table of processes from /proc.
func (p *process) descendants() []member { return p.relatives(0) }

// relatives are those of the descendants with an id from this one on.
func (p *process) relatives(from int) []member {
	table := processes(from)
	mark := []byte(markName + "=" + p.mark)
	patience := time.Now().Add(execPatience)
	return related(table, p.PID(), func(pid int) bool {
		for {
			env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
			if err != nil || len(env) > 0 {
				return bytes.Contains(env, mark)
			}
			// In the middle of an exec there is no environment. Threads of the kernel and
			// what was started with none show the same, all of the time.
			if isKernel(pid) || time.Now().After(patience) {
				return false
			}
			time.Sleep(time.Millisecond)
		}
	})
}

// processes returns all processes with an id from this one on.
func processes(from int) (table []entry) {
	for _, f := range readDir("/proc") {
		if pid, err := strconv.Atoi(f.Name()); err == nil && pid >= from {
			if e, ok := readStat(pid); ok {
				table = append(table, e)
			}
		}
	}
	return table
}

// execPatience bounds how long all processes that show no environment are waited for.
const execPatience = 20 * time.Millisecond

// isKernel reports whether a process is a thread of the kernel, or gone.
func isKernel(pid int) bool {
	const kthread = 0x00200000 // PF_KTHREAD, among the flags of /proc/PID/stat
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	f := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if err != nil || len(f) < 7 {
		return true
	}
	flags, _ := strconv.ParseUint(string(f[6]), 10, 64)
	return flags&kthread != 0
}

// readStat reads /proc/PID/stat. The name of the program, which may hold
// anything, stands in parentheses and is skipped.
func readStat(pid int) (entry, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return entry{}, false
	}
	return entryOf(pid, data)
}

func entryOf(pid int, data []byte) (entry, bool) {
	f := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(f) < 20 {
		return entry{}, false
	}
	e := entry{member: member{pid: pid}, gone: f[0][0] == 'Z' || f[0][0] == 'X'}
	e.parent, _ = strconv.Atoi(string(f[1]))
	e.group, _ = strconv.Atoi(string(f[2]))
	e.session, _ = strconv.Atoi(string(f[3]))
	start, err := strconv.ParseUint(string(f[19]), 10, 64)
	e.start = start
	return e, err == nil
}

// alive reports whether this very process still runs.
func (m member) alive() bool {
	e, ok := readStat(m.pid)
	return ok && !e.gone && e.start == m.start
}

// startOf describes the process that has this id now.
func startOf(pid int) (member, bool) {
	e, ok := readStat(pid)
	return e.member, ok
}

// bootID names this run of the kernel.
func bootID() (string, bool) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(id)), err == nil
}

// remains are the processes that the leader, which has ended and is not reaped yet, has left.
// They are newer than it: where the system has begun to count from the start again since, they
// are not found.
func (p *process) remains() []member {
	return slices.DeleteFunc(p.relatives(p.PID()+1), func(m member) bool { return m.start < p.self.start })
}
