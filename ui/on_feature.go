package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/feature"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// featureWindow is the window of a [feature.Feature].
type featureWindow struct {
	*overlay.Picker
	of   feature.Feature
	list feature.List
	gen  uint64 // of its entries
}

// featureMsg brings the entries of a window, and what is told with them.
type featureMsg struct {
	window *featureWindow
	list   feature.List
	said   string
	err    error
}

// featureDoMsg asks for an entry of a window to be read, or for something to be done with it.
type featureDoMsg struct {
	window *featureWindow
	id     string
	do     keys.Action
}

// Contexts are where the window has keys of its own.
func (w *featureWindow) Contexts() []keys.Context { return []keys.Context{keys.Context(w.of.Name)} }

// Name is what the window is called by those opened out of it.
func (w *featureWindow) Name() string { return w.of.Name }

// Act implements [overlay.Box].
func (w *featureWindow) Act(a keys.Action) overlay.Request {
	if !slices.ContainsFunc(w.of.Actions, func(of feature.Action) bool { return of.Key == a }) {
		return w.Picker.Act(a)
	}
	if it, ok := w.Selected(); ok {
		return featureDoMsg{w, it.ID, a}
	}
	return nil
}

// host is the program as features see it.
func (m *Model) host() feature.Host {
	return feature.Host{Hooks: m.conv, Plugins: m.app, Now: m.now}
}

// openFeature opens the window of a feature.
func (m *Model) openFeature(f feature.Feature) tea.Cmd {
	var acts []keys.Action
	for _, a := range f.Actions {
		if a.Key != "" {
			acts = append(acts, a.Key)
		}
	}
	w := &featureWindow{of: f}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: f.Title, Empty: f.Empty, Hints: m.windowHints("read", m.hints(keys.Context(f.Name), acts...)),
		Chosen: func(it overlay.Item) overlay.Request { return featureDoMsg{w, it.ID, ""} },
	})
	m.show(w)
	return m.loadFeature(w, "")
}

// loadFeature reads the entries of a window; said is told with them.
func (m *Model) loadFeature(w *featureWindow, said string) tea.Cmd {
	w.gen = w.Load()
	ctx, host := m.ctx, m.host()
	return m.do(func() tea.Msg {
		list, err := w.of.Load(ctx, host)
		return featureMsg{w, list, said, err}
	})
}

func (msg featureMsg) handle(m *Model) tea.Cmd {
	var cmds []tea.Cmd
	if msg.err != nil {
		msg.said = sentence(msg.err)
	}
	if msg.said != "" {
		cmds = append(cmds, m.say(msg.said))
	}
	if w := msg.window; m.box == w {
		w.list = msg.list
		w.SetItems(w.gen, featureItems(msg.list))
		m.dirty = true
		cmds = append(cmds, m.dispatch(w.Search()))
	}
	return tea.Batch(cmds...)
}

// featureItems are the rows of a window.
func featureItems(l feature.List) []overlay.Item {
	var items []overlay.Item
	for i, p := range l.Problems {
		items = append(items, overlay.Item{ID: problemID + strconv.Itoa(i), Label: p, Group: "Not read"})
	}
	for _, e := range l.Entries {
		items = append(items, overlay.Item{ID: e.ID, Label: e.Label, Detail: e.Detail, Right: e.Right, Group: e.Group})
	}
	return items
}

// handle does what was asked for. The window stays open.
func (msg featureDoMsg) handle(m *Model) tea.Cmd {
	w := msg.window
	at := slices.IndexFunc(w.list.Entries, func(e feature.Entry) bool { return e.ID == msg.id })
	if at < 0 {
		if n, err := strconv.Atoi(strings.TrimPrefix(msg.id, problemID)); err == nil && n < len(w.list.Problems) {
			m.showOver(overlay.NewPager(m.styles, "Not read", w.list.Problems[n]+"\n", m.readHints()))
		}
		return nil
	}
	e := w.list.Entries[at]
	i := slices.IndexFunc(w.of.Actions, func(a feature.Action) bool { return a.Key == msg.do })
	if msg.do == "" || i < 0 {
		return m.readEntry(w.of, e)
	}
	return m.doFeature(w, w.of.Actions[i], e)
}

// readEntry opens all about an entry.
func (m *Model) readEntry(f feature.Feature, e feature.Entry) tea.Cmd {
	ctx, host, styles, hints, out := m.ctx, m.host(), m.styles, m.readHints(), m.box
	return m.do(func() tea.Msg {
		text, err := f.Read(ctx, host, e)
		if err != nil {
			return failedMsg{err}
		}
		return pagerMsg{overlay.NewPager(styles, e.Label, text, hints), out}
	})
}

// featureDoneMsg brings what came of an action.
type featureDoneMsg struct {
	window *featureWindow
	of     feature.Entry
	feature.Outcome
	err error
}

// doFeature does something with an entry.
func (m *Model) doFeature(w *featureWindow, a feature.Action, e feature.Entry) tea.Cmd {
	ctx, host := m.ctx, m.host()
	do := m.do(func() tea.Msg {
		outcome, err := a.Do(ctx, host, e)
		return featureDoneMsg{w, e, outcome, err}
	})
	if a.Slow {
		return tea.Batch(m.say("Trying it…"), do)
	}
	return do
}

func (msg featureDoneMsg) handle(m *Model) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.fail(msg.err)
	case msg.Text != "":
		return m.dispatch(pagerMsg{overlay.NewPager(m.styles, msg.of.Label, msg.Text, m.readHints()), msg.window})
	}
	return m.loadFeature(msg.window, msg.Said)
}
