package ui

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/field"
	"hermes-tui/ui/host"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// doing is something that is done with an entry of a feature. Without a window it closes
// those that are open.
type doing struct {
	window *featureWindow
	of     feature.Feature
	action feature.Action
	entry  feature.Entry
	text   string
	editor bool // the text is asked for in the user's editor
}

// undoing takes something back.
type undoing func(ctx context.Context) (feature.Outcome, error)

// actedMsg brings what came of it.
type actedMsg struct {
	doing
	feature.Outcome
	err  error
	page overlay.Box // was of use until now, nil for none
}

// menuMsg asks for a row of a menu: an action, or reading for none.
type menuMsg struct {
	of     feature.Feature
	entry  feature.Entry
	action *feature.Action
	editor bool
}

// openMenu lists what can be done with an entry.
func openMenu(m *Model, f feature.Feature, e feature.Entry) tea.Cmd {
	asks := []menuMsg{{of: f, entry: e}}
	items := []overlay.Item{{ID: "0", Label: cmp.Or(e.Reads, "Read all of it")}}
	for _, a := range f.Actions {
		if a.Label == "" || a.Fits(e) != nil {
			continue
		}
		it := overlay.Item{ID: strconv.Itoa(len(asks)), Label: a.Label}
		if a.Note != nil {
			it.Detail = a.Note(e)
		}
		asks, items = append(asks, menuMsg{f, e, &a, false}), append(items, it)
		if a.Text != nil && a.Text.Editor != "" {
			items = append(items, overlay.Item{ID: strconv.Itoa(len(asks)), Label: a.Text.Editor, Detail: "$EDITOR"})
			asks = append(asks, menuMsg{f, e, &a, true})
		}
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: f.Title, Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request {
			i, _ := strconv.Atoi(it.ID) // as above
			return asks[i]
		},
	})
	m.showOver(p)
	p.SetItems(p.Load(), items)
	return m.dispatch(p.Search())
}

func (msg menuMsg) handle(m *Model) tea.Cmd {
	if msg.action == nil {
		return m.readEntry(nil, msg.of, msg.entry)
	}
	return perform(m, doing{of: msg.of, action: *msg.action, entry: msg.entry, editor: msg.editor})
}

func (d doing) handle(m *Model) tea.Cmd { return perform(m, d) }

// sureMsg asks for what the user has agreed to.
type sureMsg struct{ doing }

func (msg sureMsg) handle(m *Model) tea.Cmd { return tea.Batch(m.closeBox(), start(m, msg.doing)) }

// perform does something with an entry, once the user has agreed to it. A text that is missing
// is asked for.
func perform(m *Model, d doing) tea.Cmd {
	a := d.action
	if err := a.Fits(d.entry); err != nil {
		return m.fail(err)
	}
	if a.Twice != "" && d.window != nil {
		key := m.keyName(a.Key, d.of.Context())
		if cmd, second := m.twice(d.of.Name+a.Verb+d.entry.ID, "Press "+key+" again to "+a.Twice+"."); !second {
			return cmd
		}
	}
	switch t := a.Text; {
	case t == nil || t.Optional || d.text != "":
	case d.editor || d.window != nil && t.Editor != "":
		return editText(m, d)
	default:
		return askText(m, d)
	}
	q := a.Asks(d.entry)
	if q == nil {
		return start(m, d)
	}
	lines := make([]overlay.Line, len(q.Lines))
	for i, l := range q.Lines {
		lines[i] = overlay.Line(l)
	}
	ask := overlay.NewConfirm(m.styles, q.Title, lines, m.questionHints(q.Yes, "cancel"))
	ask.Yes = sureMsg{d}
	m.showOver(ask)
	return nil
}

// start does something with an entry.
func start(m *Model, d doing) tea.Cmd {
	ctx, host, a := m.ctx, m.host(), d.action
	if a.Alone {
		if m.alone != nil {
			m.alone()
		}
		ctx, m.alone = context.WithCancel(ctx)
	}
	do := m.do(func() tea.Msg {
		o, err := a.Run(ctx, host, d.entry, d.text)
		return actedMsg{doing: d, Outcome: o, err: err}
	})
	if a.Slow {
		return tea.Batch(m.say(cmp.Or(a.Starts, "Trying it…")), do)
	}
	return do
}

// now returns the text of an entry that an action changes.
func (d doing) now() string {
	if d.action.Text.Now == nil {
		return ""
	}
	return d.action.Text.Now(d.entry)
}

// askText asks for the text of an action in a field.
func askText(m *Model, d doing) tea.Cmd {
	m.showOver(field.New(field.Options{
		Styles: m.styles, Title: d.action.Text.Ask, Now: d.now(), Edits: edits,
		Hints: append(m.questionHints("done", "cancel"), m.hint(keys.Newline, keys.InComposer, "new line")...),
		Done: func(text string) overlay.Request {
			d.text = text
			return d
		},
	}))
	return nil
}

// editText asks for the text of an action in the user's editor, which has the terminal
// meanwhile. The agents go on.
func editText(m *Model, d doing) tea.Cmd {
	a, ctx, terminal, host := m.app, m.ctx, m.terminal, m.host()
	if terminal == nil {
		return m.say("There is no terminal for an editor.")
	}
	if d.window == nil {
		m.show(nil)
	}
	return m.lend(func() tea.Msg {
		file, err := a.DraftText(d.of.Name, d.now())
		if err != nil {
			return actedMsg{doing: d, err: err}
		}
		err = terminal.Lend(func(in io.Reader, out io.Writer, environ []string) error {
			return term.Edit(ctx, in, out, environ, file)
		})
		o := feature.Outcome{Said: "Nothing was changed."}
		err = a.EditedText(file, d.now(), err, func(text string) (err error) {
			o, err = d.action.Run(ctx, host, d.entry, text)
			return err
		})
		return actedMsg{doing: d, Outcome: o, err: err}
	})
}

// handle tells what came of an action. A text that was asked for stays when it failed.
func (msg actedMsg) handle(m *Model) tea.Cmd {
	var closed tea.Cmd
	if msg.page != nil && m.box == msg.page {
		closed = m.closeBox()
	}
	switch {
	case msg.err != nil && rows.Width(msg.err.Error()) > m.w-10: // longer than the row of notes
		return tea.Batch(closed, m.complain(msg.err), m.fail(msg.err))
	case msg.err != nil:
		return tea.Batch(closed, m.fail(msg.err))
	}
	return tea.Batch(closed, done(m, msg))
}

// done tells what came of an action that did not fail.
func done(m *Model, msg actedMsg) tea.Cmd {
	_, asked := m.box.(*field.Field)
	switch w := msg.window; {
	case w == nil || msg.Draft != "":
		m.show(nil)
	case asked:
		m.closeBox()
	}
	if msg.Undo != nil {
		m.undos[msg.of.Name] = msg.Undo
	}
	switch w := msg.window; {
	case msg.Text != "":
		return readOutcome(m, msg)
	case msg.Session != "":
		return m.dispatch(host.Goto{Session: msg.Session, Message: event.MessageID(msg.Message)})
	case msg.Draft != "":
		return beginMessage(m, msg.Draft)
	case w == nil:
		return m.say(msg.Said)
	case msg.Gone != "":
		w.undone[msg.entry.ID] = msg.Outcome
		w.gen = w.Load()
		m.dirty = true
		return tea.Batch(m.say(msg.Said), m.dispatch(w.relist()))
	default:
		return m.loadFeature(w, msg.Said)
	}
}

// readOutcome opens the text of an outcome, and waits for the rest.
func readOutcome(m *Model, msg actedMsg) tea.Cmd {
	text := func(int, *rows.Styles) string { return msg.Text }
	title, copied := cmp.Or(msg.Title, msg.entry.Label, msg.of.Title), cmp.Or(msg.Copy, msg.Text)
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
		o, err := msg.Wait()
		return actedMsg{msg.doing, o, err, p}
	}))
}

// beginMessage puts the beginning of a message into the composer.
func beginMessage(m *Model, text string) tea.Cmd {
	if !m.composer.Empty() {
		return m.say("Send or delete what is typed first: " + strings.TrimSpace(text) + " is written in its place.")
	}
	m.setFocus(focusComposer)
	m.composer.Set(text)
	return nil
}

// undoneMsg brings what came of taking something back.
type undoneMsg struct {
	window *featureWindow
	id     string
	feature.Outcome
	err error
}

// undo takes back what was done to an entry of a window.
func undo(m *Model, w *featureWindow, id string, o feature.Outcome) tea.Cmd {
	ctx := m.ctx
	return m.do(func() tea.Msg {
		o, err := o.Undo(ctx)
		return undoneMsg{w, id, o, err}
	})
}

// undoFeature takes back what was done last with entries of a feature.
func undoFeature(m *Model, f feature.Feature) tea.Cmd {
	last := m.undos[f.Name]
	if last == nil {
		return m.say("There is nothing to take back.")
	}
	delete(m.undos, f.Name)
	return undo(m, nil, "", feature.Outcome{Undo: last})
}

func (msg undoneMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.fail(msg.err)
	}
	if w := msg.window; w != nil {
		delete(w.undone, msg.id)
		w.gen = w.Load()
		m.dirty = true
		return tea.Batch(m.say(msg.Said), m.dispatch(w.relist()))
	}
	return m.say(msg.Said)
}
