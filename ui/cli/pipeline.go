package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// fed reports whether a command of the same pipeline writes into the input: a process of this
// one's group, but none that has started this one, which may only have left its own input to
// it. Where there is no /proc it cannot be told.
func fed(in any) bool {
	file, ok := in.(*os.File)
	if !ok {
		return false
	}
	pipe, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(file.Fd())))
	if err != nil || !strings.HasPrefix(pipe, "pipe:") {
		return false
	}
	_, group := lineage("self")
	above := map[string]bool{strconv.Itoa(os.Getpid()): true}
	for pid, _ := lineage("self"); pid != "" && pid != "0" && !above[pid]; pid, _ = lineage(pid) {
		above[pid] = true
	}
	held, _ := filepath.Glob("/proc/[0-9]*/fd/*") // those of others cannot be read
	for _, fd := range held {
		pid := strings.Split(fd, "/")[2]
		if to, err := os.Readlink(fd); err == nil && to == pipe && !above[pid] && writes(fd) {
			if _, of := lineage(pid); of == group {
				return true
			}
		}
	}
	return false
}

// lineage returns the parent and the group of a process.
func lineage(pid string) (parent, group string) {
	data, _ := os.ReadFile("/proc/" + pid + "/stat") // it may have ended
	if fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:])); len(fields) > 2 {
		return fields[1], fields[2]
	}
	return "", ""
}

// writes reports whether a descriptor of a process is open for writing.
func writes(fd string) bool {
	data, _ := os.ReadFile(strings.Replace(fd, "/fd/", "/fdinfo/", 1))
	_, rest, _ := strings.Cut(string(data), "flags:")
	flags, _ := strconv.ParseUint(strings.TrimSpace(strings.SplitN(rest, "\n", 2)[0]), 8, 64)
	return flags&3 != 0
}
