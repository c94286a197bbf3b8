package bind

import (
	"io"
	"io/fs"

	"hermes-tui/store/snapshots"
	"hermes-tui/tools/place"
)

// SnapshotFiles lets snapshots look at the files of a place.
func SnapshotFiles(p place.Place) snapshots.Files { return snapshotFiles{p.FS()} }

type snapshotFiles struct{ place.FS }

// Open implements [snapshots.Files].
func (f snapshotFiles) Open(name string) (io.ReadCloser, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: place.ErrNotRegular}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
