package snapshots

import (
	"context"
	"fmt"
)

// Text is what a change found in a file and what it left there.
type Text struct {
	Change
	Before, After string
	// Opaque says in words why the texts are not there, or are none.
	Opaque string
}

// Texts gives the contents of changes of files, as far as they are kept and l allows; those
// of folders and links, and those of permissions alone, are left out.
func (k *Keeper) Texts(ctx context.Context, changes []Change, l DiffLimits) ([]Text, error) {
	l = l.withDefaults()
	done, err := k.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var list []Text
	left := l.Text
	for _, c := range changes {
		if !c.ofFile() || c.Before.Kind == c.After.Kind && c.Before.sameContent(c.After) {
			continue
		}
		before, after, note, err := sides(c, min(l.File, left), k.contentOf)
		if err != nil {
			return nil, fmt.Errorf("read what %s held: %w", c.Path, err)
		}
		t := Text{Change: c, Before: string(before), After: string(after)}
		switch {
		case note != "":
			t.Opaque = "it is not kept, or too large to be shown"
		case isBinary(before) || isBinary(after):
			t.Opaque = "a binary file"
		}
		left -= len(before) + len(after)
		list = append(list, t)
	}
	return list, nil
}

// ofFile reports whether a file stood there before or stands there now, and nothing else.
func (c Change) ofFile() bool {
	file := func(s State) bool { return s.Kind == File || s.Kind == None }
	return file(c.Before) && file(c.After)
}
