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
func policy(names map[string]int, families []uint64, mounts bool) seccomp.Policy {
	var foreign seccomp.ArgumentConditions
	for _, f := range families {
		foreign = append(foreign, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: f})
	}
	denied := seccomp.SyscallGroup{Action: seccomp.ActionErrno, NamesWithCondtions: []seccomp.NameWithConditions{
		{Name: "socket", Conditions: foreign},
		{Name: "socketpair", Conditions: foreign},
		{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: namespaces}}},
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
	if !mounts {
		denied.NamesWithCondtions = append(denied.NamesWithCondtions, sharedMode(names)...)
	}
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{denied}}
	if _, ok := names["clone3"]; ok {
		// Its flags cannot be seen here; programs fall back to clone when it is missing.
		missing := seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)
		policy.Syscalls = append(policy.Syscalls, seccomp.SyscallGroup{Action: missing, Names: []string{"clone3"}})
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

// modes are the system calls that give a file a mode, and the argument that it is.
var modes = map[string]uint32{"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2}

// sharedMode are the calls that let others run a file with the rights of its owner or
// group. Without mounts they would work on files outside as well.
func sharedMode(names map[string]int) []seccomp.NameWithConditions {
	var list []seccomp.NameWithConditions
	for name, argument := range modes {
		if _, ok := names[name]; ok {
			for _, bit := range []uint64{unix.S_ISUID, unix.S_ISGID} {
				list = append(list, seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{
					{Argument: argument, Operation: seccomp.BitsSet, Value: bit},
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
func filter(families []uint64, mounts bool) (*unix.SockFprog, error) {
	machine, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	if len(machine.SyscallNames) == 0 {
		return nil, fmt.Errorf("the system calls of %s are not known", machine.Name)
	}
	p := policy(machine.SyscallNames, families, mounts)
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
