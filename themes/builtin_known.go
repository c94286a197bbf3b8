package themes

// The themes in the manner of palettes that many know. Their colours are of their own.

func violet() Scheme {
	return Scheme{
		Name: "violet", About: "pink and mint on violet, in the manner of Dracula", Dark: true, Background: "#1f1b2e",
		True: Theme{
			Text: "#e5e0f1", Strong: "#faf7ff", Muted: "#b4aacd", Faint: "#988eb4", Border: "#463d63",
			Accent: "#ef8bc7", User: "#80dfc6", Reasoning: "#b59df2", Link: "#88c7f5", Code: "#f0cf96",
			Good: "#7bdf90", Warn: "#f4c26d", Bad: "#fd8190", Info: "#90b9fd",
			SelectedBg: "#332a4e", BadgeFg: "#1a1626",
			AddedBg: "#1d3230", RemovedBg: "#3f2138", AddedWordBg: "#2a5c47", RemovedWordBg: "#78304f",
			Syntax: Syntax{
				Keyword: "#f391d2", Name: "#90c6fd", Type: "#f1d180", String: "#9edf90", Number: "#f6aa7e",
				Comment: "#9f95bb", Operator: "#d2b9fd", Deleted: "#fd8190", Inserted: "#7bdf90",
			},
		},
		Palette256: Theme{
			Text: "#e4e4e4", Strong: "#ffffff", Muted: "#afafd7", Faint: "#9e9e9e", Border: "#5f5f87",
			Accent: "#ff87d7", User: "#87d7af", Reasoning: "#af87d7", Link: "#87d7ff", Code: "#ffd7af",
			Good: "#87d787", Warn: "#d7af5f", Bad: "#ff8787", Info: "#87afff",
			SelectedBg: "#303030", BadgeFg: "#1c1c1c",
			AddedWordBg: "#005f00", RemovedWordBg: "#5f005f",
			Syntax: Syntax{
				Keyword: "#ff87d7", Name: "#afd7ff", Type: "#ffd787", String: "#87d787", Number: "#ffaf87",
				Comment: "#afafaf", Operator: "#d7afff", Deleted: "#ff8787", Inserted: "#87d787",
			},
		},
		Palette16: dark16(func(t *Theme) {
			t.Accent, t.User, t.Reasoning, t.Link = BrightMagenta, BrightGreen, BrightMagenta, BrightCyan
			t.Syntax.Keyword, t.Syntax.Name, t.Syntax.Type = BrightMagenta, Green, BrightCyan
			t.Syntax.String, t.Syntax.Number = BrightYellow, BrightMagenta
		}),
	}
}

func arctic() Scheme {
	return Scheme{
		Name: "arctic", About: "blues and greens on slate, in the manner of Nord", Dark: true, Background: "#28303b",
		True: Theme{
			Text: "#d2dae5", Strong: "#edf1f7", Muted: "#abb8c7", Faint: "#94a3b5", Border: "#475363",
			Accent: "#87c4d7", User: "#9dceb4", Reasoning: "#b9a8d4", Link: "#8eb5e0", Code: "#d8c49b",
			Good: "#a4c98c", Warn: "#e5c484", Bad: "#e7939c", Info: "#90b4da",
			SelectedBg: "#343f4e", BadgeFg: "#1b222b",
			AddedBg: "#2a3a3a", RemovedBg: "#43303a", AddedWordBg: "#3b5c4c", RemovedWordBg: "#693e49",
			Syntax: Syntax{
				Keyword: "#93afe2", Name: "#89c8d5", Type: "#a0cfbf", String: "#abca95", Number: "#caaad0",
				Comment: "#9dacbd", Operator: "#9eb8d5", Deleted: "#e7939c", Inserted: "#a4c98c",
			},
		},
		Palette256: Theme{
			Text: "#dadada", Strong: "#eeeeee", Muted: "#b2b2b2", Faint: "#9e9e9e", Border: "#4e4e4e",
			Accent: "#87d7ff", User: "#afd7af", Reasoning: "#afafd7", Link: "#87afd7", Code: "#d7d7af",
			Good: "#afd787", Warn: "#ffd787", Bad: "#ffafaf", Info: "#87afd7",
			SelectedBg: "#3a3a3a", BadgeFg: "#262626",
			AddedWordBg: "#005f5f", RemovedWordBg: "#5f005f",
			Syntax: Syntax{
				Keyword: "#87afd7", Name: "#87d7d7", Type: "#afd7d7", String: "#afd7af", Number: "#d7afd7",
				Comment: "#a8a8a8", Operator: "#87afd7", Deleted: "#ffafaf", Inserted: "#afd787",
			},
		},
		Palette16: dark16(func(t *Theme) {
			t.Accent, t.User = BrightCyan, BrightGreen
			t.Syntax.Keyword, t.Syntax.Name, t.Syntax.Type = BrightCyan, Cyan, Cyan
			t.Syntax.Number = BrightMagenta
		}),
	}
}

func earth() Scheme {
	return Scheme{
		Name: "earth", About: "amber and moss on brown, in the manner of Gruvbox", Dark: true, Background: "#26221d",
		True: Theme{
			Text: "#e3d6b7", Strong: "#f5ebd1", Muted: "#baaa8b", Faint: "#9d8e72", Border: "#4d443a",
			Accent: "#efa14c", User: "#9dc48b", Reasoning: "#cfa0b5", Link: "#92b8ac", Code: "#dbbe7e",
			Good: "#b3bf55", Warn: "#ebbf50", Bad: "#f1826d", Info: "#8bb1b9",
			SelectedBg: "#393229", BadgeFg: "#1d1a16",
			AddedBg: "#2d3220", RemovedBg: "#3f2721", AddedWordBg: "#4f5a28", RemovedWordBg: "#783a2d",
			Syntax: Syntax{
				Keyword: "#f1886d", Name: "#b9c262", Type: "#ecc061", String: "#aabf6c", Number: "#d3a1b9",
				Comment: "#ad9d80", Operator: "#dfb180", Deleted: "#f1826d", Inserted: "#b3bf55",
			},
		},
		Palette256: Theme{
			Text: "#d7d7af", Strong: "#ffffd7", Muted: "#afaf87", Faint: "#87875f", Border: "#444444",
			Accent: "#ffaf5f", User: "#87af87", Reasoning: "#d7afd7", Link: "#87afaf", Code: "#d7af5f",
			Good: "#d7d75f", Warn: "#ffd75f", Bad: "#ff8787", Info: "#87afaf",
			SelectedBg: "#303030", BadgeFg: "#1c1c1c",
			AddedWordBg: "#005f00", RemovedWordBg: "#5f0000",
			Syntax: Syntax{
				Keyword: "#ff875f", Name: "#afaf5f", Type: "#d7af5f", String: "#afaf5f", Number: "#d7afd7",
				Comment: "#afaf87", Operator: "#d7af87", Deleted: "#ff8787", Inserted: "#d7d75f",
			},
		},
		Palette16: dark16(func(t *Theme) {
			t.Accent, t.User, t.Link = BrightYellow, BrightGreen, BrightCyan
			t.Syntax.Keyword, t.Syntax.Name, t.Syntax.Type = BrightYellow, BrightCyan, BrightMagenta
			t.Syntax.String, t.Syntax.Number = Green, BrightMagenta
		}),
	}
}

func lagoon() Scheme {
	return Scheme{
		Name: "lagoon", About: "muted, on dark teal, in the manner of Solarized", Dark: true, Background: "#0b2a33",
		True: Theme{
			Text: "#bac9c8", Strong: "#e4ebe6", Muted: "#9aadae", Faint: "#879c9f", Border: "#2b4b55",
			Accent: "#d8a443", User: "#5ec1af", Reasoning: "#a2a4e3", Link: "#68b0e0", Code: "#c9b279",
			Good: "#9eb941", Warn: "#daa642", Bad: "#f0847e", Info: "#6fb2e0",
			SelectedBg: "#123943", BadgeFg: "#06202a",
			AddedBg: "#11392f", RemovedBg: "#3b262f", AddedWordBg: "#1f5945", RemovedWordBg: "#6a323a",
			Syntax: Syntax{
				Keyword: "#9eb941", Name: "#68b0e0", Type: "#d8a443", String: "#52bfaf", Number: "#e18eb7",
				Comment: "#8da3a6", Operator: "#a9bcbe", Deleted: "#f0847e", Inserted: "#9eb941",
			},
		},
		Palette256: Theme{
			Text: "#d0d0d0", Strong: "#eeeeee", Muted: "#a8a8a8", Faint: "#949494", Border: "#444444",
			Accent: "#d7af5f", User: "#5fd7d7", Reasoning: "#afafff", Link: "#5fafd7", Code: "#d7af87",
			Good: "#afd75f", Warn: "#d7af5f", Bad: "#ff8787", Info: "#5fafd7",
			SelectedBg: "#303030", BadgeFg: "#1c1c1c",
			AddedWordBg: "#005f5f", RemovedWordBg: "#5f005f",
			Syntax: Syntax{
				Keyword: "#afd75f", Name: "#5fafd7", Type: "#d7af5f", String: "#00afaf", Number: "#d787af",
				Comment: "#87afaf", Operator: "#bcbcbc", Deleted: "#ff8787", Inserted: "#afd75f",
			},
		},
		Palette16: dark16(func(t *Theme) {
			t.Accent, t.User, t.Link = BrightYellow, Cyan, BrightCyan
			t.Syntax.Keyword, t.Syntax.Name, t.Syntax.Type = Green, BrightCyan, BrightYellow
			t.Syntax.String, t.Syntax.Number = Cyan, BrightMagenta
		}),
	}
}

func cream() Scheme {
	return Scheme{
		Name: "cream", About: "muted, on warm paper, in the manner of Solarized", Dark: false, Background: "#fbf4e4",
		True: Theme{
			Text: "#424f55", Strong: "#243238", Muted: "#566266", Faint: "#667175", Border: "#d8ceb7",
			Accent: "#9d4b10", User: "#18655d", Reasoning: "#5650a1", Link: "#1b5d9d", Code: "#75540a",
			Good: "#48660e", Warn: "#825600", Bad: "#ab2e29", Info: "#1b5d9d",
			SelectedBg: "#efe7d2", BadgeFg: "#fffaf0",
			AddedBg: "#eaf1d6", RemovedBg: "#f9e5dc", AddedWordBg: "#cfe0a6", RemovedWordBg: "#f2c3b5",
			Syntax: Syntax{
				Keyword: "#48660e", Name: "#1b5d9d", Type: "#825600", String: "#136465", Number: "#9b3568",
				Comment: "#5d686c", Operator: "#526066", Deleted: "#ab2e29", Inserted: "#48660e",
			},
		},
		Palette256: Theme{
			Text: "#4e4e4e", Strong: "#303030", Muted: "#5f5f5f", Faint: "#6c6c6c", Border: "#d0d0d0",
			Accent: "#875f00", User: "#005f5f", Reasoning: "#5f5f87", Link: "#005faf", Code: "#875f00",
			Good: "#5f5f00", Warn: "#875f00", Bad: "#870000", Info: "#005faf",
			SelectedBg: "#e4e4e4", BadgeFg: "#ffffff",
			AddedWordBg: "#d7d7af", RemovedWordBg: "#ffd7d7",
			Syntax: Syntax{
				Keyword: "#5f5f00", Name: "#005faf", Type: "#875f00", String: "#005f5f", Number: "#87005f",
				Comment: "#626262", Operator: "#5f5f5f", Deleted: "#870000", Inserted: "#5f5f00",
			},
		},
		Palette16: light16(func(t *Theme) {
			t.User, t.Code, t.Syntax.Keyword, t.Syntax.Name = Magenta, Red, Blue, Magenta
		}),
	}
}
