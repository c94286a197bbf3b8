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

// maskedLine stands for a line of a difference that cannot be shown without a secret.
const maskedLine = "[masked]"

// Mask masks secrets in what is shown, line for line: the places where texts differ stay
// where they are.
func (e *Edit) Mask(mask func(string) string) {
	if e == nil {
		return
	}
	for i := range e.Files {
		f := &e.Files[i]
		masked := mask(f.Diff)
		if strings.Count(masked, "\n") != strings.Count(f.Diff, "\n") {
			masked = hide(f.Diff)
		}
		f.Diff, f.Masked = masked, masked != f.Diff
	}
}

// hide leaves of the lines of a difference what they are.
func hide(diff string) string {
	var b strings.Builder
	body := false
	for l := range strings.Lines(diff) {
		switch body = body || l[0] == '@'; {
		case body && (l[0] == '+' || l[0] == '-' || l[0] == ' '):
			b.WriteString(l[:1] + maskedLine + "\n")
		default:
			b.WriteString(l)
		}
	}
	return b.String()
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
