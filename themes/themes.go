// Package themes holds the colours of the program as data. A theme names
// colours by what they mean on the screen, never by hue. It sets no background
// but the terminal's own, except where something must stand out. What is to be
// read has a contrast of at least 4.5:1 to what it may stand on.
package themes

// Color is "#rrggbb", or empty for the terminal's default.
type Color string

// Theme is a set of colours. Themes are values and never change.
type Theme struct {
	Name string
	Dark bool

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

// Dark is the theme for dark terminals.
func Dark() Theme {
	return Theme{
		Name: "dark", Dark: true,
		Text: "#d7dbe2", Strong: "#f3f5f8", Muted: "#a3abb8", Faint: "#8d95a3", Border: "#3c434f",
		Accent: "#e2a55a", User: "#79cdb4", Reasoning: "#ab9dd9", Link: "#70b3e2", Code: "#d3bd92",
		Good: "#7fc58c", Warn: "#e6b96b", Bad: "#ea7680", Info: "#7aaedb",
		SelectedBg: "#222936", BadgeFg: "#14171c",
		AddedBg: "#18271e", RemovedBg: "#2b1b1f", AddedWordBg: "#2b523a", RemovedWordBg: "#5e2a33",
		Syntax: Syntax{
			Keyword: "#c795d8", Name: "#82b7e6", Type: "#e0bd7d", String: "#98c58a", Number: "#dba06f",
			Comment: "#8d95a3", Operator: "#9fb4c7", Deleted: "#ea7680", Inserted: "#7fc58c",
		},
	}
}

// Light is the theme for light terminals.
func Light() Theme {
	return Theme{
		Name: "light", Dark: false,
		Text: "#262a32", Strong: "#0e1116", Muted: "#525b67", Faint: "#626b78", Border: "#c6ccd5",
		Accent: "#9c5700", User: "#0f6b55", Reasoning: "#664bab", Link: "#1b60a3", Code: "#75490d",
		Good: "#28743b", Warn: "#8f5b00", Bad: "#ac2b38", Info: "#23629c",
		SelectedBg: "#e9eef5", BadgeFg: "#ffffff",
		AddedBg: "#e4f3e8", RemovedBg: "#faeaec", AddedWordBg: "#b4dfc0", RemovedWordBg: "#f0bfc6",
		Syntax: Syntax{
			Keyword: "#8a3ca6", Name: "#1b60a3", Type: "#8f5b00", String: "#2f7130", Number: "#a04d12",
			Comment: "#626b78", Operator: "#48586a", Deleted: "#ac2b38", Inserted: "#28743b",
		},
	}
}

// Named finds a built-in theme.
func Named(name string) (Theme, bool) {
	for _, t := range []Theme{Dark(), Light()} {
		if t.Name == name {
			return t, true
		}
	}
	return Theme{}, false
}
