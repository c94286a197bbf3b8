package files

import (
	"errors"
	"fmt"

	"hermes-tui/tools"
)

var _ tools.TextFiles = (*Files)(nil)

// textState is a file as Text has read it. It belongs to the Files that made it.
type textState struct {
	owner *Files
	target
	exists bool
	sum    sum
}

// Text implements [tools.TextFiles]. What read_file would not show is not given
// to an editor either, whose messages quote it.
func (f *Files) Text(path string) (tools.Text, error) {
	t, err := f.writable(path)
	if err != nil {
		return tools.Text{}, err
	}
	old, err := f.editable(t)
	if err != nil {
		return tools.Text{}, err
	}
	seen, wasSeen := f.memory.seen(t.real)
	return tools.Text{
		Name: t.name, Real: t.real, Exists: old.exists, Body: old.body(),
		Partly: wasSeen && seen.part,
		State:  textState{owner: f, target: t, exists: old.exists, sum: old.sum},
	}, nil
}

// editable reads a file that parts of are to be changed.
func (f *Files) editable(t target) (existing, error) {
	if why := deviceWhy(t); why != "" {
		return existing{}, errors.New(why)
	}
	if why := f.secretWhy(t); why != "" {
		return existing{}, errors.New(why + " To change it, write all of it with write_file, which the user is asked about.")
	}
	if kind := documentByName(t.real); kind != "" {
		return existing{}, fmt.Errorf("%q is %s, which is no text and cannot be edited as one; use the terminal with a program for it", t.name, kind)
	}
	old, err := f.existing(t, "edited")
	if err != nil {
		return existing{}, err
	}
	if !old.keeps() {
		return existing{}, fmt.Errorf("%q cannot be edited: it is %s with damaged characters in it, and writing it back would change bytes that were not edited; use the terminal", t.name, old.enc)
	}
	return old, nil
}
