package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// work is the restoring of files. What fails is noted and the rest goes on.
type work struct {
	*Keeper
	ctx    context.Context // of the one Apply that this is for
	failed map[string]string
}

func (w *work) fail(i Item, err error) {
	if w.failed[i.Path] == "" {
		w.failed[i.Path] = err.Error()
	}
}

// errRewindStopped is why something was not done.
var errRewindStopped = errors.New("the rewind was stopped before it came to this")

// clear removes what has to go, the innermost first.
func (w *work) clear(items []Item) {
	for _, i := range slices.Backward(items) {
		if i.Now.Kind != None && (i.Want.Kind == None || twoSteps(i.Now, i.Want)) {
			if err := w.remove(i); err != nil {
				w.fail(i, err)
			}
		}
	}
}

func (w *work) remove(i Item) error {
	if w.ctx.Err() != nil {
		return errRewindStopped
	}
	if err := w.unchanged(i, i.Now); err != nil {
		return err
	}
	w.step("remove")
	err := w.opt.Files.Remove(i.Path)
	switch {
	case err == nil:
		w.step("removed")
		return nil
	case absent(err):
		return nil
	case i.Now.Kind == Dir:
		if list, lerr := w.opt.Files.ReadDir(i.Path); lerr == nil && len(list) > 0 {
			return errors.New("the directory is not empty, so it stays")
		}
	}
	return fmt.Errorf("it could not be removed: %w", err)
}

// unchanged makes sure that a path still holds what was seen.
func (w *work) unchanged(i Item, want State) error {
	now, _, err := w.observe(i.Path)
	if err != nil {
		return err
	}
	if !now.Equal(want) {
		return errors.New("it has just been changed by someone else")
	}
	return nil
}

// make makes directories, the outermost first, then files and links.
func (w *work) make(items []Item) {
	for _, dirs := range []bool{true, false} {
		for _, i := range items {
			if w.failed[i.Path] != "" || i.Want.Kind == None || dirs != (i.Want.Kind == Dir) {
				continue
			}
			if err := w.restore(i); err != nil {
				w.fail(i, err)
			}
		}
	}
}

func (w *work) restore(i Item) error {
	if w.ctx.Err() != nil {
		return errRewindStopped
	}
	dir, _ := w.split(i.Path)
	real, err := w.opt.Files.Resolve(dir)
	switch {
	case err != nil:
		return fmt.Errorf("its directory could not be found: %w", err)
	case real != dir:
		return fmt.Errorf("its directory leads to %s now, which is left alone", real)
	}
	expect := i.Now
	if twoSteps(i.Now, i.Want) {
		expect = State{}
	}
	if err := w.unchanged(i, expect); err != nil {
		return err
	}
	if i.Want.Kind == Dir {
		w.step("mkdir")
		if _, err := w.opt.Files.MkdirAll(i.Path, i.Want.Mode.Perm()); err != nil {
			return fmt.Errorf("the directory could not be made: %w", err)
		}
		return nil
	}
	if _, err := w.opt.Files.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		if _, err := w.opt.Files.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("its directory could not be made: %w", err)
		}
	}
	return w.write(i)
}

// write makes a file or link.
func (w *work) write(i Item) error {
	if i.Want.Kind == Link {
		w.step("link")
		if err := w.opt.Files.Symlink(string(i.Want.Target), i.Path); err != nil {
			return fmt.Errorf("the link could not be made: %w", err)
		}
		w.step("linked")
		return nil
	}
	data, err := w.contentOf(i.Want)
	if err != nil {
		return err
	}
	w.step("write")
	if err := w.opt.Files.WriteAtomic(i.Path, data, i.Want.Mode); err != nil {
		return fmt.Errorf("it could not be written: %w", err)
	}
	w.step("written")
	return nil
}
