package place

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Bounds of looking for other names of what is hidden.
const (
	maxHiddenEntries = 1000
	maxLinkEntries   = 200_000
)

// otherNames are those, in roots, of files that are hidden, by themselves or in a hidden
// folder: hard links that were made before. The roots are looked through only when a hidden
// file has more than one name.
func otherNames(hidden, roots []string) (names []string) {
	keys := linkedFiles(hidden)
	left := maxLinkEntries
	for _, root := range roots {
		if len(keys) == 0 {
			return nil
		}
		_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error { // what cannot be read has no names
			if left--; left < 0 {
				return fs.SkipAll
			}
			if err != nil || !e.Type().IsRegular() {
				return nil //nolint:nilerr // as said
			}
			st, err := e.Info()
			if err == nil && linked(st) && slices.ContainsFunc(keys, func(key fs.FileInfo) bool { return os.SameFile(key, st) }) {
				names = append(names, name)
			}
			return nil
		})
	}
	return names
}

// linkedFiles are the hidden files that have more than one name.
func linkedFiles(hidden []string) (keys []fs.FileInfo) {
	left := maxHiddenEntries
	look := func(name string) (dir bool) {
		left--
		st, err := os.Stat(name)
		if err == nil && left >= 0 && st.Mode().IsRegular() && linked(st) {
			keys = append(keys, st)
		}
		return err == nil && st.IsDir()
	}
	for _, name := range hidden {
		if !look(name) {
			continue
		}
		entries, _ := os.ReadDir(name) // what was read before an error still counts
		for _, e := range entries {
			if left > 0 && e.Type().IsRegular() {
				look(filepath.Join(name, e.Name()))
			}
		}
	}
	return keys
}
