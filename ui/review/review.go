// Package review is the window in which the user decides about the hunks of an edit: before
// it is made, or afterwards.
//
// Guarantees:
//
//   - Before an edit is made, nothing is sent while a hunk is undecided.
//   - Each hunk is shown whole, with its file and its place; what is decided about it stands
//     in words above it.
//   - What was decided and written stays in the window; closing it answers nothing.
//   - Rows are exact in number and width. A frame costs what is in sight, and the differences
//     are drawn again only for another width, other colours or the other form.
//
// A [Window] belongs to one goroutine. It asks for what it cannot do by itself with the
// requests of this package.
package review

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/diff"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// Options are what a window is made of.
type Options struct {
	Styles *rows.Styles
	// Title says whose edit it is.
	Title string
	Edit  *event.Edit
	// Made says that the edit was made already: what is not decided about stays.
	Made bool
	// Notes say what of the edit is not shown.
	Notes []string
	// Edits are the actions of a text.
	Edits map[keys.Action]composer.Action
	// Hints give the reminders of keys, as the user has set them; one without a text has that
	// of the table.
	Hints func(list ...keys.Hint) []status.Hint
}

// The requests of a window.
type (
	// Send asks to send what was decided.
	Send struct {
		Of     *Window
		Review hunks.Review
	}
	// Editor asks to have a text changed in the user's editor, which is given back with
	// [Window.Written]. Name is that of the file.
	Editor struct {
		Of         *Window
		Name, Text string
	}
)

// piece is what can be decided about by itself.
type piece struct {
	file, number int // of the edit, of its file
	hunk         int // of the differences of the file, -1 for none
	what         string
	line         int
	proposed     string // the new lines, as they can be written otherwise
	editable     bool

	verdict hunks.Verdict // empty: none yet
	text    string
	comment string
}

// Window implements [overlay.Box].
type Window struct {
	o      Options
	diffs  []*diff.Diff // of the files
	pieces []piece

	at     int  // the marked piece
	sides  bool // old and new stand side by side
	chosen bool // which the user has chosen
	top    int  // the first line in sight
	follow bool // the marked piece is to be in sight
	say    string

	input   *composer.Composer
	writing writing

	drawn drawing
	h     int // of the lines in sight, at the newest drawing
}

// writing is what the input is for.
type writing uint8

const (
	nothing writing = iota
	comment
	text
)

// New makes a window.
func New(o Options) *Window {
	w := &Window{o: o, follow: true}
	for i, f := range o.Edit.Files {
		w.diffs = append(w.diffs, diff.New(f.Diff))
		w.add(i, f, parse(f.Diff))
	}
	w.input = composer.New(composer.Options{Styles: o.Styles})
	return w
}

// add adds the pieces of a file.
func (w *Window) add(i int, f event.EditFile, parts []part) {
	number := 0
	put := func(p piece) {
		p.file, p.number = i, number
		w.pieces = append(w.pieces, p)
		number++
	}
	whole := piece{hunk: -1, what: map[hunks.Op]string{
		hunks.Create: "new file " + f.Name, hunks.Delete: "delete " + f.Name, hunks.Move: "move " + f.Name + " to " + f.To, hunks.Change: f.Name,
	}[f.Op]}
	switch {
	case f.Opaque != "" || f.Op == hunks.Create || f.Op == hunks.Delete:
		if len(parts) > 0 {
			whole.hunk, whole.proposed = 0, parts[0].added
		}
		if f.Opaque != "" {
			whole.what += " (" + f.Opaque + ")"
		}
		whole.editable = f.Op == hunks.Create && f.Opaque == "" && !f.Masked
		put(whole)
		return
	case f.Op == hunks.Move:
		put(whole)
	}
	for n, p := range parts {
		put(piece{hunk: n, what: f.Name, line: p.line, proposed: p.added, editable: !f.Masked})
	}
}

// part is a place where two texts differ.
type part struct {
	line  int // where it begins in the new text
	added string
}

// parse finds the places where the texts of a unified difference of one file differ.
func parse(text string) (list []part) {
	line, body, in, plus := 0, false, false, false
	for raw := range strings.SplitSeq(text, "\n") {
		sign := byte(0)
		if raw != "" {
			sign = raw[0]
		}
		switch {
		case sign == '@':
			_, at, _ := strings.Cut(raw, " +")
			number, _, _ := strings.Cut(at, " ")
			number, _, _ = strings.Cut(number, ",")
			line, _ = strconv.Atoi(number)
			body, in = true, false
		case !body:
		case sign == '+' || sign == '-':
			if !in {
				list, in = append(list, part{line: max(line, 1)}), true
			}
			if sign == '+' {
				list[len(list)-1].added += raw[1:] + "\n"
				line++
			}
			plus = sign == '+'
		case sign == ' ':
			line, in = line+1, false
		case sign == '\\' && in && plus: // the line before has no line feed
			list[len(list)-1].added = strings.TrimSuffix(list[len(list)-1].added, "\n")
		}
	}
	for i := range list {
		list[i].added = plain(list[i].added)
	}
	return list
}

// plain is a text as it is written otherwise: with line feeds, the last one without.
func plain(text string) string {
	if strings.Count(text, "\r\n") == strings.Count(text, "\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.TrimSuffix(text, "\n")
}

// SetStyles implements [overlay.Box].
func (w *Window) SetStyles(st *rows.Styles) {
	w.o.Styles = st
	w.input.SetStyles(st)
}

// Contexts are where keys of the table have a meaning besides those of any window.
func (w *Window) Contexts() []keys.Context {
	if w.writing != nothing {
		return []keys.Context{keys.InComposer}
	}
	return []keys.Context{keys.InReview}
}

// Typing reports whether text goes into a comment or a hunk, whatever else its keys mean.
func (w *Window) Typing() bool { return w.writing != nothing }

// Hints are the keys that leave the window, for the status row.
func (w *Window) Hints(leave string) []keys.Hint {
	if w.writing != nothing {
		leave = "back to the hunks"
	}
	return []keys.Hint{{Action: keys.Escape, Text: leave}}
}

// Type implements [overlay.Box].
func (w *Window) Type(s string) overlay.Request {
	if w.writing == nothing {
		return nil
	}
	w.input.Insert(spellTabs(s))
	return nil
}

// Back implements [overlay.Box]: it gives up what is being written.
func (w *Window) Back() (closed bool) {
	if w.writing == nothing {
		return true
	}
	w.writing = nothing
	return false
}

// Move implements [overlay.Box].
func (w *Window) Move(m overlay.Move) overlay.Request {
	if w.writing != nothing {
		switch m {
		case overlay.Up:
			w.input.Do(composer.Up)
		case overlay.Down:
			w.input.Do(composer.Down)
		}
		return nil
	}
	w.top = m.From(w.top, max(w.drawn.height-w.h, 0)+1, max(w.h-1, 1))
	w.follow = false
	return nil
}

// tabs stands for a tab in what is written: a tab has no width of its own there.
const tabs = "⇥"

func spellTabs(s string) string { return strings.ReplaceAll(s, "\t", tabs) }

// title is the title of a window of so many cells, and as much of what stands beside it as
// has room there.
func (w *Window) title(bw int) (title, note string) {
	var open, yes, no, own, said int
	for _, p := range w.pieces {
		switch p.verdict {
		case "":
			open++
		case hunks.Accept:
			yes++
		case hunks.Reject:
			no++
		case hunks.Replace:
			own++
		}
		if p.comment != "" {
			said++
		}
	}
	var list []string
	count := func(n int, what string) {
		if n > 0 {
			list = append(list, strconv.Itoa(n)+" "+what)
		}
	}
	if !w.o.Made {
		count(open, "undecided")
		count(yes, "accepted")
	}
	count(no, "rejected")
	count(own, "rewritten")
	count(said, "with a comment")
	title = term.Line(w.o.Title)
	for len(list) > 1 && rows.Width(title+strings.Join(list, " · "))+12 > bw {
		list = list[:len(list)-1]
	}
	return title, strings.Join(list, " · ")
}
