// Package host is the seam between the root of the screen and the packages of its windows. A
// window opens with a function of [Host]; what takes time comes back as a [Message].
//
//	func Open(h host.Host) tea.Cmd {
//		return h.Do(func() tea.Msg { return listMsg{load()} })
//	}
//
//	func (msg listMsg) Handle(h host.Host) tea.Cmd {
//		h.Show(newWindow(h.Styles(), msg.list))
//		return nil
//	}
//
// Everything but the function that is given to Do runs on the goroutine of the screen.
package host

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/api"
	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// TurnFinisher is a window that has something to do when a turn has ended.
type TurnFinisher interface {
	TurnFinished(h Host) tea.Cmd
}

// Message is something that a window has to handle: a request of the user, or what came of
// [Runner.Do].
type Message interface {
	Handle(h Host) tea.Cmd
}

// Host is the screen, with the conversation on it.
type Host interface {
	Runner
	Windows
	Hints
	Session
	Draft
}

// Runner runs what takes time, and tells the user.
type Runner interface {
	// Do runs a function on a goroutine of its own; its result is handled as a message.
	Do(f func() tea.Msg) tea.Cmd
	// After sends the message of a function when a time has passed.
	After(d time.Duration, f func() tea.Msg) tea.Cmd
	// Dispatch handles a message, or what a window asks for, at once; nil is nothing.
	Dispatch(msg tea.Msg) tea.Cmd
	// Say shows a sentence on the status row, Fail that of an error.
	Say(text string) tea.Cmd
	Fail(err error) tea.Cmd
	// Now is the time of the screen.
	Now() time.Time
}

// Windows are those that are open.
type Windows interface {
	// Show opens a window in place of all others; nil closes them.
	Show(b overlay.Box)
	// ShowOver opens a window that leads back to the one below it.
	ShowOver(b overlay.Box)
	// Box returns the window on top, nil for none.
	Box() overlay.Box
	// Redraw has the screen drawn again.
	Redraw()
	Styles() *rows.Styles
}

// Hints are reminders of keys for the lower edge of windows.
type Hints interface {
	// Hints names the keys of actions.
	Hints(c keys.Context, actions ...keys.Action) []status.Hint
	// WindowHints says what enter does with the marked entry; entry are further keys for it.
	WindowHints(verb string, entry ...status.Hint) []status.Hint
	// ReadHints are the keys of a window with a text.
	ReadHints(more ...keys.Action) []status.Hint
	// QuestionHints say what the two answers to a question do.
	QuestionHints(yes, no string) []status.Hint
}

// Session is the program, and the conversation on the screen.
type Session interface {
	App() *app.App
	// Conv returns the conversation, nil while it is being opened.
	Conv() api.Conversation
	State() *event.State
	// Context ends with the program.
	Context() context.Context
}

// Draft is where the user writes, and what goes with it.
type Draft interface {
	// PutBack puts a prompt that was taken back into the draft, which is remembered before.
	PutBack(text string, images []event.Attachment) tea.Cmd
	// Hold keeps the queue from going on by itself.
	Hold()
	// Complain adds an error to the transcript.
	Complain(err error) tea.Cmd
	// GoTo shows a message of a session, which is opened where it is another one.
	GoTo(session string, message event.MessageID) tea.Cmd
}

// Text asks to show a text: over the window that it was asked for in, or in place of all others
// where that is closed or nil.
type Text struct {
	Pager *overlay.Pager
	Out   overlay.Box
}

// Handle implements [Message].
func (msg Text) Handle(h Host) tea.Cmd {
	if msg.Out != nil && msg.Out == h.Box() {
		h.ShowOver(msg.Pager)
	} else {
		h.Show(msg.Pager)
	}
	return nil
}

// Goto asks to show a message of a session, in place of all windows.
type Goto struct {
	Session string
	Message event.MessageID
}

// Handle implements [Message].
func (msg Goto) Handle(h Host) tea.Cmd {
	h.Show(nil)
	return h.GoTo(msg.Session, msg.Message)
}

// startBytes is how much of a text is looked at for a row, more than any screen is wide.
const startBytes = 4 << 10

// StartOf returns the beginning of the text of a block, for a row of a list.
func StartOf(b *event.Block) string {
	text := b.Text.Bytes()
	return strings.TrimSpace(string(text[:min(len(text), startBytes)]))
}

// Said asks for a sentence on the status row, empty for none.
type Said struct{ Text string }

// Handle implements [Message].
func (msg Said) Handle(h Host) tea.Cmd { return h.Say(msg.Text) }

// Failed carries an error for the status row.
type Failed struct{ Err error }

// Handle implements [Message].
func (msg Failed) Handle(h Host) tea.Cmd { return h.Fail(msg.Err) }

// Outcome makes a message of a sentence, or of the error that came instead.
func Outcome(err error, text string) tea.Msg {
	if err != nil {
		return Failed{err}
	}
	return Said{text}
}

// Sentence makes a sentence of an error. An address, a path or a setting that it begins with
// stays as it is written.
func Sentence(err error) string {
	text := err.Error()
	first, _, _ := strings.Cut(text, " ")
	if r, n := utf8.DecodeRuneInString(text); n > 0 && !strings.ContainsAny(strings.TrimRight(first, ".,:;"), "/:._@=") {
		text = string(unicode.ToUpper(r)) + text[n:]
	}
	return strings.TrimRight(text, ".") + "."
}
