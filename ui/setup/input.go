// Package setup is the window in which the program asks for a key, an address or the value
// of a setting and says what came of it.
//
// A key is never drawn, only how long it is, and its bytes are overwritten when it was
// taken or the window is left.
package setup

import (
	"strings"

	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/prompt"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// Options say what is asked for.
type Options struct {
	Title string
	// Lines are paragraphs above the input, Could what could be typed.
	Lines []string
	Could string
	// Masked hides what is typed.
	Masked bool
	// Text stands there at first.
	Text string
	// Setting says that this is no step of the setup, and that nothing is an answer, too.
	Setting bool
	// Typed says what is asked for when the input is done.
	Typed func(text string) overlay.Request
	Hints []status.Hint
}

// Input is the window. The zero value is not ready, see [New].
type Input struct {
	o      Options
	st     *rows.Styles
	secret prompt.Hidden
	query  overlay.Query
	busy   string // what is waited for
	failed string // why the last input was not taken
}

var _ overlay.Box = (*Input)(nil)

// New makes a window that waits for an input.
func New(st *rows.Styles, o Options) *Input {
	o.Title = term.Line(o.Title)
	for i, l := range o.Lines {
		o.Lines[i] = term.Line(l)
	}
	return &Input{o: o, st: st, query: overlay.Query("").Add(o.Text)}
}

// Wait says what is waited for; until [Input.Fail] nothing is taken.
func (i *Input) Wait(text string) { i.busy, i.failed = term.Line(text), "" }

// Fail says in a sentence why the input was not taken, empty for no reason.
func (i *Input) Fail(why string) { i.busy, i.failed = "", term.Line(why) }

// Secret reports whether what is typed is hidden.
func (i *Input) Secret() bool { return i.o.Masked }

// Waiting reports whether something is waited for.
func (i *Input) Waiting() bool { return i.busy != "" }

// Contexts are where the window has keys of its own.
func (*Input) Contexts() []keys.Context { return []keys.Context{keys.InSetup} }

// Name is what another window leads back to.
func (*Input) Name() string { return "what you typed" }

// SetStyles implements [overlay.Box].
func (i *Input) SetStyles(st *rows.Styles) { i.st = st }

// The most cells of the window, and those of its edges.
const (
	most  = 76
	edges = 4
)

// Size implements [overlay.Box].
func (i *Input) Size(w, h int) (bw, bh int) {
	bw = min(max(min(w-6, most), 40), w)
	above, below := i.texts(bw - edges)
	return bw, min(len(above)+1+len(below)+2, max(h, 0))
}

// texts are the rows above and below the input.
func (i *Input) texts(w int) (above, below []string) {
	wrap := func(dst []string, style rows.Style, text string) []string {
		for _, row := range rows.Wrap(nil, text, w) {
			dst = append(dst, style.Render(row))
		}
		return dst
	}
	for _, l := range i.o.Lines {
		above = append(wrap(above, i.st.Text, l), "")
	}
	switch {
	case i.busy != "":
		below = wrap([]string{""}, i.st.Muted, i.busy)
	case i.failed != "":
		below = wrap([]string{""}, i.st.Warn, "! "+i.failed)
	}
	return above, below
}

// Rows implements [overlay.Box].
func (i *Input) Rows(dst []string, w, h int) []string {
	if h < 3 || w < edges+1 {
		return rows.Fill(dst, len(dst), max(h, 0), w)
	}
	above, below := i.fit(w-edges, h)
	f := overlay.NewFrame(i.st, dst, w, h)
	f.Top(i.o.Title, "")
	for _, row := range above {
		f.Put(rows.Fit(row, f.Inner()))
	}
	if i.o.Masked && !i.secret.Empty() {
		f.Put(rows.Fit(i.st.Accent.Render("❯ ")+i.st.Text.Render(i.secret.Dots(w-edges-3)), f.Inner()))
	} else {
		f.Add(i.query.Row(i.st, w-2, i.o.Could))
	}
	for _, row := range below {
		f.Put(rows.Fit(row, f.Inner()))
	}
	return f.Bottom(i.o.Hints)
}

// fit are the rows around the input that a window of h rows has room for: what came of
// the input goes before what was said of it.
func (i *Input) fit(w, h int) (above, below []string) {
	above, below = i.texts(w)
	room := max(h-3, 0)
	below = below[:min(len(below), room)]
	return above[max(len(above)-(room-len(below)), 0):], below
}

// Cursor implements [overlay.Box].
func (i *Input) Cursor(w, h int) (x, y int, ok bool) {
	above, _ := i.fit(w-edges, h)
	if i.o.Masked {
		return edges/2 + 2 + rows.Width(i.secret.Dots(w-edges-3)), 1 + len(above), h >= 3 && w > edges+2 && i.busy == ""
	}
	x, _, ok = i.query.Cursor(w, h)
	return x, 1 + len(above), ok && i.busy == ""
}

// Move implements [overlay.Box].
func (*Input) Move(overlay.Move) overlay.Request { return nil }

// Left asks to leave the setup.
type Left struct{}

// Act implements [overlay.Box].
func (i *Input) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Skip:
		if i.o.Setting {
			return nil
		}
		i.secret.Wipe()
		return Left{}
	case keys.Backspace:
		if i.busy == "" {
			i.query = i.query.Shorter()
			i.secret.Do(composer.Backspace)
		}
	case keys.KillStart:
		if i.busy == "" {
			i.query = ""
			i.secret.Wipe()
		}
	case keys.Accept:
		text := string(i.query)
		if i.busy != "" {
			return nil
		}
		if i.o.Masked {
			text = i.secret.Take()
		}
		if text = strings.TrimSpace(text); text == "" && (i.o.Masked || !i.o.Setting) {
			i.failed = "Nothing was typed yet."
			return nil
		}
		return i.o.Typed(text)
	}
	return nil
}

// Type implements [overlay.Box].
func (i *Input) Type(text string) overlay.Request {
	if i.busy != "" {
		return nil
	}
	i.failed = ""
	switch {
	case i.o.Masked:
		i.secret.Add(text)
	default:
		i.query = i.query.Add(text)
	}
	return nil
}

// Back implements [overlay.Box].
func (i *Input) Back() (closed bool) {
	i.secret.Wipe()
	return true
}
