package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
)

// open are the permissions that let others than the owner at a file.
const open fs.FileMode = 0o077

// Protect takes from others the permission to read or write the files with keys of
// the home and its root, and returns a sentence for each that had it. A link is left
// as it is. On Windows, where modes say nothing, it does nothing.
func (h Home) Protect() []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	root := Home{root: h.root}
	files := []string{root.Env(), root.Auth(), h.Env(), h.Auth()}
	slices.Sort(files)
	var said []string
	for _, name := range slices.Compact(files) {
		info, err := os.Lstat(name)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			info, err = os.Stat(name)
			if err == nil && info.Mode()&open != 0 {
				said = append(said, fmt.Sprintf("others can read %s, which holds keys: make the file that it links to private with chmod 600", name))
			}
			continue
		}
		if err != nil || !info.Mode().IsRegular() || info.Mode()&open == 0 {
			continue
		}
		if err := os.Chmod(name, info.Mode().Perm()&^open); err != nil {
			said = append(said, fmt.Sprintf("others can read %s, which holds keys, and that could not be changed (%v): use chmod 600", name, errors.Unwrap(err)))
			continue
		}
		said = append(said, fmt.Sprintf("others could read %s, which holds keys; now only you can. If you share this machine, replace the keys", name))
	}
	return said
}
