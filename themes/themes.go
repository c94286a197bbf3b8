// Package themes holds the colours of the program as data. A theme names
// colours by what they mean on the screen, never by hue. It sets no background
// but the terminal's own, except where something must stand out. What is to be
// read has a contrast of at least 4.5:1 to what it may stand on, hints one of 3:1,
// on the background that the theme is made for.
//
// A theme has values of its own for each [Depth] of a terminal, and besides those
// that are built in there are skins: files of the user's, which change some colours
// of another theme, see [Library].
package themes

// Theme is a set of colours, for one depth. Themes are values and never change.
type Theme struct {
	// Mono says that there are no colours: what matters is bold, underlined or
	// reversed.
	Mono bool

	Text   Color // body
	Strong Color // headings, what matters
	Muted  Color // secondary text
	Faint  Color // gutters, hints
	Border Color

	Accent    Color // the program's own mark, focus
	User      Color // what the user wrote
	Reasoning Color
	Link      Color
	Code      Color // inline code and fences without a language

	Good Color
	Warn Color
	Bad  Color
	Info Color

	// SelectedBg lies behind a marked row.
	SelectedBg Color
	// BadgeFg lies on a coloured badge.
	BadgeFg Color

	// AddedBg and RemovedBg lie behind the lines of a difference, the others behind
	// what has changed within a line. Lines without a background are drawn in
	// Syntax.Inserted and Syntax.Deleted.
	AddedBg, RemovedBg         Color
	AddedWordBg, RemovedWordBg Color

	// Syntax colours a highlighted code block.
	Syntax Syntax
}

// Syntax holds the colours of code.
type Syntax struct {
	Keyword, Name, Type, String, Number, Comment, Operator, Deleted, Inserted Color
}

// Scheme is a theme at every depth.
type Scheme struct {
	Name string
	// About says in a few words what it looks like.
	About string
	Dark  bool
	// Background is that of the terminal for which the theme is made, empty for any. It
	// is not set.
	Background Color
	// The colours of Palette256 are ones that stay what they are when that palette is
	// applied: of its cube and its greys. Those of Palette16 are named ones; sixteen are
	// too few for backgrounds under text.
	True, Palette256, Palette16 Theme
	// File is where a skin was read from, empty for what is built in.
	File string
}

// At is the theme for a terminal of a depth.
func (s Scheme) At(d Depth) Theme {
	switch d {
	case Palette256:
		return s.Palette256
	case Palette16:
		return s.Palette16
	case Mono:
		return Theme{Mono: true}
	}
	return s.True
}

// builtin are the themes that are part of the program, in the order in which they are
// offered.
var builtin = [...]struct {
	name string
	make func() Scheme
}{
	{"dark", dark}, {"light", light}, {"contrast-dark", contrastDark}, {"contrast-light", contrastLight},
	{"colorblind-dark", colorblindDark}, {"colorblind-light", colorblindLight}, {"mono", mono},
	{"violet", violet}, {"arctic", arctic}, {"earth", earth}, {"lagoon", lagoon}, {"cream", cream},
}

// Builtin are the themes that are part of the program.
func Builtin() []Scheme {
	list := make([]Scheme, len(builtin))
	for i, b := range builtin {
		list[i] = b.make()
	}
	return list
}

// Names are those of [Builtin].
func Names() []string {
	list := make([]string, len(builtin))
	for i, b := range builtin {
		list[i] = b.name
	}
	return list
}

// Auto is the name of the choice to have [Fitting] choose.
const Auto = "auto"

// Fitting is the theme that goes with a dark background or a light one.
func Fitting(onDark bool) Scheme {
	if onDark {
		return dark()
	}
	return light()
}

// Dark is the theme for dark terminals, in true colour.
func Dark() Theme { return dark().True }

// Light is the theme for light terminals, in true colour.
func Light() Theme { return light().True }

// Named finds a built-in theme.
func Named(name string) (Scheme, bool) {
	for _, b := range builtin {
		if b.name == name {
			return b.make(), true
		}
	}
	return Scheme{}, false
}
