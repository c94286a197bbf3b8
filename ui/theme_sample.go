package ui

import (
	"hermes-tui/themes"
	"hermes-tui/ui/diff"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// themeNotes say what a theme is and show a sample of it, which has what the screen
// behind the window may not have just now.
func (m *Model) themeNotes(l look, err error) []overlay.Note {
	if err != nil {
		return []overlay.Note{{Text: unusable(err, stay), Rows: 8}}
	}
	s := l.scheme
	about := s.About
	if l.auto() {
		about = autoAbout
	}
	notes := []overlay.Note{{Text: about, Rows: 2}}
	add := func(text string) { notes = append(notes, overlay.Note{Text: text, Tone: overlay.Faint, Rows: 2}) }
	switch {
	case l.auto() || s.Background == "":
	case m.depth == themes.Mono: // its colours are not seen
	case m.told && s.Dark != m.dark:
		notes = append(notes, overlay.Note{Text: "⚠ Made for a " + shade(s.Dark) + " terminal; yours is " + shade(m.dark) + ".", Rows: 2})
	default:
		add("For a " + shade(s.Dark) + " terminal, such as one with the background " + string(s.Background) + ".")
	}
	if s.File != "" {
		add(status.ShortDir(s.File, m.o.Home))
		if weak := s.Weak(); weak != "" {
			add("Hard to read on that background: " + weak)
		}
	}
	return append(notes, overlay.Note{}, overlay.Note{Drawn: sample})
}

// autoAbout says what auto looks like.
const autoAbout = "dark or light, as your terminal is"

// The sample: what is drawn as it is in the transcript.
const (
	sampleAnswer = "The **lock** comes after `count` is read, see [the notes](https://example.com)."
	sampleChange = "--- a/counter.go\n+++ b/counter.go\n@@ -7,2 +7,2 @@\n-\treturn s.count // stale\n+\treturn s.next() // locked\n"
)

func sample(st *rows.Styles, w int) []string {
	list := []string{st.User.With(rows.Bold).Render("❯ ") + st.User.Render("Why does the test fail?")}
	list = append(list, markdown.New(markdown.Options{}).Render(sampleAnswer, w, st)...)
	list = diff.New(sampleChange).RowsOf(list, w, st, "counter.go")
	list = append(list,
		st.Good.Render("✓ passed")+"  "+st.Warn.Render("◆ asks")+"  "+st.Bad.Render("✗ failed")+"  "+st.Info.Render("· told")+"  "+st.BadgeWarn.Render(" badge "),
		st.Selected.Over(rows.Fit(st.Accent.Render("▸ ")+st.Text.Render("selected")+st.Muted.Render(" row"), w)),
		st.Faint.Render("enter take · esc close"))
	for i, r := range list {
		list[i] = rows.Fit(r, w)
	}
	return list
}
