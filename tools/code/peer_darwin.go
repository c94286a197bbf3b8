package code

import (
	"os"

	"golang.org/x/sys/unix"
)

// peerOf says which user and process is at the other end of a connection.
func peerOf(fd int) (uid, pid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return int(cred.Uid), pid, err
}

// parentOf gives the parent of a process and its session.
func parentOf(pid int) (parent, session int, ok bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, 0, false
	}
	session, err = unix.Getsid(pid)
	return int(info.Eproc.Ppid), session, err == nil
}

// seesProcesses reports whether the system shows its processes to us.
func seesProcesses() bool {
	_, _, ok := parentOf(os.Getpid())
	return ok
}
