package ui

import (
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"hermes-tui/ui/host"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/review"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/setup"
	"hermes-tui/ui/timeline"
)

// message is what the screen tells itself, mostly what came of something that took
// time. It is handled in the file of its topic.
type message interface {
	handle(m *Model) tea.Cmd
}

// Update implements [tea.Model]. Beside messages of its own it knows those of the
// terminal, and the requests of windows.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.record(msg)
	return m, m.looked(m.dispatch(msg))
}

func (m *Model) dispatch(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case message:
		return msg.handle(m)
	case host.Message:
		return msg.Handle(slot{m})

	case tea.KeyPressMsg:
		return m.onKey(msg)
	case tea.PasteMsg:
		return m.onPaste(msg)
	case tea.MouseWheelMsg:
		return m.onWheel(msg)
	case tea.MouseClickMsg:
		return m.onClick(msg)
	case tea.MouseMotionMsg:
		return m.onDrag(msg)
	case tea.MouseReleaseMsg:
		return m.onRelease(msg)
	case tea.WindowSizeMsg:
		return m.onSize(msg)
	case tea.FocusMsg:
		return m.onFocus(true)
	case tea.BlurMsg:
		return m.onFocus(false)
	case tea.BackgroundColorMsg:
		return m.onBackground(msg)
	case tea.ColorProfileMsg:
		return m.onColorProfile(msg)
	case tea.ModeReportMsg:
		return m.onModeReport(msg)
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		m.onScheme()
	case uv.PrimaryDeviceAttributesEvent:
		return m.onAttributes(msg)

	case overlay.Close:
		m.show(nil)
	case overlay.Copy:
		return m.copy(msg.Text)
	case overlay.Edit:
		return m.showInEditor(".txt", func() string { return msg.Text })
	case overlay.Search:
		return m.onSearch(msg)
	case overlay.Seek:
		return m.onSeek(msg)
	case timeline.Open:
		return m.onOpenTree(msg)
	case timeline.Promote:
		return m.promote(msg.Agent)
	case timeline.Control:
		return m.control(msg.Action, msg.Agent)
	case timeline.Past:
		return m.say("That agent has ended; this only shows what was.")
	case models.Chosen:
		return m.onPick(msg.Option)
	case setup.Left:
		return m.leaveSetup()
	case review.Send:
		return m.onReviewed(msg)
	case review.Editor:
		return m.editHunk(msg)

	case screen.ByRunes:
		rows.MeasureByRunes(true)
		m.restyle()
	case screen.Panicked:
		panic(panicMsg{msg.Value, msg.Stack})
	case screen.Lost:
		return tea.Quit
	}
	return nil
}

// doneMsg carries the reply of a command that [Model.do] started.
type doneMsg struct{ msg tea.Msg }

// do makes a command of a function that may block. It counts as under way until
// its reply was handled.
func (m *Model) do(f func() tea.Msg) tea.Cmd {
	m.probe.running++
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = panicMsg{r, debug.Stack()}
			}
		}()
		return doneMsg{f()}
	}
}

// panicMsg carries the panic of a command to the goroutine of the program, from
// where it ends the program in order.
type panicMsg struct {
	value any
	stack []byte
}

func (p panicMsg) handle(*Model) tea.Cmd { panic(p) }

func (p panicMsg) String() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }

func (d doneMsg) handle(m *Model) tea.Cmd {
	m.probe.running--
	if m.probe.on {
		m.dirty = true
	}
	return m.dispatch(d.msg)
}

// noteTime is how long a short message stays on the status row.
const noteTime = 5 * time.Second

// noteMsg ends a short message.
type noteMsg struct{ gen int }

// saidMsg asks for a short message.
type saidMsg struct{ text string }

func (msg saidMsg) handle(m *Model) tea.Cmd { return m.say(msg.text) }

// failedMsg carries an error for the status row.
type failedMsg struct{ err error }

func (msg failedMsg) handle(m *Model) tea.Cmd { return m.fail(msg.err) }

// say shows a short message on the status row.
func (m *Model) say(text string) tea.Cmd { return m.sayFor(noteTime, text, false) }

// warn is say for what went wrong, or needs a look.
func (m *Model) warn(text string) tea.Cmd { return m.sayFor(noteTime, text, true) }

// fail is say for an error.
func (m *Model) fail(err error) tea.Cmd { return m.warn(host.Sentence(err)) }

func (m *Model) sayFor(d time.Duration, text string, warns bool) tea.Cmd {
	m.note, m.noteWarns, m.dirty = text, warns, true
	m.noteGen++
	gen := m.noteGen
	return m.after(d, func() tea.Msg { return noteMsg{gen} })
}

// again is how soon a key must be pressed a second time to count as its repeat.
const again = 2 * time.Second

// repeat is what happens if a key is pressed again, until when, and the note that
// says so.
type repeat struct {
	what    string
	until   time.Time
	noteGen int
}

// twice reports whether something is asked for the second time. For the first time it
// says what the second one does, for as long as that holds.
func (m *Model) twice(what, hint string) (tea.Cmd, bool) {
	now := m.now()
	if m.repeat.what == what && now.Before(m.repeat.until) {
		m.once()
		return nil, true
	}
	cmd := m.sayFor(again, hint, true)
	m.repeat = repeat{what, now.Add(again), m.noteGen}
	return cmd, false
}

// once ends what waits for a second press, and the note about it.
func (m *Model) once() {
	if m.repeat.noteGen == m.noteGen && m.repeat.what != "" {
		m.note, m.dirty = "", true
	}
	m.repeat = repeat{}
}

func (msg noteMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	if msg.gen == m.noteGen {
		m.note, m.dirty = "", true
	}
	return nil
}
