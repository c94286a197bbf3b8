package files

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// done is a step that was carried out, as far as it came.
type done struct {
	step  step
	made  []string // directories made for it, outermost first
	moved bool
	wrote bool
}

// apply carries all steps out, or none: when one fails, what was done before it
// is taken back. Deletions come last, since a file that is made again is not in all
// respects the old one.
func (f *Files) apply(steps []step) error {
	var past []*done
	for _, last := range []bool{false, true} {
		for _, s := range steps {
			if (s.op == tools.OpDelete) != last {
				continue
			}
			d := &done{step: s}
			past = append(past, d)
			if err := f.carryOut(d); err != nil {
				return f.takeBack(past, err)
			}
		}
	}
	return nil
}

// carryOut does one step. What it did is noted in d, also on an error.
func (f *Files) carryOut(d *done) error {
	s := d.step
	if !f.unchangedSince(s.file.real, s.old) {
		return fmt.Errorf("%q was changed by someone else in this moment; read it again and repeat the edit", s.file.name)
	}
	if s.op == tools.OpDelete {
		if err := f.fs.Remove(s.file.real); err != nil {
			d.wrote = f.missing(s.file.real)
			return fmt.Errorf("%q cannot be deleted: %s", s.file.name, reason(err))
		}
		d.wrote = true
		return nil
	}
	made, err := makeParents(f.fs, f.dir(), s.parent())
	d.made = made
	if err != nil {
		return fmt.Errorf("the directory of %q cannot be made: %s", s.target().name, reason(err))
	}
	f.sweep(s.parent())
	if s.op == tools.OpMove {
		if err := f.fs.Rename(s.file.real, s.to.real); err != nil {
			d.moved = f.missing(s.file.real) && f.holds(s.to.real, s.old.sum)
			return fmt.Errorf("%q cannot be moved to %q: %s", s.file.name, s.to.name, reason(err))
		}
		d.moved = true
	}
	if s.data == nil {
		return nil
	}
	if err := f.fs.WriteAtomic(s.at(), s.data, s.old.mode); err != nil {
		d.wrote = f.holds(s.at(), s.newSum())
		return fmt.Errorf("%q cannot be written: %s", s.target().name, reason(err))
	}
	d.wrote = true
	return nil
}

// takeBack undoes steps in reverse, and says of what failed and what the disk
// holds now.
func (f *Files) takeBack(past []*done, cause error) error {
	var left []string
	for i := len(past) - 1; i >= 0; i-- {
		if what := f.undo(past[i]); what != "" {
			left = append(left, what)
		}
	}
	if len(left) == 0 {
		return fmt.Errorf("%w; nothing was changed", cause)
	}
	return fmt.Errorf("%w. What had been done could not be taken back altogether: %s", cause, strings.Join(left, "; "))
}

// undo takes one step back. It returns what is left of it on the disk, empty for
// nothing.
func (f *Files) undo(d *done) string {
	s := d.step
	switch {
	case s.op == tools.OpDelete:
		if d.wrote {
			if err := f.fs.WriteAtomic(s.file.real, s.old.data, s.old.mode); err != nil {
				return fmt.Sprintf("%q is deleted (%s)", s.file.name, reason(err))
			}
		}
		return ""
	case d.wrote && !s.old.exists:
		if !f.holds(s.at(), s.newSum()) {
			return fmt.Sprintf("%q was changed by someone else meanwhile and stays", s.file.name)
		}
		if err := f.fs.Remove(s.file.real); err != nil {
			return fmt.Sprintf("%q is there (%s)", s.file.name, reason(err))
		}
	case d.wrote:
		if !f.holds(s.at(), s.newSum()) {
			return fmt.Sprintf("%q was changed by someone else meanwhile and stays as it is", s.target().name)
		}
		if err := f.fs.WriteAtomic(s.at(), s.old.data, s.old.mode); err != nil {
			return fmt.Sprintf("%q has its new content (%s)", s.target().name, reason(err))
		}
	}
	if d.moved {
		if err := f.fs.Rename(s.to.real, s.file.real); err != nil {
			return fmt.Sprintf("%q is at %q with its old content (%s)", s.file.name, s.to.name, reason(err))
		}
	}
	f.unmake(d.made)
	return ""
}

// unmake removes directories that were made for nothing.
func (f *Files) unmake(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		if f.fs.Remove(made[i]) != nil {
			return // someone has put something there: it is theirs now
		}
	}
}

// target is where a step leaves its file.
func (s step) target() target {
	if s.op == tools.OpMove {
		return s.to
	}
	return s.file
}

// newSum identifies the file after the change.
func (s step) newSum() sum {
	if s.data == nil {
		return s.old.sum
	}
	return sha256.Sum256(s.data)
}

// makeParents makes the folder of a file, and returns the folders it made. It does not make
// the current folder again, which was moved or deleted meanwhile.
func makeParents(at place.FS, current, dir string) ([]string, error) {
	if _, err := at.Lstat(current); errors.Is(err, fs.ErrNotExist) && tools.Within(dir, current) {
		return nil, fmt.Errorf("the current folder %q was moved or deleted; change to another with the terminal first", current)
	}
	return at.MkdirAll(dir, 0o755)
}

func (f *Files) missing(path string) bool {
	_, err := f.fs.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// holds reports whether the file at a real path has a certain content.
func (f *Files) holds(path string, want sum) bool {
	file, err := f.open(target{name: path, real: path})
	if err != nil {
		return false
	}
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(file, maxWhole+1))
	return errors.Join(err, file.Close()) == nil && sum(h.Sum(nil)) == want
}
