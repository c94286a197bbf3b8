// Package pages draws the pages of the documentation with glamour. Answers, which stream, are
// selected from and may be any Markdown, are drawn by package markdown.
package pages

import (
	"cmp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/ansi"
	"github.com/alecthomas/chroma/v2/styles"

	"hermes-tui/themes"
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// drawing is held while glamour draws: the colours of code are one registered style, which
// stays the first one that was drawn with unless it is taken out.
var drawing sync.Mutex

// Render draws a document at a width in cells, with the colours that the styles have for
// Markdown. The result holds no escape sequences but colours. glamour cuts the heads of tables
// that are too wide; a document that would lose text is drawn by package markdown.
func Render(text string, width int, st *rows.Styles) string {
	text = term.Sanitize(text)
	drawn, err := draw(text, max(width, 1), cmp.Or(st.Markdown, st).Theme)
	if bare, _ := term.SplitStyles(drawn); err != nil || missing(bare, text) != "" {
		return strings.Join(markdown.New(markdown.Options{}).Render(text, width, st), "\n")
	}
	return drawn
}

func draw(text string, width int, t themes.Theme) (string, error) {
	drawing.Lock()
	defer drawing.Unlock()
	delete(styles.Registry, "charm")
	r, err := glamour.NewTermRenderer(glamour.WithStyles(config(t)), glamour.WithWordWrap(width), glamour.WithChromaFormatter(formatter(t)))
	if err != nil {
		return "", err
	}
	drawn, err := r.Render(text)
	return trim(term.Sanitize(drawn)), err
}

// fences matches the language that stands behind the marks of a block of code, which is not drawn.
var fences = lazyregexp.New("(?m)^( *```).*$")

// missing returns the letters and digits of a text that what is drawn of it has fewer of. Words
// may be broken into rows.
func missing(drawn, text string) (lost string) {
	count := map[rune]int{}
	for _, r := range drawn {
		count[r]++
	}
	for _, r := range fences.ReplaceAllString(text, "$1") {
		if count[r]--; count[r] < 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			lost += string(r)
		}
	}
	return lost
}

// trim takes the spaces at the ends of lines and the empty lines around the document away.
func trim(drawn string) string {
	lines := strings.Split(drawn, "\n")
	for i, line := range lines {
		plain, runs := term.SplitStyles(line)
		lines[i] = styled(strings.TrimRight(plain, " "), runs)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// styled puts the styles of runs onto the beginning of their text.
func styled(plain string, runs []term.Run) string {
	var b strings.Builder
	from := 0
	for _, r := range runs {
		end := min(r.End, len(plain))
		switch piece := plain[from:end]; {
		case piece == "":
		case r.Open == "":
			b.WriteString(piece)
		default:
			b.WriteString(r.Open + piece + "\x1b[m")
		}
		from = end
	}
	return b.String()
}

// formatter returns the name of what writes the colours of code.
func formatter(t themes.Theme) string {
	switch {
	case t.Mono:
		return "noop"
	case t.Text.Index() >= 0 || t.Accent.Index() >= 0:
		return "terminal16"
	}
	return "terminal16m"
}

// config returns the look of elements in a theme.
func config(t themes.Theme) ansi.StyleConfig {
	yes, one, two := true, uint(1), uint(2)
	bold := func(c themes.Color) ansi.StylePrimitive {
		return ansi.StylePrimitive{Color: color(c), Bold: &yes, BlockSuffix: "\n"}
	}
	heading := func(c themes.Color) ansi.StyleBlock { return ansi.StyleBlock{StylePrimitive: bold(c)} }
	plain := func(c themes.Color) ansi.StylePrimitive { return ansi.StylePrimitive{Color: color(c)} }
	bar := "│ "
	return ansi.StyleConfig{
		Document:       ansi.StyleBlock{StylePrimitive: plain(t.Text)},
		BlockQuote:     ansi.StyleBlock{StylePrimitive: plain(t.Muted), Indent: &one, IndentToken: &bar},
		List:           ansi.StyleList{LevelIndent: 2},
		Heading:        heading(t.Accent),
		H1:             heading(t.Accent),
		H2:             heading(t.Strong),
		H3:             heading(t.Strong),
		Strikethrough:  ansi.StylePrimitive{CrossedOut: &yes},
		Emph:           ansi.StylePrimitive{Italic: &yes},
		Strong:         ansi.StylePrimitive{Bold: &yes},
		HorizontalRule: ansi.StylePrimitive{Color: color(t.Border), Format: "\n────────\n"},
		Item:           ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration:    ansi.StylePrimitive{BlockPrefix: ". "},
		Task:           ansi.StyleTask{Ticked: "☑ ", Unticked: "☐ "},
		Link:           ansi.StylePrimitive{Color: color(t.Faint)},
		LinkText:       ansi.StylePrimitive{Color: color(t.Link), Underline: &yes},
		Code:           ansi.StyleBlock{StylePrimitive: plain(t.Code)},
		CodeBlock:      ansi.StyleCodeBlock{StyleBlock: ansi.StyleBlock{StylePrimitive: plain(t.Code), Margin: &two}, Chroma: code(t)},
	}
}

// code returns the colours of highlighted code, none without colours.
func code(t themes.Theme) *ansi.Chroma {
	if t.Mono {
		return nil
	}
	p := func(c themes.Color) ansi.StylePrimitive {
		if i := c.Index(); i >= 0 {
			name := ansiNames[i]
			return ansi.StylePrimitive{Color: &name}
		}
		return ansi.StylePrimitive{Color: color(c)}
	}
	s := t.Syntax
	return &ansi.Chroma{
		Text: p(t.Text), Keyword: p(s.Keyword), KeywordType: p(s.Type), NameClass: p(s.Type), NameFunction: p(s.Name), NameBuiltin: p(s.Name),
		NameTag: p(s.Name), NameAttribute: p(s.Name), NameDecorator: p(s.Name), LiteralString: p(s.String), LiteralNumber: p(s.Number),
		Comment: p(s.Comment), Operator: p(s.Operator), Punctuation: p(s.Operator), GenericDeleted: p(s.Deleted), GenericInserted: p(s.Inserted),
	}
}

// ansiNames are the names that chroma has for the 16 colours.
var ansiNames = [...]string{
	"#ansiblack", "#ansidarkred", "#ansidarkgreen", "#ansibrown", "#ansidarkblue", "#ansipurple", "#ansiteal", "#ansilightgray",
	"#ansidarkgray", "#ansired", "#ansigreen", "#ansiyellow", "#ansiblue", "#ansifuchsia", "#ansiturquoise", "#ansiwhite",
}

// color returns a colour as glamour names it, nil for the default of the terminal.
func color(c themes.Color) *string {
	name := string(c)
	if i := c.Index(); i >= 0 {
		name = strconv.Itoa(i)
	}
	if name == "" {
		return nil
	}
	return &name
}
