package ui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
)

// record hands keys and pastes to the recorder. Input where a secret is asked for is masked.
func (m *Model) record(msg tea.Msg) {
	if m.o.Recorder == nil {
		return
	}
	text := input(msg)
	if text == "" {
		return
	}
	r, asked := m.panel.Current()
	if b, hides := m.box.(hiding); asked && r.Secret != nil || hides && b.Secret() {
		text = hideTyped(msg, text)
	}
	m.o.Recorder.Typed(text, m.now())
}

// hideTyped masks each character that was typed or pasted.
func hideTyped(msg tea.Msg, text string) string {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if msg.Text != "" {
			return "*"
		}
	case tea.PasteMsg:
		return input(tea.PasteMsg{Content: strings.Repeat("*", len([]rune(msg.Content)))})
	}
	return text
}

// input returns a key or a paste as a terminal sends it, empty for other messages.
func input(msg tea.Msg) string {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return ansi.BracketedPasteStart + msg.Content + ansi.BracketedPasteEnd
	case tea.KeyPressMsg:
		if msg.Text != "" {
			return msg.Text
		}
		return sequence(tea.Key(msg))
	}
	return ""
}

// sequences are the keys whose sequences are older than kitty's protocol.
var sequences = map[rune]string{
	tea.KeyEnter: "\r", tea.KeyTab: "\t", tea.KeyEscape: "\x1b", tea.KeyBackspace: "\x7f",
	tea.KeyUp: "\x1b[A", tea.KeyDown: "\x1b[B", tea.KeyRight: "\x1b[C", tea.KeyLeft: "\x1b[D",
	tea.KeyHome: "\x1b[H", tea.KeyEnd: "\x1b[F", tea.KeyInsert: "\x1b[2~", tea.KeyDelete: "\x1b[3~",
	tea.KeyPgUp: "\x1b[5~", tea.KeyPgDown: "\x1b[6~",
}

// sequence returns what a terminal sends for a key without text. What no old terminal tells
// apart is written in kitty's protocol.
func sequence(k tea.Key) string {
	old, known := sequences[k.Code]
	letter := k.Code >= 'a' && k.Code <= 'z'
	switch {
	case k.Mod == 0 && known:
		return old
	case k.Mod == tea.ModCtrl && letter:
		return string(k.Code - 'a' + 1)
	case k.Mod == tea.ModAlt && (known || letter):
		return "\x1b" + cmp.Or(old, string(k.Code))
	case k.Mod == tea.ModShift && k.Code == tea.KeyTab:
		return "\x1b[Z"
	}
	return fmt.Sprintf("\x1b[%d;%du", k.Code, int(k.Mod)+1)
}

// RecordingEnded tells the screen that recording has ended by itself, and why.
func (m *Model) RecordingEnded(why string) {
	if p := m.program.Load(); p != nil {
		p.Send(recordingEndedMsg{why})
	}
}

type recordingEndedMsg struct{ why string }

// endedTime is how long the end of a recording is shown.
const endedTime = time.Minute

func (msg recordingEndedMsg) handle(m *Model) tea.Cmd {
	text, conv := "The recording has ended: "+msg.why, m.conv
	if conv == nil {
		return m.sayFor(endedTime, text, false)
	}
	return m.do(func() tea.Msg {
		conv.Notify(event.LevelWarn, text)
		return nil
	})
}
