package themes

// Meaning is something on the screen that has a colour of its own.
type Meaning struct {
	// Name is what a skin calls it, below colors.
	Name string
	Doc  string
	of   func(*Theme) *Color
}

// Meanings are all of them.
func Meanings() []Meaning {
	return []Meaning{
		{"text", "what is read", func(t *Theme) *Color { return &t.Text }},
		{"strong", "headings and names", func(t *Theme) *Color { return &t.Strong }},
		{"muted", "what is beside the point", func(t *Theme) *Color { return &t.Muted }},
		{"faint", "hints, line numbers", func(t *Theme) *Color { return &t.Faint }},
		{"border", "lines and frames", func(t *Theme) *Color { return &t.Border }},
		{"accent", "the program's own signs, the mark, what runs", func(t *Theme) *Color { return &t.Accent }},
		{"user", "what you wrote", func(t *Theme) *Color { return &t.User }},
		{"reasoning", "what the model thinks", func(t *Theme) *Color { return &t.Reasoning }},
		{"link", "links", func(t *Theme) *Color { return &t.Link }},
		{"code", "code within a sentence, code in no known language", func(t *Theme) *Color { return &t.Code }},
		{"good", "what went well", func(t *Theme) *Color { return &t.Good }},
		{"warn", "what needs a look", func(t *Theme) *Color { return &t.Warn }},
		{"bad", "what failed, what is dangerous", func(t *Theme) *Color { return &t.Bad }},
		{"info", "what is worth knowing", func(t *Theme) *Color { return &t.Info }},
		{"selected_bg", "behind the selected row; default reverses it", func(t *Theme) *Color { return &t.SelectedBg }},
		{"badge_fg", "text on a badge, which lies on good, warn, bad or muted", func(t *Theme) *Color { return &t.BadgeFg }},
		{"added_bg", "behind an added line; where all four are default, lines have the colours of syntax_inserted and syntax_deleted", func(t *Theme) *Color { return &t.AddedBg }},
		{"removed_bg", "behind a removed line", func(t *Theme) *Color { return &t.RemovedBg }},
		{"added_word_bg", "behind what was added within a line; default reverses it", func(t *Theme) *Color { return &t.AddedWordBg }},
		{"removed_word_bg", "behind what was removed within a line", func(t *Theme) *Color { return &t.RemovedWordBg }},
		{"syntax_keyword", "code: keywords", func(t *Theme) *Color { return &t.Syntax.Keyword }},
		{"syntax_name", "code: functions and other names", func(t *Theme) *Color { return &t.Syntax.Name }},
		{"syntax_type", "code: types", func(t *Theme) *Color { return &t.Syntax.Type }},
		{"syntax_string", "code: strings", func(t *Theme) *Color { return &t.Syntax.String }},
		{"syntax_number", "code: numbers", func(t *Theme) *Color { return &t.Syntax.Number }},
		{"syntax_comment", "code: comments", func(t *Theme) *Color { return &t.Syntax.Comment }},
		{"syntax_operator", "code: operators and punctuation", func(t *Theme) *Color { return &t.Syntax.Operator }},
		{"syntax_deleted", "code: removed lines, and their signs and counts", func(t *Theme) *Color { return &t.Syntax.Deleted }},
		{"syntax_inserted", "code: added lines, likewise", func(t *Theme) *Color { return &t.Syntax.Inserted }},
	}
}

// behind reports whether it is a background.
func (m Meaning) behind() bool { return len(m.Name) > 3 && m.Name[len(m.Name)-3:] == "_bg" }

// Foreign is a colour that skins of Hermes Agent set, and what has it here.
type Foreign struct {
	Name string
	// As are names of meanings, none for what this screen does not have.
	As []string
}

// Foreigns are all of them. Where several stand for one meaning, the later wins.
func Foreigns() []Foreign {
	return []Foreign{
		{"banner_border", []string{"border"}},
		{"banner_title", []string{"strong"}},
		{"banner_accent", []string{"accent"}},
		{"banner_dim", []string{"faint"}},
		{"banner_text", []string{"text"}},
		{"input_rule", []string{"border"}},
		{"response_border", []string{"border"}},
		{"session_border", []string{"border"}},
		{"session_label", []string{"muted"}},
		{"prompt", []string{"user"}},
		{"status_bar_bg", nil},
		{"status_bar_text", []string{"muted"}},
		{"status_bar_strong", nil},
		{"status_bar_dim", []string{"faint"}},
		{"status_bar_good", []string{"good"}},
		{"status_bar_warn", []string{"warn"}},
		{"status_bar_bad", nil},
		{"status_bar_critical", []string{"bad"}},
		{"voice_status_bg", nil},
		{"completion_menu_bg", nil},
		{"completion_menu_current_bg", []string{"selected_bg"}},
		{"completion_menu_meta_bg", nil},
		{"completion_menu_meta_current_bg", nil},
		{"selection_bg", []string{"selected_bg"}},
		{"shell_dollar", nil},
		{"ui_border", []string{"border"}},
		{"ui_primary", []string{"strong"}},
		{"ui_accent", []string{"accent"}},
		{"ui_text", []string{"text"}},
		{"ui_label", []string{"info"}},
		{"ui_ok", []string{"good", "syntax_inserted"}},
		{"ui_warn", []string{"warn"}},
		{"ui_error", []string{"bad", "syntax_deleted"}},
	}
}
