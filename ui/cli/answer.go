package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"hermes-tui/agent/app"
	"hermes-tui/themes"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
)

// maxLine is how wide an answer is printed at most, in cells.
const maxLine = 120

// drawing returns draw, with the width and the colours of the terminal that is the output. It is
// nil where texts are printed as they are: in files and pipes, on a terminal without escape
// sequences, and in the background, where the terminal must not be asked for its background.
func (s *sys) drawing(set app.Settings, skins themes.Library, draw func(string, int, *rows.Styles) string) func(string) string {
	out, is := s.file.(*os.File)
	if _, terminal := s.terminal(); !is || !terminal || !inFront(out) {
		return nil
	}
	profile := colorprofile.Detect(out, s.environ)
	width, _, err := term.GetSize(int(out.Fd()))
	if profile <= colorprofile.NoTTY || err != nil {
		return nil
	}
	style, err := s.markdownStyle(set)
	if err != nil {
		s.complain(err.Error())
	}
	theme, err := terminalTheme(skins, set.Theme, out)
	if err != nil {
		s.complain(err.Error())
	}
	st := rows.NewStylesFor(theme.At(themes.DepthOf(profile)), style)
	return func(text string) string {
		var b strings.Builder
		fmt.Fprint(&colorprofile.Writer{Forward: &b, Profile: profile}, draw(text, min(width, maxLine), st))
		return b.String()
	}
}

// terminalTheme is the theme of the settings, or the one that fits the background of
// the terminal, which stands in for a skin that cannot be used as well.
func terminalTheme(skins themes.Library, name string, out *os.File) (theme themes.Scheme, err error) {
	if name != "" && name != themes.Auto {
		if theme, err = skins.Find(name); err == nil {
			return theme, nil
		}
	}
	return themes.Fitting(lipgloss.HasDarkBackground(out, out)), err
}

// markdownStyle is what the style file of the settings says, nothing where there is
// none or it cannot be used.
func (s *sys) markdownStyle(set app.Settings) (themes.StyleFile, error) {
	path := set.MarkdownStyle
	if path == "" {
		return themes.StyleFile{}, nil
	}
	if rest, below := strings.CutPrefix(path, "~/"); below {
		path = filepath.Join(userHome(s.env), rest)
	}
	file, err := os.ReadFile(path)
	if err == nil {
		var style themes.StyleFile
		if style, err = themes.ParseStyle(file); err == nil {
			return style, nil
		}
	}
	return themes.StyleFile{}, fmt.Errorf("display.markdown_style %s cannot be used (%w): name a style file of glamour, or nothing for the colours of the theme", path, err)
}

// answer draws an answer.
func answer(text string, width int, st *rows.Styles) string {
	return strings.Join(markdown.New(markdown.Options{}).Render(text, width, st), "\n")
}
