package event

import (
	"strconv"
	"strings"
	"unicode"

	"hermes-tui/tools/hunks"
)

// EditOf is what an edit does to files, for the screen; nil for none.
func EditOf(files []hunks.File) *Edit {
	if len(files) == 0 {
		return nil
	}
	e := &Edit{}
	for i := range files {
		f, p := &files[i], files[i].Pieces()
		out := EditFile{Name: f.Name, To: f.To, Op: f.Op, Pieces: len(p.List), Opaque: f.Opaque}
		if out.Opaque == "" {
			out.Added, out.Removed = p.Counts()
			out.Diff = p.Unified(side("a/", f.Name, f.Op != hunks.Create), side("b/", newName(f), f.Op != hunks.Delete))
		}
		e.Files = append(e.Files, out)
	}
	return e
}

func newName(f *hunks.File) string {
	if f.Op == hunks.Move {
		return f.To
	}
	return f.Name
}

// side names one side of a difference; a name cannot break its line.
func side(prefix, name string, exists bool) string {
	switch {
	case !exists:
		return "/dev/null"
	case strings.IndexFunc(name, unicode.IsControl) >= 0:
		name = strconv.Quote(name)
	}
	return prefix + name
}
