package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/feature"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
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
	words   string // that are looked for
	// undone are the entries to which something was done that can be taken back; swaps reports
	// whether they stay when the next list comes.
	undone map[string]feature.Outcome
	swaps  bool
}

// featureMsg brings the entries of a window, and what is told with them. Those of an earlier read
// than the newest one are dropped: they may be of another list.
type featureMsg struct {
	window *featureWindow
	read   int
	list   feature.List
	said   string
	err    error
}

// featureKeyMsg asks for what a key of a window does with the marked entry, which may be none.
type featureKeyMsg struct {
	window *featureWindow
	id     string
	key    keys.Action
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
	if entry, list := w.of.Acts(); !slices.Contains(append(entry, list...), a) {
		return w.Picker.Act(a)
	}
	it, _ := w.Selected()
	return featureKeyMsg{w, it.ID, a}
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
	entry, list := w.of.Acts()
	entry = slices.DeleteFunc(entry, func(key keys.Action) bool {
		_, err := w.of.Keyed(key, &e)
		return err != nil
	})
	p := w.of.Context()
	return m.windowHints(w.of.Enters(), m.hints(p, entry...), m.hints(p, inTable(m.keys.Bindings, p, list)...)...)
}

// items are the rows of the window.
func (w *featureWindow) items() []overlay.Item {
	items := featureItems(w.list)
	for i := range items {
		if o, gone := w.undone[items[i].ID]; gone {
			items[i].Detail = o.Gone
		}
	}
	return items
}

// relist shows the entries as they are known now.
func (w *featureWindow) relist() overlay.Request {
	w.SetTitle(cmp.Or(w.list.Title, w.of.Title))
	w.SetItems(w.gen, w.items())
	return w.Search()
}

// host is the program as features see it.
func (m *Model) host() feature.Host {
	return feature.Host{Hooks: m.conv, Jobs: m.conv, Servers: m.app, Project: m.conv, Plugins: m.app, Learnings: m.app, Memory: m.app, Instructions: m.conv, Permissions: m.conv, Home: m.state.Work.Home, Here: m.conv, Now: m.now, OpenPage: m.o.OpenPage}
}

// commandFeature opens a feature, or one of its views, or does something with an entry.
func (m *Model) commandFeature(f feature.Feature, args string) tea.Cmd {
	verb, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	act, known := f.Action(verb)
	view, further := f.View(verb)
	switch {
	case verb == "":
		return m.openFeature(f, "")
	case further:
		return openView(m, nil, view, rest)
	case verb == "undo" && !known:
		return undoFeature(m, f)
	case !known && f.Filters:
		cmd := m.openFeature(f, "")
		return tea.Batch(cmd, m.dispatch(m.box.Type(args)))
	case !known:
		return m.say(fmt.Sprintf("/%s does not know %s: it takes %s or nothing.", f.Name, verb, strings.Join(f.Verbs(), ", ")))
	case act.Whole:
		return perform(m, doing{of: f, action: act, text: rest})
	}
	name, text := act.Split(rest)
	ctx, host := m.ctx, m.host()
	return m.do(func() tea.Msg {
		l, err := f.Load(ctx, host, "")
		if err != nil {
			return failedMsg{err}
		}
		e, err := f.Find(l, name, "/"+f.Name)
		if err != nil {
			return failedMsg{err}
		}
		return doing{of: f, action: act, entry: e, text: text}
	})
}

// openFeature opens the window of a feature.
func (m *Model) openFeature(f feature.Feature, words string) tea.Cmd {
	w := &featureWindow{of: f, words: words, undone: map[string]feature.Outcome{}}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: f.Title, Empty: f.Empty, Tail: f.Tail != nil, Hints: w.hints(m, feature.Entry{}),
		Chosen: func(it overlay.Item) overlay.Request { return featureKeyMsg{w, it.ID, keys.Accept} },
	})
	m.featured = w
	m.show(w)
	return m.loadFeature(w, "")
}

// openView opens a view of a feature, out of its window or alone.
func openView(m *Model, w *featureWindow, v feature.View, words string) tea.Cmd {
	f := v.Of()
	switch {
	case f.Words != "" && words == "" && w != nil:
		return m.say("Type what to look for first.")
	case f.Words != "" && words == "":
		return m.say("Write after it what to look for.")
	case v.Swap && w != nil:
		w.of, w.swaps = f, true
		w.SetTitle(f.Title)
		return m.loadFeature(w, "")
	}
	return m.openFeature(f, words)
}

// inTable are actions in the order of the table of keys.
func inTable(table []keys.Binding, c keys.Context, list []keys.Action) (sorted []keys.Action) {
	for _, b := range table {
		if b.Context == c && slices.Contains(list, b.Action) {
			sorted = append(sorted, b.Action)
		}
	}
	return sorted
}

// loadFeature reads the entries of a window; said is told with them.
func (m *Model) loadFeature(w *featureWindow, said string) tea.Cmd {
	w.gen = w.Load()
	return m.do(m.readFeature(w, said))
}

// readFeature reads the entries of a window without a sign that they are on their way.
func (m *Model) readFeature(w *featureWindow, said string) func() tea.Msg {
	w.reads++
	ctx, host, of, words, read := m.ctx, m.host(), w.of, w.words, w.reads
	return func() tea.Msg {
		list, err := of.Load(ctx, host, words)
		return featureMsg{w, read, list, said, err}
	}
}

func (msg featureMsg) handle(m *Model) tea.Cmd {
	var cmds []tea.Cmd
	if msg.err != nil {
		cmds = append(cmds, m.fail(msg.err))
	} else if msg.said != "" {
		cmds = append(cmds, m.say(msg.said))
	}
	w := msg.window
	if m.box != w && !m.below(w) || msg.read != w.reads {
		return tea.Batch(cmds...)
	}
	w.list = w.keep(msg.list)
	search := w.relist()
	cmds = append(cmds, m.followFeature(w))
	if m.box != w {
		return tea.Batch(append(cmds, m.readOn(w))...)
	}
	it, _ := w.Selected()
	m.dirty, w.marked = true, it.ID
	return tea.Batch(append(cmds, m.dispatch(search), featureMarkedMsg{w}.handle(m))...)
}

// keep returns a new list of the window. In place of another view it has the entries that can
// still be brought back, each behind the one that it stood behind.
func (w *featureWindow) keep(l feature.List) feature.List {
	if !w.swaps {
		clear(w.undone)
	}
	w.swaps = false
	before := ""
	for _, e := range w.list.Entries {
		if _, held := l.Entry(e.ID); held {
			delete(w.undone, e.ID)
		} else if _, gone := w.undone[e.ID]; gone {
			at := slices.IndexFunc(l.Entries, func(o feature.Entry) bool { return o.ID == before })
			l.Entries = slices.Insert(l.Entries, at+1, e)
		}
		before = e.ID
	}
	return l
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

// handle does what a key of a window is for. The window stays open.
func (msg featureKeyMsg) handle(m *Model) tea.Cmd {
	w := msg.window
	w.reading = ""
	var e *feature.Entry
	if one, ok := w.list.Entry(msg.id); ok {
		e = &one
	}
	if i := slices.IndexFunc(w.of.Views, func(v feature.View) bool { return v.Key == msg.key }); i >= 0 {
		return openView(m, w, w.of.Views[i], w.Query())
	}
	if o, gone := w.undone[msg.id]; gone {
		return undo(m, w, msg.id, o)
	}
	if msg.key != keys.Accept {
		a, err := w.of.Keyed(msg.key, e)
		if err != nil {
			return m.fail(err)
		}
		d := doing{window: w, of: w.of, action: a}
		if w.of.Closes {
			d.window = nil
		}
		if e != nil {
			d.entry = *e
		}
		return perform(m, d)
	}
	switch {
	case e == nil:
		if n, err := strconv.Atoi(strings.TrimPrefix(msg.id, problemID)); err == nil && n < len(w.list.Problems) {
			m.showOver(overlay.NewPager(m.styles, "Not read", w.list.Problems[n]+"\n", m.readHints()))
		}
		return nil
	case e.Is != nil:
		of, _ := feature.Named(e.Of)
		return openMenu(m, of, *e.Is)
	case e.Enter != "":
		a, _ := w.of.Action(e.Enter)
		d := doing{window: w, of: w.of, action: a, entry: *e}
		if w.of.Closes {
			d.window = nil
		}
		return perform(m, d)
	case w.of.Menu:
		return openMenu(m, w.of, *e)
	}
	return m.readEntry(w, w.of, *e)
}

// readEntry opens all about an entry.
func (m *Model) readEntry(w *featureWindow, f feature.Feature, e feature.Entry) tea.Cmd {
	ctx, host, styles, hints, out := m.ctx, m.host(), m.styles, m.readHints(), m.box
	if w != nil {
		w.reading = e.ID
	}
	return m.do(func() tea.Msg {
		text, err := f.Read(ctx, host, e)
		if err != nil {
			return failedMsg{err}
		}
		p := overlay.NewPager(styles, e.Label, text, hints)
		if e.Live {
			p.Follow()
		}
		return pagerMsg{p, out}
	})
}

// said is what the status line says of something that was done.
func said(err error, text string) tea.Msg {
	if err != nil {
		return failedMsg{err}
	}
	return saidMsg{text}
}
