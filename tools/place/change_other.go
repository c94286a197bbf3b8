//go:build !linux && !darwin

package place

import "os"

// renameFree moves from to a name that was just found free.
func renameFree(from, to dirName) error { return os.Rename(from.name, to.name) }
