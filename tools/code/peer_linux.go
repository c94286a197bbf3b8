package code

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// peerOf says which user and process is at the other end of a connection.
func peerOf(fd int) (uid, pid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Uid), int(cred.Pid), nil
}

// parentOf gives the parent of a process and its session.
func parentOf(pid int) (parent, session int, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	f := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:]) // the name may hold anything
	if len(f) < 4 {
		return 0, 0, false
	}
	parent, err1 := strconv.Atoi(string(f[1]))
	session, err2 := strconv.Atoi(string(f[3]))
	return parent, session, err1 == nil && err2 == nil
}

// seesProcesses reports whether the system shows its processes to us.
func seesProcesses() bool {
	_, _, ok := parentOf(os.Getpid())
	return ok
}
