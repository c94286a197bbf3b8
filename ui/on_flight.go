package ui

import (
	"encoding/json"
	"fmt"
	"image/color"
	"reflect"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/screen"
)

// Recorder hears what the terminal sends, when it is handled, and what a screen shows that
// rests. It is called on the goroutine of the screen.
type Recorder interface {
	Input(name string, value []byte, rows []string)
	Rest(rows []string)
	Busy()
}

// inputs are the messages of the terminal that count, by the names of their types: those
// that are recorded and that a stage takes.
var inputs = map[string]func([]byte) (tea.Msg, error){
	"KeyPressMsg": input[tea.KeyPressMsg], "PasteMsg": input[tea.PasteMsg], "WindowSizeMsg": input[tea.WindowSizeMsg],
	"MouseWheelMsg": input[tea.MouseWheelMsg], "MouseClickMsg": input[tea.MouseClickMsg], "MouseMotionMsg": input[tea.MouseMotionMsg], "MouseReleaseMsg": input[tea.MouseReleaseMsg],
	"FocusMsg": input[tea.FocusMsg], "BlurMsg": input[tea.BlurMsg], "ColorProfileMsg": input[tea.ColorProfileMsg],
	"DarkColorSchemeEvent": input[uv.DarkColorSchemeEvent], "LightColorSchemeEvent": input[uv.LightColorSchemeEvent], "PrimaryDeviceAttributesEvent": input[uv.PrimaryDeviceAttributesEvent],
	"ByRunes": input[screen.ByRunes],
	"BackgroundColorMsg": func(text []byte) (tea.Msg, error) {
		var c color.RGBA
		err := json.Unmarshal(text, &c)
		return tea.BackgroundColorMsg{Color: c}, err
	},
}

func input[T any](text []byte) (tea.Msg, error) {
	var msg T
	err := json.Unmarshal(text, &msg)
	return msg, err
}

// inputName is the name of a message's type, empty for one that is no input.
func inputName(msg tea.Msg) string {
	if msg == nil {
		return ""
	}
	name := reflect.TypeOf(msg).Name()
	if inputs[name] == nil {
		return ""
	}
	return name
}

// record hands a message of the terminal to the recorder. What is typed or pasted where a
// secret is asked for is not in it.
func (m *Model) record(msg tea.Msg) {
	name := inputName(msg)
	if m.o.Recorder == nil || name == "" {
		return
	}
	r, asked := m.panel.Current()
	b, hides := m.box.(hiding)
	if asked && r.Secret != nil || hides && b.Secret() {
		switch typed := msg.(type) {
		case tea.KeyPressMsg:
			if typed.Text != "" {
				msg = tea.KeyPressMsg{Text: "*", Code: '*'}
			}
		case tea.PasteMsg:
			msg = tea.PasteMsg{Content: strings.Repeat("*", len([]rune(typed.Content)))}
		}
	}
	if b, ok := msg.(tea.BackgroundColorMsg); ok {
		if b.Color == nil {
			return
		}
		msg = color.RGBAModel.Convert(b.Color)
	}
	if value, err := json.Marshal(msg); err == nil {
		m.o.Recorder.Input(name, value, plainRows(m.shown.Rows))
	}
}

// showed tells the recorder and the stage of a frame.
func (m *Model) showed() {
	if m.o.Recorder != nil {
		if m.probeBusy() == 0 {
			m.o.Recorder.Rest(plainRows(m.shown.Rows))
		} else {
			m.o.Recorder.Busy()
		}
	}
	if m.stage != nil {
		m.stage.showed(m)
	}
}

// plainRows are the texts of rows.
func plainRows(styled []string) []string {
	list := make([]string, len(styled))
	for i, r := range styled {
		list[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return list
}

// after makes a command that gives a message after a while, by the clock of the screen.
func (m *Model) after(d time.Duration, msg func() tea.Msg) tea.Cmd {
	if m.stage == nil {
		return tea.Tick(d, func(time.Time) tea.Msg { return msg() })
	}
	s := m.stage
	s.timers(d, func() { s.tell(msg()) })
	return nil
}

// RecordingEnded tells the screen that recording has ended by itself, and why.
func (m *Model) RecordingEnded(why string) {
	if p := m.program.Load(); p != nil {
		p.Send(recordingEndedMsg{why})
	}
}

type recordingEndedMsg struct{ why string }

// endedTime is how long the end of a recording is told.
const endedTime = time.Minute

func (msg recordingEndedMsg) handle(m *Model) tea.Cmd {
	text, conv := "The recording has ended: "+msg.why, m.conv
	if conv == nil {
		return m.sayFor(endedTime, text)
	}
	return m.do(func() tea.Msg {
		conv.Notify(event.LevelWarn, text)
		return nil
	})
}

// Stage is the screen without a terminal: what plays a recording to it hands over input
// and the time, and looks at it. Its methods return when what they are about was handled,
// or when the screen has ended.
type Stage struct {
	m      *Model
	p      *tea.Program
	timers func(time.Duration, func())
	show   func(screen.Frame)
	looks  []chan sight // on the goroutine of the screen
	ended  chan struct{}
	err    error
}

// sight is what is seen on a stage.
type sight struct {
	rows  []string
	rests bool
}

// Stage runs the screen without a terminal. Timers end when timers calls them; show gets
// the frames, nil for no one.
func (m *Model) Stage(environ []string, timers func(time.Duration, func()), show func(screen.Frame)) *Stage {
	s := &Stage{m: m, timers: timers, show: show, ended: make(chan struct{})}
	m.stage, m.pace.now = s, m.o.Pace
	s.p = unseen(m, environ)
	m.began = func() { _ = s.p.ReleaseTerminal() }
	go func() {
		defer close(s.ended)
		_, s.err = s.p.Run()
	}()
	return s
}

// tell hands a message to the screen.
func (s *Stage) tell(msg tea.Msg) {
	done := make(chan struct{})
	s.p.Send(playedMsg{msg, done})
	select {
	case <-done:
	case <-s.ended:
	}
}

// playedMsg is a message of a recording.
type playedMsg struct {
	msg  tea.Msg
	done chan struct{}
}

func (msg playedMsg) handle(m *Model) tea.Cmd {
	defer close(msg.done)
	if _, quit := msg.msg.(tea.QuitMsg); quit {
		return tea.Quit
	}
	return m.dispatch(msg.msg)
}

// Input hands over what the terminal has sent.
func (s *Stage) Input(name string, value []byte) error {
	read := inputs[name]
	if read == nil {
		return fmt.Errorf("the input %q is not known", name)
	}
	msg, err := read(value)
	if err == nil {
		s.tell(msg)
	}
	return err
}

// Fire ends a timer.
func (s *Stage) Fire(timer func()) { timer() }

// sightMsg asks for what is seen.
type sightMsg struct{ reply chan sight }

func (msg sightMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	m.dirty = true
	m.stage.looks = append(m.stage.looks, msg.reply)
	return nil
}

// Look draws the screen.
func (s *Stage) Look() (rows []string, rests bool) {
	reply := make(chan sight, 1)
	s.p.Send(sightMsg{reply})
	select {
	case l := <-reply:
		return l.rows, l.rests
	case <-s.ended:
		return nil, true
	}
}

// showed answers those who look.
func (s *Stage) showed(m *Model) {
	for _, reply := range s.looks {
		reply <- sight{plainRows(m.shown.Rows), m.probeBusy() == 0}
	}
	s.looks = nil
	if s.show != nil {
		s.show(m.shown)
	}
}

// Ended is closed when the screen has ended by itself.
func (s *Stage) Ended() <-chan struct{} { return s.ended }

// Close ends the screen.
func (s *Stage) Close() error {
	s.p.Quit()
	<-s.ended
	return s.err
}
