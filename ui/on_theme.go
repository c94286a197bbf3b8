package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// look is a choice of colours: a theme, or that the terminal's background decides.
type look struct {
	name   string
	scheme themes.Scheme // that of name, unless that is auto
}

// auto reports whether the terminal's background decides.
func (l look) auto() bool { return l.name == themes.Auto || l.name == "" }

// findLook finds the theme of a setting. With an error comes the choice that fits every
// terminal.
func findLook(from themes.Library, name string) (look, error) {
	if (look{name: name}).auto() {
		return look{name: themes.Auto}, nil
	}
	s, err := from.Find(name)
	if err != nil {
		return look{name: themes.Auto}, err
	}
	return look{name, s}, nil
}

// unusable says of a theme why it is not taken, and what the colours do instead.
func unusable(err error, do string) string {
	text := "The theme cannot be used, so the colours " + do + ": " + err.Error()
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

const stay = "stay as they were"

// theme is the theme in force, in the colours that the terminal has.
func (d *display) theme() themes.Theme {
	l := d.taken
	if d.preview != nil {
		l = *d.preview
	}
	if l.auto() {
		l.scheme = themes.Fitting(d.dark)
	}
	return l.scheme.At(d.depth)
}

// restyle applies the theme in force.
func (m *Model) restyle() {
	m.dirty = true
	m.styles = rows.NewStylesFor(m.theme(), m.o.Markdown)
	for _, r := range m.list {
		r.of().SetStyles(m.styles)
	}
	if m.rootTranscript != nil {
		m.rootTranscript.SetStyles(m.styles)
	}
	m.bars.SetStyles(m.styles)
	if m.box != nil {
		m.box.SetStyles(m.styles)
	}
	for _, b := range m.under {
		b.SetStyles(m.styles)
	}
}

// take shows everything in the colours of a theme, until another one is taken.
func (m *Model) take(l look) {
	m.taken, m.preview = l, nil
	m.restyle()
	if l.auto() {
		m.askBackground()
	}
}

// askBackground asks the terminal for its background.
func (m *Model) askBackground() {
	m.asked = m.now()
	m.write(ansi.RequestBackgroundColor)
}

// endPreview gives back the colours from before a theme was tried.
func (m *Model) endPreview() {
	if m.preview != nil {
		m.preview = nil
		m.restyle()
	}
}

// lookFoundMsg brings a theme that was looked for. keep has it taken for later starts,
// too.
type lookFoundMsg struct {
	look
	err  error
	keep bool
}

// commandTheme offers the themes, or takes the one that was named.
func (m *Model) commandTheme(args string) tea.Cmd {
	if args == "" {
		return m.openThemes()
	}
	return m.findTheme(args, true)
}

// findTheme looks for a theme, which may be in a file, and has it taken.
func (m *Model) findTheme(name string, keep bool) tea.Cmd {
	from := m.o.Themes
	return m.do(func() tea.Msg {
		l, err := findLook(from, name)
		if lower := strings.ToLower(name); err != nil && lower != name && from.Exists(lower) == nil {
			l, err = findLook(from, lower)
		}
		return lookFoundMsg{l, err, keep}
	})
}

func (msg lookFoundMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.sayUnusable(msg.err)
	}
	m.take(msg.look)
	if !msg.keep {
		return nil
	}
	return m.keepTheme(msg.name)
}

// sayUnusable says what is wrong with a theme: in the transcript where that is in a file.
func (m *Model) sayUnusable(err error) tea.Cmd {
	if _, wrong := errors.AsType[*themes.ProblemError](err); wrong {
		return m.tell(unusable(err, stay))
	}
	return m.fail(err)
}

// keepTheme writes a theme into the settings.
func (m *Model) keepTheme(name string) tea.Cmd {
	a, ctx := m.app, m.ctx
	return m.do(func() tea.Msg {
		if err := a.KeepTheme(ctx, name); err != nil {
			return failedMsg{fmt.Errorf("the theme holds until you leave; it could not be kept: %w", err)}
		}
		return nil
	})
}

// followTheme takes the theme of changed settings, and looks again at a skin, which may
// have changed itself. What was chosen on the screen stays unless the setting changed.
func (m *Model) followTheme(before string) tea.Cmd {
	name := m.o.Settings.Theme
	switch {
	case name != before && name != m.taken.name:
	case m.taken.scheme.File != "":
		name = m.taken.name
	default:
		return nil
	}
	return m.findTheme(name, false)
}
