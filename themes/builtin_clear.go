package themes

// The themes for those who need more than taste: high contrast, and colours that are told
// apart with any colour vision.

func contrastDark() Scheme {
	return Scheme{
		Name: "contrast-dark", About: "bright on black, at a contrast of 7:1 or more", Dark: true, Background: "#000000",
		True: Theme{
			Text: "#ffffff", Strong: "#ffffff", Muted: "#d9d9d9", Faint: "#bcbcbc", Border: "#8c8c8c",
			Accent: "#ffd21f", User: "#4df2cc", Reasoning: "#d8b9ff", Link: "#7fc4ff", Code: "#ffe08a",
			Good: "#63f57f", Warn: "#ffbf47", Bad: "#ff8f8f", Info: "#8bd2ff",
			SelectedBg: "#1b2b57", BadgeFg: "#000000",
			AddedBg: "#04260d", RemovedBg: "#380a10", AddedWordBg: "#0b6128", RemovedWordBg: "#8c1224",
			Syntax: Syntax{
				Keyword: "#ff9ff2", Name: "#8fc9ff", Type: "#ffd873", String: "#95f59e", Number: "#ffb47d",
				Comment: "#bcbcbc", Operator: "#e2e2e2", Deleted: "#ff8f8f", Inserted: "#63f57f",
			},
		},
		Palette256: Theme{
			Text: "#ffffff", Strong: "#ffffff", Muted: "#dadada", Faint: "#bcbcbc", Border: "#8a8a8a",
			Accent: "#ffd700", User: "#5fffd7", Reasoning: "#d7afff", Link: "#87d7ff", Code: "#ffd787",
			Good: "#5fff87", Warn: "#ffaf5f", Bad: "#ff8787", Info: "#87d7ff",
			SelectedBg: "#00005f", BadgeFg: "#000000",
			AddedWordBg: "#005f00", RemovedWordBg: "#5f0000",
			Syntax: Syntax{
				Keyword: "#ffafff", Name: "#87d7ff", Type: "#ffd787", String: "#87ffaf", Number: "#ffaf87",
				Comment: "#bcbcbc", Operator: "#e4e4e4", Deleted: "#ff8787", Inserted: "#5fff87",
			},
		},
		Palette16: dark16(func(t *Theme) {
			t.Text, t.Strong, t.Muted, t.Border = BrightWhite, BrightWhite, White, White
		}),
	}
}

func contrastLight() Scheme {
	return Scheme{
		Name: "contrast-light", About: "deep on white, at a contrast of 7:1 or more", Dark: false, Background: "#ffffff",
		True: Theme{
			Text: "#000000", Strong: "#000000", Muted: "#2d2d2d", Faint: "#474747", Border: "#6e6e6e",
			Accent: "#763a00", User: "#004c40", Reasoning: "#4a1d92", Link: "#003c96", Code: "#5a2d00",
			Good: "#004d1b", Warn: "#693a00", Bad: "#8c0015", Info: "#004477",
			SelectedBg: "#cfe2fd", BadgeFg: "#ffffff",
			AddedBg: "#dbf4e0", RemovedBg: "#fde1e3", AddedWordBg: "#a5e1b3", RemovedWordBg: "#f6b1b7",
			Syntax: Syntax{
				Keyword: "#680e8b", Name: "#003c96", Type: "#693a00", String: "#004d1b", Number: "#862a00",
				Comment: "#474747", Operator: "#2d2d2d", Deleted: "#8c0015", Inserted: "#004d1b",
			},
		},
		Palette256: Theme{
			Text: "#000000", Strong: "#000000", Muted: "#303030", Faint: "#444444", Border: "#6c6c6c",
			Accent: "#87005f", User: "#005f5f", Reasoning: "#5f0087", Link: "#00005f", Code: "#5f005f",
			Good: "#005f00", Warn: "#5f5f00", Bad: "#870000", Info: "#005f87",
			SelectedBg: "#d7d7ff", BadgeFg: "#ffffff",
			AddedWordBg: "#afd7af", RemovedWordBg: "#ffafaf",
			Syntax: Syntax{
				Keyword: "#5f0087", Name: "#00005f", Type: "#5f5f00", String: "#005f00", Number: "#870000",
				Comment: "#444444", Operator: "#303030", Deleted: "#870000", Inserted: "#005f00",
			},
		},
		Palette16: light16(func(t *Theme) {
			t.Text, t.Strong, t.Muted, t.Faint, t.Border = Black, Black, Black, Black, Black
		}),
	}
}

func colorblindDark() Scheme {
	return Scheme{
		Name: "colorblind-dark", About: "blue is good, orange is bad: for any colour vision", Dark: true, Background: "#12161c",
		True: Theme{
			Text: "#d6dce5", Strong: "#f4f6f9", Muted: "#a6b0be", Faint: "#8f99a8", Border: "#3d4653",
			Accent: "#cdb4f7", User: "#a5d4f7", Reasoning: "#b3aede", Link: "#86b9f5", Code: "#e6d09a",
			Good: "#6fb3f7", Warn: "#f3e27a", Bad: "#f08b45", Info: "#c9d1dc",
			SelectedBg: "#222c3b", BadgeFg: "#10141a",
			AddedBg: "#10263f", RemovedBg: "#38230f", AddedWordBg: "#1f4f85", RemovedWordBg: "#74410f",
			Syntax: Syntax{
				Keyword: "#d4b2fa", Name: "#8abcf7", Type: "#efd77c", String: "#a4d6e4", Number: "#fdb273",
				Comment: "#929dac", Operator: "#c4cdd9", Deleted: "#f99c55", Inserted: "#7fbaf8",
			},
		},
		Palette256: Theme{
			Text: "#dadada", Strong: "#eeeeee", Muted: "#afafaf", Faint: "#949494", Border: "#444444",
			Accent: "#d7afff", User: "#afd7ff", Reasoning: "#afafd7", Link: "#87afd7", Code: "#ffd7af",
			Good: "#5fafff", Warn: "#d7d75f", Bad: "#ff875f", Info: "#d0d0d0",
			SelectedBg: "#262626", BadgeFg: "#121212",
			AddedWordBg: "#00005f", RemovedWordBg: "#5f0000",
			Syntax: Syntax{
				Keyword: "#d7afff", Name: "#87afd7", Type: "#ffd787", String: "#afd7d7", Number: "#ffaf5f",
				Comment: "#9e9e9e", Operator: "#d0d0d0", Deleted: "#ffaf5f", Inserted: "#5fafff",
			},
		},
		Palette16: dark16(func(t *Theme) {
			t.Accent, t.User, t.Reasoning = BrightMagenta, BrightCyan, BrightMagenta
			t.Good, t.Warn, t.Bad, t.Info = BrightCyan, BrightYellow, BrightRed, White
			t.Syntax.Inserted, t.Syntax.Deleted = BrightCyan, BrightRed
			t.Syntax.String = White
		}),
	}
}

func colorblindLight() Scheme {
	return Scheme{
		Name: "colorblind-light", About: "blue is good, brown is bad: for any colour vision", Dark: false, Background: "#ffffff",
		True: Theme{
			Text: "#23282f", Strong: "#0c1015", Muted: "#4f5966", Faint: "#606a77", Border: "#c4cbd4",
			Accent: "#673c9c", User: "#004e8b", Reasoning: "#574897", Link: "#004db0", Code: "#674b00",
			Good: "#00519f", Warn: "#706300", Bad: "#7a2300", Info: "#3c495b",
			SelectedBg: "#e6eef8", BadgeFg: "#ffffff",
			AddedBg: "#e3effc", RemovedBg: "#fdecdc", AddedWordBg: "#b5d5fa", RemovedWordBg: "#f8caa0",
			Syntax: Syntax{
				Keyword: "#6f3498", Name: "#004db0", Type: "#6b5600", String: "#005f73", Number: "#98430a",
				Comment: "#606a77", Operator: "#465466", Deleted: "#8c3400", Inserted: "#00519f",
			},
		},
		Palette256: Theme{
			Text: "#262626", Strong: "#121212", Muted: "#585858", Faint: "#6c6c6c", Border: "#c6c6c6",
			Accent: "#5f00af", User: "#005faf", Reasoning: "#5f5faf", Link: "#005fd7", Code: "#875f00",
			Good: "#005faf", Warn: "#875f00", Bad: "#5f0000", Info: "#444444",
			SelectedBg: "#eeeeee", BadgeFg: "#ffffff",
			AddedWordBg: "#d7d7ff", RemovedWordBg: "#ffd7af",
			Syntax: Syntax{
				Keyword: "#5f00af", Name: "#005fd7", Type: "#5f5f00", String: "#005f87", Number: "#870000",
				Comment: "#6c6c6c", Operator: "#4e4e4e", Deleted: "#870000", Inserted: "#005faf",
			},
		},
		Palette16: light16(func(t *Theme) {
			t.Accent, t.User, t.Reasoning = Magenta, Blue, Magenta
			t.Good, t.Warn, t.Bad, t.Info = Blue, Magenta, Red, Black
		}),
	}
}
