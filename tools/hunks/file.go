package hunks

import (
	"io/fs"
	"slices"
)

// Op is what happens to a file.
type Op string

// What can happen to a file.
const (
	Change Op = "change"
	Create Op = "create"
	Delete Op = "delete"
	Move   Op = "move"
)

// File is what happens to one file.
type File struct {
	// Name is what the user knows it by, To the name that it gets (Move).
	Name, To string
	// Path is by which the program knows it.
	Path string
	Op   Op
	// Old and New are its content before and after. Where Opaque says in words why they are
	// not compared ("a binary file"), the file can only be decided about as a whole.
	Old, New string
	Opaque   string
	// Mode are the permission bits before, where they are known.
	Mode fs.FileMode
}

// Piece is a part of what happens to a file that can be decided about by itself: a hunk, or
// that the file is made, deleted or moved. A file that is made, deleted or opaque is one
// piece; that of a move comes before the hunks.
type Piece struct {
	Hunk
	// Whole says that it is about the file as such; Hunk is then all of its lines, or none.
	Whole bool
}

// Pieces are what happens to some file, with its texts compared.
type Pieces struct {
	*Compared
	File *File
	List []Piece
}

// Pieces divides what happens to a file into what can be decided about.
func (f *File) Pieces() *Pieces {
	p := &Pieces{Compared: Compare(f.Old, f.New), File: f}
	switch {
	case f.Opaque != "", f.Op == Create, f.Op == Delete:
		whole := Piece{Whole: true, Hunk: Hunk{Span{0, len(p.Old)}, Span{0, len(p.New)}}}
		p.List = []Piece{whole}
		if p.Hunks = nil; whole.Old.Len()+whole.New.Len() > 0 {
			p.Hunks = []Hunk{whole.Hunk}
		}
		return p
	case f.Op == Move:
		p.List = append(p.List, Piece{Whole: true})
	}
	for _, h := range p.Hunks {
		p.List = append(p.List, Piece{Hunk: h})
	}
	return p
}

// moves is 1 where the first piece is that of a move, so that the hunks begin behind it.
func (p *Pieces) moves() int {
	if p.File.Op == Move && p.File.Opaque == "" {
		return 1
	}
	return 0
}

// Editable reports whether a piece is lines that can be written otherwise.
func (p *Pieces) Editable(piece int) bool {
	at := p.List[piece]
	return p.File.Opaque == "" && p.File.Op != Delete && (!at.Whole || p.File.Op == Create)
}

// Verdict is how a piece was decided.
type Verdict string

// The verdicts.
const (
	Accept  Verdict = "accept"
	Reject  Verdict = "reject"
	Replace Verdict = "replace" // by a text of the user's
)

// Decision is what was decided about a piece.
type Decision struct {
	File    int     `json:"file"`
	Piece   int     `json:"piece"`
	Verdict Verdict `json:"verdict"`
	// Text stands in the place of the new lines (Replace), byte for byte.
	Text string `json:"text,omitempty"`
	// Comment is what the user has to say about it.
	Comment string `json:"comment,omitempty"`
}

// Review is what was decided about the pieces of some files.
type Review struct {
	// Rest is the verdict on the pieces that List does not name.
	Rest Verdict    `json:"rest"`
	List []Decision `json:"list,omitempty"`
}

// Fits reports whether a review is one of these files: each piece is decided at most once,
// and only what is editable is written otherwise.
func (r *Review) Fits(files []*Pieces) bool {
	if r.Rest != Accept && r.Rest != Reject {
		return false
	}
	seen := map[[2]int]bool{}
	for _, d := range r.List {
		at := [2]int{d.File, d.Piece}
		if d.File < 0 || d.File >= len(files) || d.Piece < 0 || d.Piece >= len(files[d.File].List) || seen[at] {
			return false
		}
		switch seen[at] = true; d.Verdict {
		case Accept, Reject:
		case Replace:
			if !files[d.File].Editable(d.Piece) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Of gives the decisions about the pieces of a file, in their order.
func (r *Review) Of(file int, p *Pieces) []Decision {
	list := make([]Decision, len(p.List))
	for i := range list {
		list[i] = Decision{File: file, Piece: i, Verdict: r.Rest}
	}
	for _, d := range r.List {
		if d.File == file {
			list[d.Piece] = d
		}
	}
	return list
}

// Typed is a review whose texts were typed: their lines end as those around, see
// [Compared.Edited]. One that is what was proposed accepts that.
func (r *Review) Typed(files []*Pieces) Review {
	typed := Review{Rest: r.Rest, List: slices.Clone(r.List)}
	for i, d := range typed.List {
		if d.Verdict != Replace {
			continue
		}
		p := files[d.File]
		h := p.List[d.Piece].Hunk
		if d.Text = p.Edited(h, d.Text); d.Text == Text(p.New[h.New.From:h.New.To]) {
			d.Verdict, d.Text = Accept, ""
		}
		typed.List[i] = d
	}
	return typed
}

// Decided is what is left of what happens to a file once it was decided about, nil for
// nothing. decisions are those of [Review.Of].
func (p *Pieces) Decided(decisions []Decision) *File {
	f := *p.File
	if p.Whole() {
		switch d := decisions[0]; d.Verdict {
		case Reject:
			return nil
		case Replace:
			f.New = d.Text
		}
		return &f
	}
	first := p.moves()
	f.New = p.Join(func(hunk int) Put {
		d := decisions[first+hunk]
		if d.Verdict == Replace {
			return Put{Text: &d.Text}
		}
		return Put{New: d.Verdict == Accept}
	})
	if first == 1 && decisions[0].Verdict == Reject {
		f.Op, f.To = Change, ""
	}
	if f.Op == Change && f.New == f.Old {
		return nil
	}
	return &f
}

// Whole reports whether what happens to the file is one piece about it as such.
func (p *Pieces) Whole() bool { return len(p.List) == 1 && p.List[0].Whole && p.moves() == 0 }

// Lines are in which lines the pieces begin once they were decided about, counted from 1.
func (p *Pieces) Lines(decisions []Decision) []int {
	lines := make([]int, len(p.List))
	shift := 0
	for i, at := range p.List {
		lines[i] = at.Old.From + 1 + shift
		switch d := decisions[i]; d.Verdict {
		case Accept:
			shift += at.New.Len() - at.Old.Len()
		case Replace:
			shift += len(Lines(d.Text)) - at.Old.Len()
		}
	}
	return lines
}
