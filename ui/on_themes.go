package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/themes"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/setup"
	"hermes-tui/ui/status"
)

// themesWindow lists the themes. The one that is marked is tried at once.
type themesWindow struct {
	*overlay.Picker
	gen  uint64 // of its entries
	list []themes.Entry
	seen string // the one that is tried
	// next opens what follows in the setup, nil outside of it.
	next func() tea.Cmd
}

// themesMsg brings the list.
type themesMsg struct {
	of   *themesWindow
	list []themes.Entry
}

// tryThemeMsg asks to show everything in a theme, for as long as it is marked.
type tryThemeMsg struct {
	of   *themesWindow
	name string
}

// takeThemeMsg asks to take it.
type takeThemeMsg struct {
	of   *themesWindow
	name string
	keep bool // for later starts, too
}

// Contexts are where the window has keys of its own.
func (w *themesWindow) Contexts() []keys.Context {
	if w.next != nil {
		return []keys.Context{keys.InSetup}
	}
	return []keys.Context{keys.InThemes}
}

// Name is what another window leads back to.
func (*themesWindow) Name() string { return "the themes" }

// Act implements [overlay.Box].
func (w *themesWindow) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Skip:
		return setup.Left{}
	case keys.Keep:
		if it, ok := w.Accept(); ok {
			return takeThemeMsg{w, it.ID, true}
		}
		return nil
	}
	return w.Picker.Act(a)
}

// Look implements looker.
func (w *themesWindow) Look() overlay.Request {
	it, ok := w.Selected()
	if !ok || it.ID == w.seen {
		return nil
	}
	w.seen = it.ID
	return tryThemeMsg{w, it.ID}
}

// find gives the theme of a name in the list.
func (w *themesWindow) find(name string) (look, error) {
	for _, e := range w.list {
		if e.Name == name {
			return look{name, e.Scheme}, e.Err
		}
	}
	return look{name: themes.Auto}, nil
}

// openThemes lists the themes.
func (m *Model) openThemes() tea.Cmd {
	w := &themesWindow{}
	m.show(w.picker(m, m.windowHints("use", m.hints(keys.InThemes, keys.Keep))))
	return m.listThemes(w)
}

// picker makes the list of the window.
func (w *themesWindow) picker(m *Model, hints []status.Hint) *themesWindow {
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Themes", Notes: true, Low: true, Hints: hints,
		Chosen: func(it overlay.Item) overlay.Request { return takeThemeMsg{w, it.ID, w.next != nil} },
	})
	return w
}

// listThemes looks for the themes that a window lists.
func (m *Model) listThemes(w *themesWindow) tea.Cmd {
	m.askBackground() // to say for which the themes are made
	w.gen = w.Load()
	from := m.o.Themes
	return m.do(func() tea.Msg { return themesMsg{w, from.List()} })
}

func (msg themesMsg) handle(m *Model) tea.Cmd {
	w := msg.of
	if m.box != w {
		return nil
	}
	m.dirty, w.list = true, msg.list
	items := []overlay.Item{{ID: themes.Auto, Label: themes.Auto, Detail: autoAbout, Group: "Built in", Current: m.taken.auto()}}
	for _, e := range w.list {
		it := overlay.Item{ID: e.Name, Label: e.Name, Detail: e.About, Group: "Built in", Current: e.Name == m.taken.name}
		if e.File != "" {
			it.Group = "Yours, in " + status.ShortDir(m.o.Themes.Dir, m.o.Home)
		}
		switch {
		case e.Err != nil:
			it.Disabled = "cannot be used"
		case e.Background != "":
			it.Right = shade(e.Dark)
		}
		items = append(items, it)
	}
	w.SetItems(w.gen, items)
	if w.Wanted() {
		return m.dispatch(w.Act(keys.Accept))
	}
	return nil
}

// shade names the kind of terminal that a theme is made for.
func shade(dark bool) string {
	if dark {
		return "dark"
	}
	return "light"
}

func (msg tryThemeMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	w := msg.of
	if m.box != w {
		return nil
	}
	l, err := w.find(msg.name)
	w.SetNotes(msg.name, m.themeNotes(l, err))
	switch {
	case err != nil || l.name == m.taken.name:
		m.endPreview()
	default:
		m.preview = &l
		m.restyle()
	}
	m.dirty = true
	return nil
}

func (msg takeThemeMsg) handle(m *Model) tea.Cmd {
	l, err := msg.of.find(msg.name)
	if err != nil {
		return nil
	}
	m.take(l)
	if msg.of.next != nil {
		keep := m.keepTheme(l.name)
		return tea.Batch(keep, msg.of.next())
	}
	m.show(nil)
	if msg.keep {
		return tea.Batch(m.say("Theme "+l.name+", saved for later starts."), m.keepTheme(l.name))
	}
	return m.say("Theme " + l.name + " until you leave; /theme " + l.name + " saves it.")
}
