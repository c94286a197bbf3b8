package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/api"
	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/host"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/layers"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rewind"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/search"
	"hermes-tui/ui/slash"
	"hermes-tui/ui/status"
	"hermes-tui/ui/usage"
)

// slot is the screen as the packages of its windows see it.
type slot struct{ m *Model }

var _ host.Host = slot{}

func (s slot) Do(f func() tea.Msg) tea.Cmd                     { return s.m.do(f) }
func (s slot) After(d time.Duration, f func() tea.Msg) tea.Cmd { return s.m.after(d, f) }
func (s slot) Dispatch(msg tea.Msg) tea.Cmd                    { return s.m.dispatch(msg) }
func (s slot) Say(text string) tea.Cmd                         { return s.m.say(text) }
func (s slot) Fail(err error) tea.Cmd                          { return s.m.fail(err) }
func (s slot) Now() time.Time                                  { return s.m.now() }

func (s slot) Show(b overlay.Box)     { s.m.show(b) }
func (s slot) ShowOver(b overlay.Box) { s.m.showOver(b) }
func (s slot) Box() overlay.Box       { return s.m.box }
func (s slot) Redraw()                { s.m.dirty = true }
func (s slot) Styles() *rows.Styles   { return s.m.styles }

func (s slot) Hints(c keys.Context, actions ...keys.Action) []status.Hint {
	return s.m.hints(c, actions...)
}
func (s slot) ReadHints(more ...keys.Action) []status.Hint { return s.m.readHints(more...) }
func (s slot) QuestionHints(yes, no string) []status.Hint  { return s.m.questionHints(yes, no) }
func (s slot) WindowHints(verb string, entry ...status.Hint) []status.Hint {
	return s.m.windowHints(verb, entry)
}

func (s slot) App() *app.App            { return s.m.app }
func (s slot) Conv() api.Conversation   { return s.m.conv }
func (s slot) State() *event.State      { return s.m.state }
func (s slot) Context() context.Context { return s.m.ctx }

// commands are those of windows with a package of their own.
var commands = map[slash.Name]func(h host.Host, args string) tea.Cmd{
	slash.Context: plain(layers.Open), slash.Tools: plain(layers.OpenTools),
	slash.Usage: plain(usage.OpenUsage), slash.Cache: plain(usage.OpenCache),
	slash.Search: search.Open, slash.Diff: rewind.Diff,
	slash.Rewind: rewind.Command, slash.Undo: rewind.Undo, slash.Redo: rewind.Redo,
}

// plain makes a command of one that takes no arguments.
func plain(open func(h host.Host) tea.Cmd) func(host.Host, string) tea.Cmd {
	return func(h host.Host, _ string) tea.Cmd { return open(h) }
}

func (s slot) Hold()                      { s.m.held = true }
func (s slot) Complain(err error) tea.Cmd { return s.m.complain(err) }

func (s slot) PutBack(text string, images []event.Attachment) tea.Cmd {
	m := s.m
	if !m.composer.Empty() {
		m.composer.Remember(m.composer.Draft())
	}
	m.composer.Set("")
	m.composer.InsertWithImages(text, images)
	m.takenBack = m.composer.Value()
	m.setFocus(focusComposer)
	return m.draftChanged()
}

func (s slot) GoTo(session string, message event.MessageID) tea.Cmd {
	s.m.aim = aim{message: message}
	if session == string(s.m.conv.Session()) {
		return s.m.aimed()
	}
	return s.m.resume(session)
}

// sentence is [host.Sentence].
func sentence(err error) string { return host.Sentence(err) }
