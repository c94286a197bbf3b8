//go:build unix

package atomicfile

import (
	"fmt"
	"strconv"
	"syscall"
)

// helpUnix does a task under a hostile umask.
func helpUnix(task string, args []string) error {
	syscall.Umask(0o777)
	switch task {
	case "write":
		mode, err := strconv.ParseUint(args[1], 8, 32)
		if err != nil {
			return err
		}
		return Write(args[0], []byte("new"), fsMode(mode))
	case "mkdir":
		return MkdirPrivate(args[0])
	case "lock":
		l, err := TryAcquire(args[0])
		if err != nil {
			return err
		}
		return l.Close()
	}
	return fmt.Errorf("no such task: %s", task)
}
