package themes

import "github.com/charmbracelet/colorprofile"

// Depth is how many colours a terminal has.
type Depth int

// The depths.
const (
	TrueColor Depth = iota
	Palette256
	Palette16
)

// DepthOf is the depth of a terminal with such a profile.
func DepthOf(p colorprofile.Profile) Depth {
	switch p {
	case colorprofile.ANSI256:
		return Palette256
	case colorprofile.ANSI:
		return Palette16
	}
	return TrueColor
}

// For is the theme for a terminal of a depth. Its colours are ones that stay what
// they are when the palette is applied: of the cube and the greys of 256 colours,
// or nearest to one of the 16 colours. Sixteen are too few for backgrounds under
// text.
func (t Theme) For(d Depth) Theme {
	switch {
	case d == Palette256 && t.Dark:
		return dark256()
	case d == Palette256:
		return light256()
	case d == Palette16 && t.Dark:
		return dark16()
	case d == Palette16:
		return light16()
	}
	return t
}

func dark256() Theme {
	return Theme{
		Name: "dark", Dark: true,
		Text: "#dadada", Strong: "#eeeeee", Muted: "#b2b2b2", Faint: "#9e9e9e", Border: "#444444",
		Accent: "#ffaf5f", User: "#87d7af", Reasoning: "#afafff", Link: "#87afff", Code: "#d7af87",
		Good: "#87d787", Warn: "#ffd75f", Bad: "#ff8787", Info: "#87afd7",
		SelectedBg: "#303030", BadgeFg: "#121212",
		AddedWordBg: "#005f00", RemovedWordBg: "#5f0000",
		Syntax: Syntax{
			Keyword: "#d787d7", Name: "#87afff", Type: "#ffd787", String: "#87d787", Number: "#ffaf87",
			Comment: "#9e9e9e", Operator: "#afd7d7", Deleted: "#ff8787", Inserted: "#87d787",
		},
	}
}

func light256() Theme {
	return Theme{
		Name: "light", Dark: false,
		Text: "#262626", Strong: "#080808", Muted: "#4e4e4e", Faint: "#626262", Border: "#c6c6c6",
		Accent: "#875f00", User: "#005f5f", Reasoning: "#5f00af", Link: "#005faf", Code: "#5f5f00",
		Good: "#005f00", Warn: "#875f00", Bad: "#af0000", Info: "#005f87",
		SelectedBg: "#e4e4e4", BadgeFg: "#ffffff",
		AddedWordBg: "#d7ffd7", RemovedWordBg: "#ffd7d7",
		Syntax: Syntax{
			Keyword: "#870087", Name: "#005faf", Type: "#875f00", String: "#005f00", Number: "#af0000",
			Comment: "#626262", Operator: "#4e4e4e", Deleted: "#af0000", Inserted: "#005f00",
		},
	}
}

func dark16() Theme {
	const (
		black, silver, grey                     = "#000000", "#9e9e9e", "#585858"
		red, green, yellow, magenta, cyan Color = "#ff0000", "#00ff00", "#ffff00", "#ff00ff", "#00ffff"
	)
	return Theme{
		Name: "dark", Dark: true,
		Muted: silver, Faint: silver, Border: grey,
		Accent: yellow, User: cyan, Reasoning: magenta, Link: cyan, Code: yellow,
		Good: green, Warn: yellow, Bad: red, Info: cyan, BadgeFg: black,
		Syntax: Syntax{
			Keyword: magenta, Name: cyan, Type: yellow, String: green, Number: yellow,
			Comment: silver, Deleted: red, Inserted: green,
		},
	}
}

// light16 has neither green nor yellow: no common palette has ones that can be
// read on white.
func light16() Theme {
	const red, blue, magenta, white, silver Color = "#800000", "#000080", "#800080", "#ffffff", "#9e9e9e"
	return Theme{
		Name: "light", Dark: false,
		Border: silver,
		Accent: blue, User: blue, Reasoning: magenta, Link: blue, Code: magenta,
		Warn: magenta, Bad: red, Info: blue, BadgeFg: white,
		Syntax: Syntax{Keyword: magenta, Name: blue, String: blue, Number: red, Deleted: red, Inserted: blue},
	}
}
