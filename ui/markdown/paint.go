package markdown

import "hermes-tui/ui/rows"

// look is what a span of text looks like: one base and any number of flags.
type look uint16

// The flags of a look.
const (
	bold look = 1 << iota
	italic
	strike
	code
	link
	aside // a link's target
	flags = iota
)

// The bases of a look.
const (
	body look = iota << flags
	quoted
	title
	heading
	minor // headings of the lowest levels
	bases = iota
)

// palette gives looks their escape sequences in one set of styles.
type palette struct {
	st    *rows.Styles
	opens [bases << flags]string
	known [bases << flags]bool
	code  *[kinds]string
}

func newPalette(st *rows.Styles) *palette { return &palette{st: st} }

// open is the sequence that switches a look on.
func (p *palette) open(l look) string {
	if !p.known[l] {
		p.known[l], p.opens[l] = true, p.style(l).Open()
	}
	return p.opens[l]
}

// syntax gives the kinds of code their escape sequences.
func (p *palette) syntax() *[kinds]string {
	if p.code == nil {
		opens := syntax(p.st)
		p.code = &opens
	}
	return p.code
}

func (p *palette) style(l look) rows.Style {
	var s rows.Style
	switch {
	case l&code != 0:
		s = p.st.Code
	case l&link != 0:
		s = p.st.Link
	case l&aside != 0:
		s = p.st.Faint
	default:
		s = p.base(l &^ (1<<flags - 1))
	}
	if l&code != 0 && l&link != 0 {
		s = s.With(rows.Underline)
	}
	if l&bold != 0 {
		s = s.With(rows.Bold)
	}
	if l&italic != 0 {
		s = s.With(rows.Italic)
	}
	if l&strike != 0 {
		s = s.With(rows.Strike)
	}
	return s
}

func (p *palette) base(l look) rows.Style {
	switch l {
	case quoted:
		return p.st.Muted
	case title:
		return p.st.Accent.With(rows.Bold)
	case heading:
		return p.st.Strong
	case minor:
		return p.st.Text.With(rows.Bold, rows.Italic)
	}
	return p.st.Text
}
