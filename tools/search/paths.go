package search

import (
	"context"

	"hermes-tui/tools/place"
)

// Paths lists the files below a folder as a search would see them, relative to
// the folder, with slashes, in the order of names. It stops at limit; the second
// value reports whether it did.
func Paths(ctx context.Context, fsys place.FS, root, home string, limit int) (list []string, more bool) {
	w := &walker{fs: fsys, start: root}
	w.emit = func(f file) bool {
		if len(list) == limit {
			more = true
			return false
		}
		list = append(list, w.relative(f.path))
		return true
	}
	w.walk(ctx, root, outerScope(fsys, root, home))
	return list, more
}
