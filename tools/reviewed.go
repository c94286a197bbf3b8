package tools

import (
	"fmt"
	"path/filepath"
	"slices"

	"hermes-tui/tools/hunks"
)

// Reviewed is an edit as the user has seen it, and what they have decided about its pieces.
type Reviewed struct {
	Files  []hunks.File
	Review hunks.Review
}

// ReviewOf is the review that a permit was given with, nil for one without: the edit was not
// shown.
func ReviewOf(p Permit) *Reviewed {
	if r, ok := p.(interface{ Reviewed() *Reviewed }); ok {
		return r.Reviewed()
	}
	return nil
}

// EditFiles is what changes do to files, for a review. Texts that are too large together
// to be compared are shown as a whole.
func EditFiles(changes []TextChange) []hunks.File {
	list := make([]hunks.File, len(changes))
	size := 0
	for i, ch := range changes {
		f := hunks.File{Name: ch.File.Name, Path: ch.File.Real, Op: hunks.Change, Old: ch.File.Body, New: ch.Body}
		switch {
		case ch.Op == OpMove:
			f.Op, f.To = hunks.Move, ch.To.Name
		case ch.Op == OpDelete:
			f.Op, f.New = hunks.Delete, ""
		case !ch.File.Exists:
			f.Op = hunks.Create
		}
		if size += len(f.Old) + len(f.New); size > hunks.MaxCompared {
			f.Opaque = "too large to be shown"
		}
		list[i] = f
	}
	return list
}

// Decide gives what is left of each file of an edit, nil for nothing, and what the model is
// told of that, nil for nothing. now is what the edit would do by what is on the disk now:
// where that is no longer what the user has seen, the error says so.
func (r *Reviewed) Decide(now []hunks.File) ([]*hunks.File, *hunks.Report, error) {
	if !slices.Equal(now, r.Files) {
		name := r.Files[0].Name
		for i, f := range r.Files {
			if i >= len(now) || now[i] != f {
				name = f.Name
				break
			}
		}
		return nil, r.Lost(), fmt.Errorf("%q was changed by someone else while the user looked at this edit, which does not fit any more; nothing was changed. Read it again and repeat the edit", name)
	}
	pieces := r.pieces()
	left := make([]*hunks.File, len(pieces))
	for i, p := range pieces {
		left[i] = p.Decided(r.Review.Of(i, p))
	}
	told := r.Review.Tell(pieces)
	if told != nil {
		told.Note = "The user looked at this edit hunk by hunk. Only what they accepted was written, and what they wrote themselves. " +
			"Do not make rejected changes again unless they ask for it; follow their comments."
	}
	return left, told, nil
}

func (r *Reviewed) pieces() []*hunks.Pieces {
	list := make([]*hunks.Pieces, len(r.Files))
	for i := range r.Files {
		list[i] = r.Files[i].Pieces()
	}
	return list
}

// Lost is what the model is told of a review of an edit that could not be carried out.
func (r *Reviewed) Lost() *hunks.Report {
	if r == nil {
		return nil
	}
	told := r.Review.Tell(r.pieces())
	if told != nil {
		told.Note = "This is what the user had decided. Nothing of it was carried out."
	}
	return told
}

// Changes gives what is left of some changes, in their order, and what the model is told of
// that. Of a nil review nothing is decided, and all of them are left.
func (r *Reviewed) Changes(list []TextChange) ([]TextChange, *hunks.Report, error) {
	if r == nil {
		return list, nil, nil
	}
	files, told, err := r.Decide(EditFiles(list))
	if err != nil {
		return nil, told, err
	}
	var left []TextChange
	for i, ch := range list {
		f := files[i]
		if f == nil {
			continue
		}
		if ch.Op != OpDelete {
			ch.Body = f.New
		}
		if ch.Op == OpMove && f.Op == hunks.Change { // its move was rejected
			ch.Op, ch.To = OpWrite, Text{}
		}
		left = append(left, ch)
	}
	return left, told, nil
}

// ShortNames names files that lie below a folder by their paths in it.
func ShortNames(files []hunks.File, dir string) []hunks.File {
	list := slices.Clone(files)
	short := func(name string) string {
		if rel, err := filepath.Rel(dir, name); err == nil && name != "" && filepath.IsLocal(rel) {
			return rel
		}
		return name
	}
	for i := range list {
		list[i].Name, list[i].To = short(list[i].Name), short(list[i].To)
	}
	return list
}

// Noted adds to the few words about an edit what the user has decided about its parts.
func Noted(summary string, r *hunks.Report) string {
	if r == nil {
		return summary
	}
	if r.Rejected > 0 {
		summary += fmt.Sprintf(", %d rejected", r.Rejected)
	}
	if r.Rewritten > 0 {
		summary += fmt.Sprintf(", %d rewritten by you", r.Rewritten)
	}
	return summary
}
