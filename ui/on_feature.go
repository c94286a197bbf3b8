package ui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/feature"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// featureWindow is the window of a [feature.Feature].
type featureWindow struct {
	*overlay.Picker
	of      feature.Feature
	list    feature.List
	gen     uint64 // of its entries
	reads   int    // counts those of the list: a tick of an earlier one is for nothing
	marked  string // the entry that was marked last
	reading string // the entry whose text is open over the window
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
func (w *featureWindow) Contexts() []keys.Context { return []keys.Context{w.of.Context()} }

// Name is what the window is called by those opened out of it.
func (w *featureWindow) Name() string { return w.of.Many }

// Act implements [overlay.Box].
func (w *featureWindow) Act(a keys.Action) overlay.Request {
	if a == w.of.Open && a != "" {
		a = keys.Accept
	}
	if !slices.ContainsFunc(w.of.Actions, func(of feature.Action) bool { return of.Key == a }) {
		return w.Picker.Act(a)
	}
	if it, ok := w.Selected(); ok {
		return featureDoMsg{w, it.ID, a}
	}
	return nil
}

// Look implements looker.
func (w *featureWindow) Look() overlay.Request {
	it, _ := w.Selected()
	if it.ID == w.marked {
		return nil
	}
	w.marked = it.ID
	return featureMarkedMsg{w}
}

// hints are the keys worth knowing for an entry.
func (w *featureWindow) hints(m *Model, e feature.Entry) []status.Hint {
	var acts []keys.Action
	for _, a := range w.of.Actions {
		if a.Key != "" && a.Refuses(e) == "" && !slices.Contains(acts, a.Key) {
			acts = append(acts, a.Key)
		}
	}
	return m.windowHints("read", m.hints(w.of.Context(), acts...))
}

// host is the program as features see it.
func (m *Model) host() feature.Host {
	return feature.Host{Hooks: m.conv, Jobs: m.conv, Servers: m.app, Project: m.conv, Plugins: m.app, Now: m.now, OpenPage: m.o.OpenPage}
}

// openFeature opens the window of a feature.
func (m *Model) openFeature(f feature.Feature) tea.Cmd {
	w := &featureWindow{of: f}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: f.Title, Empty: f.Empty, Tail: f.Tail != nil, Hints: w.hints(m, feature.Entry{}),
		Chosen: func(it overlay.Item) overlay.Request { return featureDoMsg{w, it.ID, ""} },
	})
	m.featured = w
	m.show(w)
	return m.loadFeature(w, "")
}

// loadFeature reads the entries of a window; said is told with them.
func (m *Model) loadFeature(w *featureWindow, said string) tea.Cmd {
	w.gen = w.Load()
	return m.do(m.readFeature(w, said))
}

// readFeature reads the entries of a window without a sign that they are on their way.
func (m *Model) readFeature(w *featureWindow, said string) func() tea.Msg {
	w.reads++
	ctx, host := m.ctx, m.host()
	return func() tea.Msg {
		list, err := w.of.Load(ctx, host)
		return featureMsg{w, list, said, err}
	}
}

func (msg featureMsg) handle(m *Model) tea.Cmd {
	var cmds []tea.Cmd
	if msg.err != nil {
		msg.said = sentence(msg.err)
	}
	if msg.said != "" {
		cmds = append(cmds, m.say(msg.said))
	}
	w := msg.window
	if m.box != w && !m.below(w) {
		return tea.Batch(cmds...)
	}
	w.list = msg.list
	w.SetItems(w.gen, featureItems(msg.list))
	cmds = append(cmds, m.followFeature(w))
	if m.box != w {
		return tea.Batch(append(cmds, m.readOn(w))...)
	}
	it, _ := w.Selected()
	m.dirty, w.marked = true, it.ID
	return tea.Batch(append(cmds, m.dispatch(w.Search()), featureMarkedMsg{w}.handle(m))...)
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
	e, ok := w.list.Entry(msg.id)
	if !ok {
		if n, err := strconv.Atoi(strings.TrimPrefix(msg.id, problemID)); err == nil && n < len(w.list.Problems) {
			m.showOver(overlay.NewPager(m.styles, "Not read", w.list.Problems[n]+"\n", m.readHints()))
		}
		return nil
	}
	a, ok := w.of.Keyed(msg.do, e)
	if !ok {
		return m.readEntry(w, e)
	}
	return m.askFeature(w, a, e)
}

// readEntry opens all about an entry.
func (m *Model) readEntry(w *featureWindow, e feature.Entry) tea.Cmd {
	ctx, host, styles, hints := m.ctx, m.host(), m.styles, m.readHints()
	w.reading = e.ID
	return m.do(func() tea.Msg {
		text, err := w.of.Read(ctx, host, e)
		if err != nil {
			return failedMsg{err}
		}
		p := overlay.NewPager(styles, e.Label, text, hints)
		if e.Live {
			p.Follow()
		}
		return pagerMsg{p, w}
	})
}

// featureSureMsg asks for what the user has agreed to.
type featureSureMsg struct {
	window *featureWindow
	do     feature.Action
	of     feature.Entry
}

func (msg featureSureMsg) handle(m *Model) tea.Cmd {
	return tea.Batch(m.closeBox(), m.doFeature(msg.window, msg.do, msg.of))
}

// askFeature does something with an entry, once the user has agreed to it.
func (m *Model) askFeature(w *featureWindow, a feature.Action, e feature.Entry) tea.Cmd {
	if w.reading = ""; a.Refuses(e) != "" {
		return m.warn(a.Refuses(e))
	}
	if a.Twice != "" {
		key := m.keyName(a.Key, w.of.Context())
		if cmd, second := m.twice(w.of.Name+a.Verb+e.ID, "Press "+key+" again to "+a.Twice+"."); !second {
			return cmd
		}
	}
	q := a.Asks(e)
	if q == nil {
		return m.doFeature(w, a, e)
	}
	lines := make([]overlay.Line, len(q.Lines))
	for i, l := range q.Lines {
		lines[i] = overlay.Line(l)
	}
	ask := overlay.NewConfirm(m.styles, q.Title, lines, m.questionHints(q.Yes, "cancel"))
	ask.Yes = featureSureMsg{w, a, e}
	m.showOver(ask)
	return nil
}

// featureDoneMsg brings what came of an action.
type featureDoneMsg struct {
	window *featureWindow
	of     feature.Entry
	feature.Outcome
	err  error
	page overlay.Box // was of use until now, nil for none
}

// doFeature does something with an entry.
func (m *Model) doFeature(w *featureWindow, a feature.Action, e feature.Entry) tea.Cmd {
	ctx, host := m.ctx, m.host()
	if a.Alone {
		if m.alone != nil {
			m.alone()
		}
		ctx, m.alone = context.WithCancel(ctx)
	}
	do := m.do(func() tea.Msg {
		outcome, err := a.Do(ctx, host, e)
		return featureDoneMsg{w, e, outcome, err, nil}
	})
	if a.Slow {
		return tea.Batch(m.say("Trying it…"), do)
	}
	return do
}

func (msg featureDoneMsg) handle(m *Model) tea.Cmd {
	var closed tea.Cmd
	if msg.page != nil && m.box == msg.page {
		closed = m.closeBox()
	}
	switch {
	case msg.err != nil && rows.Width(msg.err.Error()) > m.w-10: // longer than the row of notes
		return tea.Batch(closed, m.complain(msg.err), m.fail(msg.err))
	case msg.err != nil:
		return tea.Batch(closed, m.fail(msg.err))
	case msg.Text != "":
		return m.readOutcome(msg)
	}
	return tea.Batch(closed, m.loadFeature(msg.window, msg.Said))
}

// readOutcome opens the text of an outcome, and waits for the rest.
func (m *Model) readOutcome(msg featureDoneMsg) tea.Cmd {
	text := func(int, *rows.Styles) string { return msg.Text }
	title, copied := cmp.Or(msg.Title, msg.of.Label), cmp.Or(msg.Copy, msg.Text)
	p := overlay.NewPagerOf(m.styles, title, copied, text, m.readHints())
	if msg.End {
		p = overlay.NewPager(m.styles, title, msg.Text, m.readHints())
		p.Follow()
	}
	m.showOver(p)
	if msg.Wait == nil {
		return nil
	}
	return tea.Batch(m.say(msg.Said), m.do(func() tea.Msg {
		out, err := msg.Wait()
		return featureDoneMsg{msg.window, msg.of, out, err, p}
	}))
}
