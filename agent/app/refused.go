package app

import (
	"os"
	"path/filepath"
	"slices"

	"hermes-tui/store/atomicfile"
)

// maxRefused is how many refused requests are kept; the oldest go first.
const maxRefused = 20

// keepRefused writes a request that a service refused beside the log.
func (a *App) keepRefused(data []byte) (string, error) {
	dir := a.o.Home.Logs()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "refused-"+a.o.IDs.Now().UTC().Format("20060102-150405.000")+".json")
	if err := atomicfile.Write(path, data, 0o600); err != nil {
		return "", err
	}
	old, _ := filepath.Glob(filepath.Join(dir, "refused-*.json")) // the pattern is in order
	slices.Sort(old)
	for len(old) > maxRefused {
		_ = os.Remove(old[0]) // else the next one does it
		old = old[1:]
	}
	return path, nil
}
