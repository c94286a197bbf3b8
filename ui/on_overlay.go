package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
	"hermes-tui/ui/transcript"
)

// windows are those that are open. The one on top has the keys; when it closes, it gives
// way to the one it was opened out of.
type windows struct {
	box   overlay.Box // nil when nothing is open
	under []overlay.Box
}

// What a window may do besides. A syncer follows the state, a ticker changes with time,
// a hinter knows more keys than the one that closes it, a placed one has keys of its own
// in the table, a typer takes text before its keys mean anything else, a named one is told of where another window leads back to it.
type (
	syncer interface{ Sync(s *event.State) }
	ticker interface {
		Tick(now time.Time, frame int)
		Animating() bool
	}
	hinter interface {
		Hints(leave string) []keys.Hint
	}
	placed interface{ Contexts() []keys.Context }
	typer  interface{ Typing() bool }
	hiding interface{ Secret() bool }
	named  interface{ Name() string }
)

// foundMsg brings the result of a search in a picker.
type foundMsg struct {
	picker *overlay.Picker
	found  overlay.Found
}

// pagerMsg brings a text that was made ready to be read, and the window it was asked for
// in, nil for none.
type pagerMsg struct {
	pager *overlay.Pager
	out   overlay.Box
}

// show opens a window in place of those that are open.
func (m *Model) show(b overlay.Box) {
	m.windows, m.dirty = windows{box: b}, true
	m.endPreview()
}

// showOver opens a window that gives way to the one it was opened out of, if that is still
// open.
func (m *Model) showOver(b overlay.Box) {
	if m.box != nil {
		m.under = append(m.under, m.box)
	}
	m.box, m.dirty = b, true
}

// closeBox closes the open window.
func (m *Model) closeBox() tea.Cmd {
	if m.box == m.models.window {
		m.stopModels()
	}
	m.box, m.dirty = nil, true
	m.endPreview()
	if n := len(m.under); n > 0 {
		m.box, m.under = m.under[n-1], m.under[:n-1]
	}
	m.syncBox()
	return m.refresh(m.featured)
}

// boxKey sends a key to the open window.
func (m *Model) boxKey(key, text string) tea.Cmd {
	if b, ok := m.box.(typer); ok && text != "" && b.Typing() {
		return tea.Batch(m.dispatch(m.box.Type(text)), m.animate())
	}
	a, ok := m.keys.Find(key, keys.InOverlay)
	if !ok {
		if a, ok = m.keys.Find(key, keys.Anywhere); ok && !boxIgnores(a) {
			return m.boxAnywhere(a)
		}
		a, ok = m.keys.Find(key, m.boxContexts()...)
	}
	var r overlay.Request
	switch {
	case ok:
		r = overlay.Do(m.box, a)
	case text != "":
		r = m.box.Type(text)
	}
	return tea.Batch(m.dispatch(r), m.animate())
}

// boxIgnores are the actions that mean nothing while a window is open.
func boxIgnores(a keys.Action) bool {
	switch a {
	case keys.Escape, keys.Cancel, keys.Quit, keys.Redraw, keys.Mode, keys.Mouse, keys.Help:
		return false
	}
	return true
}

func (m *Model) boxAnywhere(a keys.Action) tea.Cmd {
	switch {
	case a == keys.Cancel && m.asksToLeave():
		return m.leave()
	case a == keys.Escape, a == keys.Cancel:
		if m.box.Back() {
			return m.closeBox()
		}
		return nil
	}
	cmd, _ := m.actAnywhere(a)
	return cmd
}

// onSearch runs the search that a picker asks for, off this goroutine.
func (m *Model) onSearch(s overlay.Search) tea.Cmd {
	f, due := s.Of.Pending()
	if !due {
		return nil
	}
	return m.do(func() tea.Msg { return foundMsg{s.Of, f.Run()} })
}

func (msg foundMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	msg.picker.Found(msg.found)
	m.dirty = true
	return nil
}

// soughtMsg brings the result of a search in a text.
type soughtMsg struct{ overlay.Seek }

// onSeek runs the search that a pager asks for, off this goroutine.
func (m *Model) onSeek(s overlay.Seek) tea.Cmd {
	m.dirty = true
	return m.do(func() tea.Msg { return soughtMsg{s.Run()} })
}

func (msg soughtMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	return m.dispatch(msg.Of().Take(msg.Seek))
}

// syncBox hands the state to an open window that follows it.
func (m *Model) syncBox() {
	if b, ok := m.box.(syncer); ok {
		b.Sync(m.state)
	}
	m.hintTimeline()
}

// tickBox tells the time to an open window that changes with it.
func (m *Model) tickBox(now time.Time) {
	if b, ok := m.box.(ticker); ok {
		b.Tick(now, m.clock.frame)
	}
}

// boxAnimates reports whether an open window changes with time.
func (w *windows) boxAnimates() bool {
	b, ok := w.box.(ticker)
	return ok && b.Animating()
}

// boxContexts are where the open window has keys of its own.
func (w *windows) boxContexts() []keys.Context {
	if b, ok := w.box.(placed); ok {
		return b.Contexts()
	}
	return nil
}

// boxHints are the keys that leave an open window; those of its content stand on
// its lower edge.
func (m *Model) boxHints() []status.Hint {
	leave := "close"
	if n := len(m.under); n > 0 {
		if b, ok := m.under[n-1].(named); ok {
			leave = "back to " + b.Name()
		}
	}
	list := []keys.Hint{{Action: keys.Escape, Text: leave}}
	if b, ok := m.box.(hinter); ok {
		list = b.Hints(leave)
	}
	var hints []status.Hint
	places := append(m.boxContexts(), keys.InOverlay, keys.Anywhere)
	for _, h := range list {
		if b, ok := m.keys.Binding(h.Action, places...); ok {
			hints = append(hints, status.Hint{Key: b.Keys[0], Text: h.Text})
		}
	}
	return hints
}

// openBlock shows a block in a window. Of a call whose output is longer than the
// transcript holds, all of it is shown.
func (m *Model) openBlock(b *event.Block) tea.Cmd {
	if b == nil {
		return m.say("Select a block first, with up and down.")
	}
	title, text := transcript.OpenText(b)
	whole, styles := m.wholeOutput(b), m.styles
	hints := m.readHints(keys.Editor)
	return m.do(func() tea.Msg {
		if all, ok := whole(); ok {
			text = all
		}
		return pagerMsg{overlay.NewPager(styles, title, text, hints), nil}
	})
}

func (msg pagerMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	if msg.out != nil && msg.out == m.box {
		m.showOver(msg.pager)
	} else {
		m.show(msg.pager)
	}
	return nil
}

// hints are the short reminders of some keys.
func (m *Model) hints(p keys.Context, actions ...keys.Action) []status.Hint {
	var out []status.Hint
	for _, a := range actions {
		b, ok := m.keys.Binding(a, p, keys.Anywhere)
		if !ok {
			continue
		}
		text := b.Hint
		if text == "" {
			text = b.Help
		}
		out = append(out, status.Hint{Key: b.Keys[0], Text: text})
	}
	return out
}

// pick shows a window of items in place of any other.
func (m *Model) pick(o overlay.PickerOptions, items []overlay.Item) tea.Cmd {
	o.Hints = m.windowHints("choose", nil)
	p := overlay.NewPicker(m.styles, o)
	m.show(p)
	p.SetItems(p.Load(), items)
	return m.dispatch(p.Search())
}

// oneLine is a text without its line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
