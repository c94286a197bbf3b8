package bind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/store/snapshots"
	"hermes-tui/tools/hunks"
)

// shownTexts bounds what a review shows, in bytes of texts before and after.
var shownTexts = snapshots.DiffLimits{Text: 4 << 20, File: 2 << 20}

// Edits are the files that agents have changed in some turns, each with what stood there
// first and what was left last. notes say what is not among them.
func (l *FileLog) Edits(ctx context.Context, turns []event.TurnID) (files []hunks.File, notes []string, err error) {
	k, err := l.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	changes, err := k.Changes(ctx, filter(turns))
	if err != nil {
		return nil, nil, err
	}
	list, err := k.Texts(ctx, changes, shownTexts)
	if err != nil {
		return nil, nil, err
	}
	missing := 0
	for _, t := range list {
		f := hunks.File{Name: l.short(t.Path), Path: t.Path, Op: hunks.Change, Old: t.Before, New: t.After, Opaque: t.Opaque, Mode: t.Change.Before.Mode}
		switch {
		case t.Opaque != "" && t.Before == "" && t.After == "": // what it was cannot be brought back
			missing++
			continue
		case t.Change.Before.Kind == snapshots.None:
			f.Op = hunks.Create
		case t.Change.After.Kind == snapshots.None:
			f.Op = hunks.Delete
		}
		files = append(files, f)
	}
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("%d more changed files are too large, or not kept: /rewind may know them.", missing))
	}
	return files, notes, nil
}

// Revise changes files that hold what agents have left there to something else, and records
// that as a call of an agent in a turn, so that going back knows of it. Each of now is what
// becomes of the file beside it, nil for what it was before. stale are those that do not hold
// any more what was left, which stay as they are. No agent changes any of them meanwhile.
func (l *FileLog) Revise(ctx context.Context, c agent.SnapshotCall, files []hunks.File, now []*hunks.File) (stale []string, err error) {
	paths := make([]string, len(files))
	for i, f := range files {
		c.Paths, paths[i] = append(c.Paths, f.Path), f.Path
		if l.o.Place.Info().FoldsCase {
			paths[i] = strings.ToLower(f.Path)
		}
	}
	release, err := l.o.Files.Hold(ctx, l.o.FilesLock, paths)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := l.Begin(ctx, c); err != nil {
		return nil, err
	}
	for i := range files {
		fits, failed := l.revise(&files[i], now[i])
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", files[i].Name, failed))
		} else if !fits {
			stale = append(stale, files[i].Name)
		}
	}
	_, ended := l.End(context.WithoutCancel(ctx), c.ID)
	return stale, errors.Join(err, ended)
}

// revise does it for one file, and reports whether that held what was left.
func (l *FileLog) revise(f, now *hunks.File) (fits bool, err error) {
	at := l.o.Place.FS()
	mode := fs.FileMode(0o644)
	info, err := at.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.Op != hunks.Delete {
			return false, nil
		}
		mode = cmp.Or(f.Mode.Perm(), mode)
	case err != nil:
		return false, err
	case f.Op == hunks.Delete || !info.Mode().IsRegular():
		return false, nil
	default:
		mode = info.Mode().Perm()
		text, err := readAll(SnapshotFiles(l.o.Place), f.Path, len(f.New))
		if err != nil || text != f.New {
			return false, err
		}
	}
	switch {
	case now == nil && f.Op == hunks.Create:
		return true, at.Remove(f.Path)
	case now == nil:
		now = &hunks.File{New: f.Old}
	case now.Op == hunks.Delete:
		return true, nil
	}
	if _, err := at.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return true, err
	}
	return true, at.WriteAtomic(f.Path, []byte(now.New), mode)
}

// readAll reads a file that should have so many bytes; of a larger one a little more.
func readAll(files snapshots.Files, name string, size int) (string, error) {
	file, err := files.Open(name)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(file, int64(size)+1))
	return string(data), errors.Join(err, file.Close())
}
