package place

import (
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// endRounds bounds how often it is looked for what has come meanwhile.
const endRounds = 50

// endAll ends all processes that live in namespaces of confined ones, but for the helper and
// what belongs to those that are to last: their sessions, groups and descendants.
func endAll(spaces []string, helper int, lasting []int) {
	for range endRounds {
		list := dwellers(spaces, helper, lasting)
		for _, m := range list {
			_ = unix.Kill(m.pid, unix.SIGKILL) // it may have ended
		}
		if len(list) == 0 {
			return
		}
	}
}

// dwellers are the processes that live in one of these namespaces for mounts, but for these.
func dwellers(spaces []string, helper int, lasting []int) []member {
	if len(spaces) == 0 {
		return nil
	}
	table := slices.DeleteFunc(processes(0), func(e entry) bool { return e.gone })
	var kept []member
	for _, pid := range lasting {
		if !slices.ContainsFunc(table, func(e entry) bool { return e.pid == pid && e.session == pid }) {
			continue // it has ended
		}
		kept = append(kept, related(table, pid, func(int) bool { return false })...)
	}
	var list []member
	for _, e := range table {
		space, err := os.Readlink("/proc/" + strconv.Itoa(e.pid) + "/ns/mnt")
		if err == nil && e.pid != helper && slices.Contains(spaces, space) && !slices.Contains(kept, e.member) {
			list = append(list, e.member)
		}
	}
	return list
}
