package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/setup"
)

// configWindow lists the settings, to change them.
type configWindow struct {
	*overlay.Picker
	gen  uint64 // of its entries
	list []app.Setting
}

// The messages of the window: they are listed, one is to be changed, a value was given for
// it, and it was taken.
type (
	configMsg struct {
		of   *configWindow
		list []app.Setting
	}
	configEditMsg struct {
		of   *configWindow
		name string
	}
	configGivenMsg struct {
		of   *configWindow // nil for a command
		in   *setup.Input  // where it was typed, nil for none
		name string
		text string
	}
	configTakenMsg struct {
		configGivenMsg
		now app.Setting
		err error
	}
)

// Name is what another window leads back to.
func (*configWindow) Name() string { return "the settings" }

// Look implements looker.
func (w *configWindow) Look() overlay.Request {
	if it, ok := w.Selected(); ok {
		w.SetNotes(it.ID, settingNotes(*w.find(it.ID)))
	}
	return nil
}

func (w *configWindow) find(name string) *app.Setting {
	i := slices.IndexFunc(w.list, func(s app.Setting) bool { return s.Name == name })
	return &w.list[i]
}

// settingNotes say what a setting is for, what it may hold, and from where it is.
func settingNotes(s app.Setting) []overlay.Note {
	notes := []overlay.Note{
		{Text: s.Name, Tone: overlay.Strong}, {Text: s.Doc, Rows: 8}, {},
		{Text: "now: " + valueOf(s) + " (" + from(s) + ")", Rows: 3},
		{Text: "takes effect: " + s.When()}, {Text: "kind: " + s.Kind(), Rows: 3}, {Text: "default: " + cmp.Or(s.Default, "none"), Tone: overlay.Faint, Rows: 2},
	}
	if s.Env != "" {
		notes = append(notes, overlay.Note{Text: "in the environment: " + s.Env, Tone: overlay.Faint})
	}
	if !s.Editable() {
		notes = append(notes, overlay.Note{Text: "It is changed in the file: hermes-tui config edit.", Tone: overlay.Faint})
	}
	return notes
}

func valueOf(s app.Setting) string { return cmp.Or(s.Value, "not set") }

// longestSetting is up to how many bytes a value is changed on the screen.
const longestSetting = 200

// from says in short where a value comes from.
func from(s app.Setting) string {
	if s.Source == "default" || s.Beside() != "" {
		return s.Source
	}
	return s.Source[strings.LastIndexAny(s.Source, `/\`)+1:]
}

// commandConfig lists the settings, those that words find, or changes one.
func (m *Model) commandConfig(args string) tea.Cmd {
	name, text, given := strings.Cut(args, " ")
	if given && slices.ContainsFunc(m.app.AllSettings(), func(s app.Setting) bool { return s.Name == name }) {
		return configGivenMsg{name: name, text: strings.TrimSpace(text)}.handle(m)
	}
	return m.openConfig(args)
}

// openConfig lists the settings.
func (m *Model) openConfig(words string) tea.Cmd {
	w := &configWindow{}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Settings", Notes: true, Could: "type to find a setting by its name or by what it does", Hints: m.windowHints("change", nil),
		Chosen: func(it overlay.Item) overlay.Request { return configEditMsg{w, it.ID} },
	})
	m.show(w)
	w.gen = w.Load()
	m.box.Type(words)
	a := m.app
	return m.do(func() tea.Msg { return configMsg{w, a.AllSettings()} })
}

func (msg configMsg) handle(m *Model) tea.Cmd {
	if m.box != msg.of {
		return nil
	}
	m.dirty = true
	msg.of.set(msg.list)
	return m.dispatch(msg.of.Search())
}

// set takes the settings.
func (w *configWindow) set(list []app.Setting) {
	w.list = list
	items := make([]overlay.Item, len(list))
	for i, s := range list {
		section, _, below := strings.Cut(s.Name, ".")
		if !below {
			section = "everything else"
		}
		items[i] = overlay.Item{ID: s.Name, Label: s.Name, Detail: s.Doc, Right: s.Value, Group: section}
		if s.Source != "default" {
			items[i].Right = "● " + valueOf(s)
		}
	}
	w.SetItems(w.gen, items)
}

// handle switches a setting that is on or off, and asks for the value of another one.
func (msg configEditMsg) handle(m *Model) tea.Cmd {
	s := *msg.of.find(msg.name)
	give := func(in *setup.Input, text string) configGivenMsg { return configGivenMsg{msg.of, in, s.Name, text} }
	switch {
	case !s.Editable() || len(s.Value) > longestSetting:
		return m.say(s.Name + " is changed in the file: hermes-tui config edit opens it.")
	case s.Switch():
		return give(nil, strconv.FormatBool(s.Value != "true")).handle(m)
	case len(s.Allowed) > 0:
		p := overlay.NewPicker(m.styles, overlay.PickerOptions{
			Title: s.Name, Hints: m.windowHints("take", nil),
			Chosen: func(it overlay.Item) overlay.Request { return give(nil, it.ID) },
		})
		items := make([]overlay.Item, len(s.Allowed))
		for i, word := range s.Allowed {
			items[i] = overlay.Item{ID: word, Label: cmp.Or(word, "not set"), Current: word == s.Value}
			if word == s.Default {
				items[i].Right = "default"
			}
		}
		p.SetItems(p.Load(), items)
		m.showOver(p)
		return nil
	}
	o := setup.Options{
		Title: s.Name, Lines: []string{s.Doc, "Kind: " + s.Kind() + ". Takes effect " + s.When() + "."}, Setting: true, Masked: s.Secret,
		Could: cmp.Or(s.Default, "nothing"), Hints: m.windowHints("save", nil),
	}
	if s.Whole() {
		o.Text = s.Value
	}
	var in *setup.Input
	o.Typed = func(text string) overlay.Request { return give(in, text) }
	in = setup.New(m.styles, o)
	m.showOver(in)
	return nil
}

// handle writes the value.
func (msg configGivenMsg) handle(m *Model) tea.Cmd {
	a, ctx := m.app, m.ctx
	return m.do(func() tea.Msg {
		now, err := a.ChangeSetting(ctx, msg.name, msg.text)
		return configTakenMsg{msg, now, err}
	})
}

// handle says what came of it, and goes back to the list.
func (msg configTakenMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	w := msg.of
	if msg.err != nil {
		why := sentence(msg.err)
		why = strings.TrimPrefix(why, "New value: ")
		if msg.in != nil && m.box == msg.in {
			msg.in.Fail(why)
			return nil
		}
		return m.warn(why)
	}
	for w != nil && m.box != w && slices.Contains(m.under, overlay.Box(w)) {
		m.closeBox()
	}
	if w != nil {
		w.gen = w.Load()
		w.set(m.app.AllSettings())
		w.Look()
	}
	text := msg.now.Changed()
	if from := msg.now.Beside(); from != "" {
		text = msg.name + " is saved, but the " + from + " counts more: " + valueOf(msg.now) + "."
	}
	return m.say(text)
}
