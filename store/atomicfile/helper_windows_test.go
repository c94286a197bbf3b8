package atomicfile

import "errors"

func helpUnix(task string, _ []string) error { return errors.New("not on Windows: " + task) }
