//go:build linux

package effects_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// victim is a process outside, with files that are written through by several ways.
type victim struct {
	cmd      *exec.Cmd
	limits   string
	priority string
}

// bystanders are files outside that wait to be changed, and their texts.
var bystanders = []string{
	"append.txt", "symlinked.txt", "hardlinked.txt", "renamed.txt", "unlinked.txt", "truncated.txt", "meta-chmod", "meta-suid", "meta-fchmod",
	"meta-fchmodat2", "meta-byfd", "meta-chown", "meta-utime", "meta-xattr", "meta-attr",
}

func newVictim(j job) (*victim, error) {
	for _, n := range bystanders {
		if err := put(outside+"/"+n, "mine\n"); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(put("/tmp/planted.txt", "mine\n"), os.Chmod("/tmp/planted.txt", 0o666), give(outside, j.UID)); err != nil {
		return nil, err
	}
	if _, err := net.ListenPacket("unixgram", outside+"/canary.dgram"); err != nil {
		return nil, err
	}
	if err := os.Chmod(outside+"/canary.sock", 0o777); err != nil {
		return nil, err
	}
	cmd := exec.Command("/bin/sleep", "1000")
	cmd.Args[0], cmd.Dir = "effects-victim", outside
	as(cmd, j.UID)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	v := &victim{cmd: cmd, limits: limits(cmd.Process.Pid), priority: priority(cmd.Process.Pid)}
	return v, put(work+"/victim.pid", strconv.Itoa(cmd.Process.Pid))
}

// limits are the limits of a process, as the kernel lists them.
func limits(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	return string(text)
}

// priority is that of a process, as the kernel writes it.
func priority(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if f := strings.Fields(string(stat)); len(f) > 18 {
		return f[18]
	}
	return ""
}

// harm lists what was done to the victim, and ends it.
func (v *victim) harm() []string {
	var list []string
	pid := v.cmd.Process.Pid
	if limits(pid) != v.limits {
		list = append(list, "limit")
	}
	if priority(pid) != v.priority {
		list = append(list, "priority")
	}
	var ws syscall.WaitStatus
	if got, err := syscall.Wait4(pid, &ws, syscall.WNOHANG, nil); err == nil && got == pid {
		list = append(list, "signal")
	} else {
		_ = v.cmd.Process.Kill()
		_ = v.cmd.Wait()
	}
	var st unix.Stat_t
	if unix.Stat(outside+"/meta-utime", &st) == nil && st.Mtim.Sec == 1 {
		list = append(list, "utime")
	}
	if n, err := unix.Getxattr(outside+"/meta-xattr", "user.evil", make([]byte, 8)); err == nil && n > 0 {
		list = append(list, "xattr")
	}
	if f, err := os.Open(outside + "/meta-attr"); err == nil {
		if flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS); err == nil && flags&0x40 != 0 {
			list = append(list, "attributes")
		}
		_ = f.Close()
	}
	if queues, _ := os.ReadFile("/proc/sysvipc/msg"); strings.Count(string(queues), "\n") > 1 {
		list = append(list, "message-queue")
	}
	if name, _ := os.Hostname(); name == "evil" {
		list = append(list, "host-name")
	}
	if mounts, _ := os.ReadFile("/proc/self/mountinfo"); strings.Contains(string(mounts), work+"/mnt") {
		list = append(list, "mount")
	}
	return list
}

// without takes means of confinement away from this process and those it starts.
func without(j job) error {
	if !j.NoUserNS && !j.NoLandlock {
		return nil
	}
	const load, number = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, 0
	refuse := func(e unix.Errno) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(e)}
	}
	equal := func(k, skip uint8, what uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: k, Jf: skip, K: what}
	}
	prog := []unix.SockFilter{{Code: load, K: number}}
	if j.NoLandlock {
		for n := uint32(unix.SYS_LANDLOCK_CREATE_RULESET); n <= unix.SYS_LANDLOCK_RESTRICT_SELF; n++ {
			prog = append(prog, equal(0, 1, n), refuse(unix.ENOSYS))
		}
	}
	if j.NoUserNS {
		prog = append(prog, equal(0, 1, unix.SYS_CLONE3), refuse(unix.ENOSYS))
		for _, n := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} { // the flags are the first argument of both
			prog = append(prog, equal(0, 4, n), unix.SockFilter{Code: load, K: 16},
				unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 0, Jf: 1, K: unix.CLONE_NEWUSER}, refuse(unix.EPERM),
				unix.SockFilter{Code: load, K: number})
		}
	}
	prog = append(prog, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&fprog))); e != 0 {
		return e
	}
	return nil
}
