package place

import (
	"fmt"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are system calls no program of a sandbox needs, which reach past it or
// deep into the kernel. Looking into other processes is not among them: Landlock
// keeps that to the sandbox itself, where debuggers and leak checkers need it.
var refused = []string{
	"io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd",
	"add_key", "keyctl", "request_key", "open_by_handle_at", "fanotify_init",
	"unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fspick", "fsconfig", "fsmount", "move_mount", "open_tree", "mount_setattr",
	"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd",
	"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "vhangup", "syslog",
}

// namespaces are the flags by which clone makes any.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// policy says which system calls fail. Sockets are known by what may be had, so
// that a family no one thought of is not.
func policy(names map[string]int, families []uint64, groups bool) seccomp.Policy {
	var foreign seccomp.ArgumentConditions
	for _, f := range families {
		foreign = append(foreign, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: f})
	}
	denied := seccomp.SyscallGroup{Action: seccomp.ActionErrno, NamesWithCondtions: []seccomp.NameWithConditions{
		{Name: "socket", Conditions: foreign},
		{Name: "socketpair", Conditions: foreign},
		{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: namespaces}}},
		// A lease on a file of others holds them up.
		{Name: "fcntl", Conditions: seccomp.ArgumentConditions{{Argument: 1, Operation: seccomp.Equal, Value: unix.F_SETLEASE}}},
	}}
	for _, c := range itself {
		if _, ok := names[c.name]; ok {
			denied.NamesWithCondtions = append(denied.NamesWithCondtions, seccomp.NameWithConditions{Name: c.name, Conditions: seccomp.ArgumentConditions{
				{Argument: c.argument, Operation: seccomp.NotEqual, Value: c.value},
			}})
		}
	}
	for _, name := range refused {
		if _, ok := names[name]; ok { // not every machine has every one
			denied.Names = append(denied.Names, name)
		}
	}
	denied.NamesWithCondtions = append(denied.NamesWithCondtions, sharedMode(names, groups)...)
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{denied}}
	// A filter cannot see their arguments. Programs fall back to clone and openat when they are
	// missing.
	missing := seccomp.SyscallGroup{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)}
	for _, name := range []string{"clone3", "openat2"} {
		if _, ok := names[name]; ok {
			missing.Names = append(missing.Names, name)
		}
	}
	if len(missing.Names) > 0 {
		policy.Syscalls = append(policy.Syscalls, missing)
	}
	return policy
}

// itself are system calls that a process may make for itself, and the argument that says
// so. For a process outside they can kill it, or slow it down for good: an ordinary user
// cannot raise a priority again.
var itself = []struct {
	name     string
	argument uint32
	value    uint64
}{
	{"prlimit64", 0, 0},
	{"setpriority", 0, unix.PRIO_PROCESS}, {"setpriority", 1, 0},
	{"ioprio_set", 0, 1}, {"ioprio_set", 1, 0}, // 1: of a process
	{"sched_setscheduler", 0, 0}, {"sched_setparam", 0, 0}, {"sched_setattr", 0, 0},
}

// modes are the system calls that give a file a mode, and the argument that it is; flags the
// one that says whether there is a mode.
var modes = []struct {
	name        string
	mode, flags uint32
}{
	{"chmod", 1, 0}, {"fchmod", 1, 0}, {"fchmodat", 2, 0}, {"fchmodat2", 2, 0}, {"creat", 1, 0}, {"mknod", 1, 0}, {"mknodat", 2, 0},
	{"open", 2, 1}, {"openat", 3, 2},
}

// sharedMode are the calls that let others run a file with the rights of its owner or,
// unless groups says that this is to be had, its group.
func sharedMode(names map[string]int, groups bool) []seccomp.NameWithConditions {
	bits := []uint64{unix.S_ISUID, unix.S_ISGID}
	if groups {
		bits = bits[:1]
	}
	var list []seccomp.NameWithConditions
	for _, m := range modes {
		if _, ok := names[m.name]; !ok {
			continue
		}
		for _, bit := range bits {
			set := seccomp.Condition{Argument: m.mode, Operation: seccomp.BitsSet, Value: bit}
			if m.flags == 0 {
				list = append(list, seccomp.NameWithConditions{Name: m.name, Conditions: seccomp.ArgumentConditions{set}})
				continue
			}
			for _, flag := range []uint64{unix.O_CREAT, unix.O_TMPFILE &^ unix.O_DIRECTORY} {
				list = append(list, seccomp.NameWithConditions{Name: m.name, Conditions: seccomp.ArgumentConditions{
					{Argument: m.flags, Operation: seccomp.BitsSet, Value: flag}, set,
				}})
			}
		}
	}
	return list
}

// offsetArch is where the kernel says by whose numbering a call is made.
const offsetArch = 4

// filter is the policy as a program for the kernel. Calls by another numbering
// than the machine's own, which the policy does not understand, end the process.
func filter(families []uint64, groups bool) (*unix.SockFprog, error) {
	machine, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	if len(machine.SyscallNames) == 0 {
		return nil, fmt.Errorf("the system calls of %s are not known", machine.Name)
	}
	p := policy(machine.SyscallNames, families, groups)
	body, err := p.Assemble()
	if err != nil {
		return nil, err
	}
	own := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(machine.ID), SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
	}
	program, err := bpf.Assemble(append(own, body...))
	if err != nil {
		return nil, err
	}
	code := make([]unix.SockFilter, 0, len(program))
	for _, i := range program {
		code = append(code, unix.SockFilter{Code: i.Op, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	return &unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}, nil
}
