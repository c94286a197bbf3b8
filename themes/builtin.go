package themes

func dark() Scheme {
	return Scheme{
		Name: "dark", About: "calm colours for dark terminals", Dark: true, Background: "#1e1e1e",
		True: Theme{
			Text: "#d7dbe2", Strong: "#f3f5f8", Muted: "#a3abb8", Faint: "#8d95a3", Border: "#3c434f",
			Accent: "#e2a55a", User: "#79cdb4", Reasoning: "#ab9dd9", Link: "#70b3e2", Code: "#d3bd92",
			Good: "#7fc58c", Warn: "#e6b96b", Bad: "#ea7680", Info: "#7aaedb",
			SelectedBg: "#222936", BadgeFg: "#14171c",
			AddedBg: "#18271e", RemovedBg: "#2b1b1f", AddedWordBg: "#2b523a", RemovedWordBg: "#5e2a33",
			Syntax: Syntax{
				Keyword: "#c795d8", Name: "#82b7e6", Type: "#e0bd7d", String: "#98c58a", Number: "#dba06f",
				Comment: "#8d95a3", Operator: "#9fb4c7", Deleted: "#ea7680", Inserted: "#7fc58c",
			},
		},
		Palette256: Theme{
			Text: "#dadada", Strong: "#eeeeee", Muted: "#b2b2b2", Faint: "#9e9e9e", Border: "#444444",
			Accent: "#ffaf5f", User: "#87d7af", Reasoning: "#afafff", Link: "#87afff", Code: "#d7af87",
			Good: "#87d787", Warn: "#ffd75f", Bad: "#ff8787", Info: "#87afd7",
			SelectedBg: "#303030", BadgeFg: "#121212",
			AddedWordBg: "#005f00", RemovedWordBg: "#5f0000",
			Syntax: Syntax{
				Keyword: "#d787d7", Name: "#87afff", Type: "#ffd787", String: "#87d787", Number: "#ffaf87",
				Comment: "#9e9e9e", Operator: "#afd7d7", Deleted: "#ff8787", Inserted: "#87d787",
			},
		},
		Palette16: dark16(func(*Theme) {}),
	}
}

func light() Scheme {
	return Scheme{
		Name: "light", About: "calm colours for light terminals", Background: "#f5f5f5",
		True: Theme{
			Text: "#262a32", Strong: "#0e1116", Muted: "#525b67", Faint: "#626b78", Border: "#c6ccd5",
			Accent: "#9c5700", User: "#0f6b55", Reasoning: "#664bab", Link: "#1b60a3", Code: "#75490d",
			Good: "#28743b", Warn: "#8f5b00", Bad: "#ac2b38", Info: "#23629c",
			SelectedBg: "#e9eef5", BadgeFg: "#ffffff",
			AddedBg: "#e4f3e8", RemovedBg: "#faeaec", AddedWordBg: "#b4dfc0", RemovedWordBg: "#f0bfc6",
			Syntax: Syntax{
				Keyword: "#8a3ca6", Name: "#1b60a3", Type: "#8f5b00", String: "#2f7130", Number: "#a04d12",
				Comment: "#626b78", Operator: "#48586a", Deleted: "#ac2b38", Inserted: "#28743b",
			},
		},
		Palette256: Theme{
			Text: "#262626", Strong: "#080808", Muted: "#4e4e4e", Faint: "#626262", Border: "#c6c6c6",
			Accent: "#875f00", User: "#005f5f", Reasoning: "#5f00af", Link: "#005faf", Code: "#5f5f00",
			Good: "#005f00", Warn: "#875f00", Bad: "#af0000", Info: "#005f87",
			SelectedBg: "#e4e4e4", BadgeFg: "#ffffff",
			AddedWordBg: "#d7ffd7", RemovedWordBg: "#ffd7d7",
			Syntax: Syntax{
				Keyword: "#870087", Name: "#005faf", Type: "#875f00", String: "#005f00", Number: "#af0000",
				Comment: "#626262", Operator: "#4e4e4e", Deleted: "#af0000", Inserted: "#005f00",
			},
		},
		Palette16: light16(func(*Theme) {}),
	}
}

func mono() Scheme {
	t := Theme{Mono: true}
	return Scheme{Name: "mono", About: "no colours, only bold, underlined and reversed", True: t, Palette256: t, Palette16: t}
}

// dark16 is the theme of a dark terminal with sixteen colours, changed by a function.
// Blue and the darker red, magenta and grey cannot be read on black in every common
// palette.
func dark16(change func(*Theme)) Theme {
	t := Theme{
		Muted: White, Faint: White, Border: BrightBlack,
		Accent: BrightYellow, User: BrightCyan, Reasoning: BrightMagenta, Link: BrightCyan, Code: BrightYellow,
		Good: BrightGreen, Warn: BrightYellow, Bad: BrightRed, Info: BrightCyan, BadgeFg: Black,
		Syntax: Syntax{
			Keyword: BrightMagenta, Name: BrightCyan, Type: BrightYellow, String: BrightGreen, Number: BrightYellow,
			Comment: White, Deleted: BrightRed, Inserted: BrightGreen,
		},
	}
	change(&t)
	return t
}

// light16 is that of a light one. It has neither green nor yellow nor cyan: no common
// palette has ones that can be read on white.
func light16(change func(*Theme)) Theme {
	t := Theme{
		Faint: BrightBlack, Border: BrightBlack,
		Accent: Blue, User: Blue, Reasoning: Magenta, Link: Blue, Code: Magenta,
		Warn: Magenta, Bad: Red, Info: Blue, BadgeFg: BrightWhite,
		Syntax: Syntax{Keyword: Magenta, Name: Blue, String: Blue, Number: Red, Deleted: Red, Inserted: Blue},
	}
	change(&t)
	return t
}
