package tools

import (
	"path/filepath"
	"slices"
	"strings"
)

// SpecialFile reports whether a path leads to a device, or to one of those files
// of a process that hold its environment, arguments, memory or open files. The
// path must be clean and absolute; as with [Secrets], a caller asks for the
// path given and for the one behind links.
func SpecialFile(path string) bool {
	parts := strings.Split(filepath.ToSlash(path), "/")
	if len(parts) < 3 {
		return false
	}
	switch parts[1] {
	case "dev":
		return parts[2] != "shm" // shared memory holds ordinary files
	case "proc":
		return parts[2] == "kcore" || parts[2] == "kmsg" || slices.ContainsFunc(parts[3:], func(p string) bool {
			switch p {
			case "environ", "cmdline", "maps", "smaps", "mem", "auxv", "pagemap", "fd", "map_files":
				return true
			}
			return false
		})
	}
	return false
}
