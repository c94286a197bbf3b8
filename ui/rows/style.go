package rows

import (
	"strconv"
	"strings"

	"hermes-tui/themes"
)

// reset ends every styled span, so that a row never leaks into the next.
const reset = "\x1b[m"

// Style is a set of text attributes, ready as an escape sequence. The zero
// value leaves text as it is.
type Style struct{ open string }

// Attr is one attribute of a [Style].
type Attr string

// The attributes without a colour.
const (
	Bold      Attr = "1"
	Dim       Attr = "2"
	Italic    Attr = "3"
	Underline Attr = "4"
	Reverse   Attr = "7"
	Strike    Attr = "9"
)

// Fg and Bg are the colour attributes. An empty colour is no attribute.
func Fg(c themes.Color) Attr { return colour(c, 30) }

// Bg colours the background.
func Bg(c themes.Color) Attr { return colour(c, 40) }

// colour counts from the code of the first of 16 colours; those of the brighter half
// begin 60 later, and what has three parts is introduced by the eighth.
func colour(c themes.Color, first int) Attr {
	if r, g, b, ok := c.RGB(); ok {
		return Attr(strconv.Itoa(first+8) + ";2;" + strconv.Itoa(int(r)) + ";" + strconv.Itoa(int(g)) + ";" + strconv.Itoa(int(b)))
	}
	switch i := c.Index(); {
	case i >= 8:
		return Attr(strconv.Itoa(first + 60 + i - 8))
	case i >= 0:
		return Attr(strconv.Itoa(first + i))
	}
	return ""
}

// NewStyle makes a style.
func NewStyle(attrs ...Attr) Style {
	var set []string
	for _, a := range attrs {
		if a != "" {
			set = append(set, string(a))
		}
	}
	if len(set) == 0 {
		return Style{}
	}
	return Style{open: "\x1b[" + strings.Join(set, ";") + "m"}
}

// With adds attributes to a style, those that it does not have at its end already.
func (s Style) With(attrs ...Attr) Style {
	for _, a := range attrs {
		switch {
		case a == "":
		case s.open == "":
			s = NewStyle(a)
		case !strings.HasSuffix(s.open, ";"+string(a)+"m") && s.open != "\x1b["+string(a)+"m":
			s.open = s.open[:len(s.open)-1] + ";" + string(a) + "m"
		}
	}
	return s
}

// Open is the escape sequence that begins the style, empty for none.
func (s Style) Open() string { return s.open }

// Render styles a text. Styles inside the text end the outer one; use
// [Style.Over] for text that is styled already.
func (s Style) Render(text string) string {
	if s.open == "" || text == "" {
		return text
	}
	return s.open + text + reset
}

// Over styles text that holds styles of its own: after each of them the outer
// style goes on.
func (s Style) Over(text string) string {
	if s.open == "" || text == "" {
		return text
	}
	text = strings.ReplaceAll(text, "\x1b[0m", reset)
	return s.open + strings.ReplaceAll(text, reset, reset+s.open) + reset
}

// Styles are the styles of a theme, by meaning.
type Styles struct {
	Theme themes.Theme

	Text, Strong, Muted, Faint, Border         Style
	Accent, User, Reasoning, Link, Code        Style
	Good, Warn, Bad, Info                      Style
	Selected                                   Style // a marked row
	BadgeGood, BadgeWarn, BadgeBad, BadgeMuted Style

	// Markdown are the styles of Markdown; nil means these.
	Markdown *Styles
}

// NewStylesFor is [NewStyles] with the colours of a style file for Markdown.
func NewStylesFor(t themes.Theme, file themes.StyleFile) *Styles {
	st := NewStyles(t)
	if file != (themes.StyleFile{}) {
		st.Markdown = NewStyles(t.Styled(file))
	}
	return st
}

// Marked is the attribute of a marked row, for text that has a colour of its own.
func (s *Styles) Marked() Attr {
	if s.Theme.SelectedBg == "" {
		return Reverse
	}
	return Bg(s.Theme.SelectedBg)
}

// NewStyles derives the styles of a theme. Without colours, attributes tell apart what
// has to be: bold is what matters, underlined in addition what failed, dim what frames
// the rest.
func NewStyles(t themes.Theme) *Styles {
	fg := func(c themes.Color, mono ...Attr) Style {
		if !t.Mono {
			mono = nil
		}
		return NewStyle(append([]Attr{Fg(c)}, mono...)...)
	}
	badge := func(c themes.Color) Style {
		if c == "" {
			return NewStyle(Bold, Reverse)
		}
		if t.BadgeFg == themes.Black { // many terminals show it grey where it is bold
			return NewStyle(Fg(t.BadgeFg), Bg(c))
		}
		return NewStyle(Bold, Fg(t.BadgeFg), Bg(c))
	}
	st := &Styles{
		Theme: t,
		Text:  fg(t.Text), Strong: fg(t.Strong).With(Bold), Muted: fg(t.Muted), Faint: fg(t.Faint, Dim), Border: fg(t.Border, Dim),
		Accent: fg(t.Accent, Bold), User: fg(t.User, Bold), Reasoning: fg(t.Reasoning, Italic), Link: fg(t.Link).With(Underline), Code: fg(t.Code),
		Good: fg(t.Good), Warn: fg(t.Warn, Bold), Bad: fg(t.Bad, Bold, Underline), Info: fg(t.Info),
		BadgeGood: badge(t.Good), BadgeWarn: badge(t.Warn), BadgeBad: badge(t.Bad), BadgeMuted: badge(t.Muted),
	}
	st.Selected = NewStyle(st.Marked())
	return st
}
