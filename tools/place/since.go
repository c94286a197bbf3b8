package place

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"
)

// Bounds of looking for changes.
const (
	maxSince    = 300_000 // files and directories
	sinceWithin = 3 * time.Second
)

// Stamp gives the present time of a file system: that of the change of a file which
// is written for it. It is zero when that is not known.
func Stamp(fsys FS, file string) time.Time {
	if err := fsys.WriteAtomic(file, nil, 0o600); err != nil {
		return time.Time{}
	}
	st, err := fsys.Lstat(file)
	if err != nil {
		return time.Time{}
	}
	return changeTime(st)
}

// ChangedSince reports whether anything in some directories may have been made,
// changed or removed at the time of a [Stamp] or later, by whom ever. What is not
// known, as in a tree that is too large to be looked at, counts as changed.
func ChangedSince(ctx context.Context, fsys FS, dirs []string, stamp time.Time) bool {
	if stamp.IsZero() {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, sinceWithin)
	defer cancel()
	left := maxSince
	for _, dir := range dirs {
		st, err := fsys.Stat(dir)
		if err != nil || !before(st, stamp) || changedBelow(ctx, fsys, dir, stamp, &left) {
			return true
		}
	}
	return false
}

func changedBelow(ctx context.Context, fsys FS, dir string, stamp time.Time, left *int) bool {
	list, err := fsys.ReadDir(dir)
	if *left -= len(list); err != nil || *left < 0 || ctx.Err() != nil {
		return true
	}
	for _, e := range list {
		st, err := e.Info()
		if err != nil || !before(st, stamp) {
			return true
		}
		if e.IsDir() && changedBelow(ctx, fsys, filepath.Join(dir, e.Name()), stamp, left) {
			return true
		}
	}
	return false
}

// ChangedAt is when a file was changed last: a time that no program can set, or where
// that is not known, the one of its content.
func ChangedAt(st fs.FileInfo) time.Time {
	if at := changeTime(st); !at.IsZero() {
		return at
	}
	return st.ModTime()
}

// before reports whether something changed last before a stamp.
func before(st fs.FileInfo, stamp time.Time) bool {
	at := changeTime(st)
	return !at.IsZero() && at.Before(stamp)
}
