package ui

import (
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/timeline"
)

// Update implements [tea.Model]. It is a table: each message has its handler in
// the file of its topic.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, m.dispatch(msg)
}

func (m *Model) dispatch(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
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
	case uv.PrimaryDeviceAttributesEvent:
		return m.onAttributes(msg)
	case leaveMsg:
		return m.leave()

	case doneMsg:
		return m.onDone(msg)
	case openedMsg:
		return m.onOpened(msg)
	case switchedMsg:
		return m.onSwitched(msg)
	case eventsMsg:
		return m.onEvents(msg)
	case othersMsg:
		return m.onOthers(msg)
	case closedMsg:
		return m.onClosed(msg)
	case submittedMsg:
		return m.onSubmitted(msg)
	case attachedMsg:
		return m.onAttached(msg)
	case unqueuedMsg:
		return m.onUnqueued(msg)
	case answeredMsg:
		return m.onAnswered(msg)
	case tickMsg:
		return m.onTick()
	case armMsg:
		return m.onArm(msg)
	case noteMsg:
		return m.onNoteEnd(msg)
	case draftMsg:
		return m.onDraftDue()
	case savedMsg:
		return m.onSaved(msg)
	case filesMsg:
		return m.onFiles(msg)
	case matchesMsg:
		return m.onMatches(msg)
	case overlay.Close:
		m.show(nil)
	case overlay.Copy:
		return m.copy(msg.Text)
	case overlay.Search:
		return m.onSearch(msg)
	case overlay.KillJob:
		return m.killJob(msg.Job)
	case overlay.OpenJob:
		return m.openJob(msg.Job)
	case overlay.MarkedJob:
		return m.jobsChanged()
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
	case pickMsg:
		return m.onPick(msg.to)
	case changeMsg:
		return m.onChange(msg)
	case resumeMsg:
		return m.onResume(msg)
	case permissionMsg:
		return m.onPermission(msg)
	case backToMsg:
		return m.openWays(msg.turn)
	case rewindMsg:
		return m.rewind(msg.turn, msg.way)

	case sessionsMsg:
		return m.onSessions(msg)
	case permissionsMsg:
		return m.onPermissions(msg)
	case revokedMsg:
		return m.onRevoked(msg)
	case modelsMsg:
		return m.onModels(msg)
	case planMsg:
		return m.onPlan(msg)
	case rewoundMsg:
		return m.onRewound(msg)
	case jobTickMsg:
		return m.lookAtJobs(msg.gen)
	case ledgerTickMsg:
		return m.onLedgerTick(msg)
	case jobTailMsg:
		return m.onJobTail(msg)
	case foundMsg:
		return m.onFound(msg)
	case pagerMsg:
		return m.onPager(msg)
	case copiedMsg:
		return m.onCopied(msg)
	case unsaidMsg:
		return m.onUnsaid(msg)
	case saidMsg:
		return m.say(msg.text)
	case panicMsg:
		panic(msg)
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

func (p panicMsg) String() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }

func (m *Model) onDone(d doneMsg) tea.Cmd {
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

// say shows a short message on the status row.
func (m *Model) say(text string) tea.Cmd { return m.sayFor(noteTime, text) }

func (m *Model) sayFor(d time.Duration, text string) tea.Cmd {
	m.note, m.dirty = text, true
	m.noteGen++
	gen := m.noteGen
	return tea.Tick(d, func(time.Time) tea.Msg { return noteMsg{gen} })
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
	cmd := m.sayFor(again, hint)
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

func (m *Model) onNoteEnd(msg noteMsg) tea.Cmd {
	if msg.gen == m.noteGen {
		m.note, m.dirty = "", true
	}
	return nil
}
