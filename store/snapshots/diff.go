package snapshots

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/tools/hunks"
)

// DiffLimits bounds a [Diff]. A zero field takes the default.
type DiffLimits struct {
	Text int // bytes of text in all; default 1 MB
	File int // bytes of one file, before and after together; default 2 MB
}

func (l DiffLimits) withDefaults() DiffLimits {
	return DiffLimits{Text: cmp.Or(l.Text, 1<<20), File: cmp.Or(l.File, 2<<20)}
}

// Diff is the text of changes.
type Diff struct {
	// Text is a unified diff in the manner of git. Names are relative to the
	// workspace where they lie in it; a name with control characters is quoted.
	Text  string
	Files []FileDiff
	// Omitted counts files whose text did not fit any more. They are in Files.
	Omitted int
}

// FileDiff counts what a change does to a file.
type FileDiff struct {
	Change
	Name           string // as in the text
	Added, Removed int    // lines
	Note           string // why lines are not counted; empty when they are
}

// Diff compares what changes found with what they left.
func (k *Keeper) Diff(ctx context.Context, changes []Change, l DiffLimits) (Diff, error) {
	return k.diff(ctx, changes, l, k.contentOf)
}

// Between compares what some changes left with what those of another conversation of the
// same workspace did; other is nil where that has none. A path that only one of them has
// changed was for the other what that one found.
func (k *Keeper) Between(ctx context.Context, mine []Change, other *Keeper, theirs []Change, l DiffLimits) (Diff, error) {
	ends := map[string]*Change{}
	for _, c := range mine {
		ends[c.Path] = &Change{Path: c.Path, Before: c.After, After: c.Before}
	}
	for _, c := range theirs {
		if ends[c.Path] == nil {
			ends[c.Path] = &Change{Path: c.Path, Before: c.Before}
		}
		ends[c.Path].After = c.After
	}
	var list []Change
	for _, path := range slices.Sorted(maps.Keys(ends)) {
		if c := ends[path]; !c.Before.Equal(c.After) {
			list = append(list, *c)
		}
	}
	return k.diff(ctx, list, l, func(s State) ([]byte, error) {
		data, err := k.contentOf(s)
		if err == nil || other == nil {
			return data, err
		}
		done, err := other.use(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		return other.contentOf(s)
	})
}

// diff compares changes, with contents from somewhere.
func (k *Keeper) diff(ctx context.Context, changes []Change, l DiffLimits, content func(State) ([]byte, error)) (Diff, error) {
	l = l.withDefaults()
	var d Diff
	var out strings.Builder
	for _, c := range changes {
		f, text, err := k.diffOne(ctx, c, l, content)
		if err != nil {
			return d, fmt.Errorf("compare %s: %w", c.Path, err)
		}
		d.Files = append(d.Files, f)
		if d.Omitted > 0 || out.Len()+len(text) > l.Text {
			d.Omitted++
			continue
		}
		out.WriteString(text)
	}
	d.Text = out.String()
	return d, nil
}

// diffOne compares one path. The Keeper is free between two of them.
func (k *Keeper) diffOne(ctx context.Context, c Change, l DiffLimits, content func(State) ([]byte, error)) (FileDiff, string, error) {
	done, err := k.use(ctx)
	if err != nil {
		return FileDiff{}, "", err
	}
	defer done()
	f := FileDiff{Change: c, Name: k.label(c.Path)}
	head := "diff --git a/" + f.Name + " b/" + f.Name + "\n" + modes(c)
	before, after, note, err := sides(c, l.File, content)
	if err != nil {
		return f, "", err
	}
	switch {
	case c.Before.Kind == Dir || c.After.Kind == Dir:
		return f, head, nil
	case note != "":
		f.Note = note
		return f, head + note + "\n", nil
	case bytes.Equal(before, after):
		return f, head, nil
	case isBinary(before) || isBinary(after):
		return f, head + "Binary file changed\n", nil
	}
	text := compareText(&f, string(before), string(after))
	return f, head + text, nil
}

// compareText counts the lines and gives the hunks.
func compareText(f *FileDiff, before, after string) string {
	from, to := "a/"+f.Name, "b/"+f.Name
	if f.Before.Kind == None {
		from = "/dev/null"
	}
	if f.After.Kind == None {
		to = "/dev/null"
	}
	compared := hunks.Compare(before, after)
	f.Added, f.Removed = compared.Counts()
	return compared.Unified(from, to)
}

// sides gives what is compared; note says why it can't be.
func sides(c Change, limit int, content func(State) ([]byte, error)) (before, after []byte, note string, err error) {
	var data [2][]byte
	for i, s := range []State{c.Before, c.After} {
		switch s.Kind {
		case Link:
			data[i] = []byte(s.Target)
		case File:
			if s.Unread != "" {
				return nil, nil, "File changed; it is " + s.Unread, nil
			}
			if s.Size > int64(limit) {
				return nil, nil, "File changed; it is too large to compare", nil
			}
			b, err := content(s)
			if errors.Is(err, errMissing) {
				return nil, nil, "File changed; what it held is not kept, or no longer", nil
			}
			if err != nil {
				return nil, nil, "", err
			}
			data[i] = b
		}
	}
	if len(data[0])+len(data[1]) > limit {
		return nil, nil, "File changed; it is too large to compare", nil
	}
	return data[0], data[1], "", nil
}

// modes are the header lines about what was made, deleted or given other
// permissions.
func modes(c Change) string {
	b, a := gitMode(c.Before), gitMode(c.After)
	switch {
	case c.Before.Kind == None:
		return "new " + word(c.After) + " mode " + a + "\n"
	case c.After.Kind == None:
		return "deleted " + word(c.Before) + " mode " + b + "\n"
	case a != b:
		return "old mode " + b + "\nnew mode " + a + "\n"
	}
	return ""
}

func word(s State) string {
	if s.Kind == Dir {
		return "directory"
	}
	return "file"
}

func gitMode(s State) string {
	switch s.Kind {
	case Link:
		return "120000"
	case Dir:
		return "040000"
	}
	return fmt.Sprintf("100%03o", s.Mode.Perm())
}

// isBinary reports whether a content is no text.
func isBinary(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b) }

// label is a path as a diff names it.
func (k *Keeper) label(path string) string {
	if path != k.root && k.within(path, k.root) {
		path = strings.TrimPrefix(path, k.root)
	}
	path = strings.TrimPrefix(path, k.sep)
	if !utf8.ValidString(path) || strings.IndexFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
		return strconv.Quote(path)
	}
	return path
}
