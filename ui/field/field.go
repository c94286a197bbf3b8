// Package field is a window in which the user writes a text, over the window that asks for it.
//
// A [Field] belongs to one goroutine. Text from outside is made safe as in the composer.
package field

import (
	"strings"

	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// Options are what a field is made of.
type Options struct {
	Styles *rows.Styles
	Title  string
	// Now is the text that it begins with.
	Now string
	// Edits are the actions of a text.
	Edits map[keys.Action]composer.Action
	// Hints remind of keys, on the lower edge.
	Hints []status.Hint
	// Done returns what is asked for when a text is taken; an empty one is not.
	Done func(text string) overlay.Request
}

// Field implements [overlay.Box].
type Field struct {
	o     Options
	input *composer.Composer
}

var _ overlay.Box = (*Field)(nil)

// New makes a field.
func New(o Options) *Field {
	f := &Field{o: o, input: composer.New(composer.Options{Styles: o.Styles})}
	f.input.Insert(o.Now)
	return f
}

// Typing reports that keys which stand for text are text.
func (*Field) Typing() bool { return true }

// Contexts are where the field has keys of its own.
func (*Field) Contexts() []keys.Context { return []keys.Context{keys.InComposer} }

// SetStyles implements [overlay.Box].
func (f *Field) SetStyles(st *rows.Styles) {
	f.o.Styles = st
	f.input.SetStyles(st)
}

// The width of a field in cells, where the screen allows it.
const (
	margin   = 6
	maxWidth = 84
	edges    = 4
)

// Size implements [overlay.Box].
func (f *Field) Size(w, h int) (bw, bh int) {
	bw = max(min(w-margin, maxWidth), min(w, edges+1))
	return bw, min(f.input.Height(max(bw-edges, 1), max(h/2, 1))+2, h)
}

// Rows implements [overlay.Box].
func (f *Field) Rows(dst []string, w, h int) []string {
	if h < 3 || w <= edges {
		return rows.Fill(dst, len(dst), max(h, 0), w)
	}
	frame := overlay.NewFrame(f.o.Styles, dst, w, h)
	frame.Top(f.o.Title, "")
	for _, row := range f.input.Rows(nil, frame.Inner(), h-2) {
		frame.Put(row)
	}
	return frame.Bottom(f.o.Hints)
}

// Cursor implements [overlay.Box].
func (f *Field) Cursor(w, h int) (x, y int, ok bool) {
	if h < 3 || w <= edges {
		return 0, 0, false
	}
	x, y, ok = f.input.Cursor()
	return x + edges/2, y + 1, ok
}

// Move implements [overlay.Box].
func (f *Field) Move(m overlay.Move) overlay.Request {
	if a, ok := map[overlay.Move]composer.Action{
		overlay.Up: composer.Up, overlay.Down: composer.Down, overlay.Top: composer.Home, overlay.Bottom: composer.End,
	}[m]; ok {
		f.input.Do(a)
	}
	return nil
}

// Act implements [overlay.Box].
func (f *Field) Act(a keys.Action) overlay.Request {
	if e, ok := f.o.Edits[a]; ok {
		f.input.Do(e)
		return nil
	}
	switch a {
	case keys.Newline:
		f.input.Do(composer.Newline)
	case keys.Accept:
		if text := strings.TrimSpace(f.input.Value()); text != "" {
			return f.o.Done(text)
		}
	}
	return nil
}

// Type implements [overlay.Box].
func (f *Field) Type(text string) overlay.Request {
	f.input.Insert(text)
	return nil
}

// Back implements [overlay.Box].
func (*Field) Back() (closed bool) { return true }
