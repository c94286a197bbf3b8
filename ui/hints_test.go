package ui

import (
	"strings"
	"testing"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/transcript"
)

// hinted are the keys that the status row names, with their words.
func hinted(m *Model) string {
	var list []string
	for _, h := range m.statusHints() {
		list = append(list, h.Key+" "+h.Text)
	}
	return strings.Join(list, " · ")
}

// TestHintsSayWhatKeysDo looks at the status row and at the empty draft wherever the
// keys may be.
func TestHintsSayWhatKeysDo(t *testing.T) {
	for _, c := range []struct {
		name   string
		enter  func(m *Model)
		hints  string // all of the row, or its beginning
		absent string
		draft  string
	}{
		{"transcript on an answer", func(m *Model) {
			begun(m)
			shown(m)
			m.setFocus(focusTranscript)
		}, "o open · y copy · c code · v select · esc back", "fold", "esc comes back to the draft"},
		{"transcript on a call", func(m *Model) {
			busy(m)
			shown(m)
			m.setFocus(focusTranscript)
			for b := m.transcript.Selected(); b.Call == nil || b.Call.ID != "k2"; b = m.transcript.Selected() {
				m.transcript.Select(transcript.MovePrev)
			}
		}, "enter fold · o open · y copy · c copy command · r copy output · v select · esc back", "", "esc comes back to the draft"},
		{"a question", armed, "enter answer · esc deny", "interrupt", "type to write a message"},
		{"nothing", busy, "esc interrupt", "", "type while it works"},
	} {
		m := newScreen(t, 160, 40, settingsOfTests())
		c.enter(m)
		got := hinted(m)
		if !strings.HasPrefix(got, c.hints) || c.absent != "" && strings.Contains(got, c.absent) {
			t.Errorf("%s: the hints are %q", c.name, got)
		}
		if p := m.placeholder(); !strings.HasPrefix(p, c.draft) {
			t.Errorf("%s: the draft says %q", c.name, p)
		}
	}
}

// armed has a question that takes the keys.
func armed(m *Model) {
	asked(m)
	shown(m)
	m.panel.Arm()
}

// TestHelpFromAnywhere presses the key for the help where it is no text.
func TestHelpFromAnywhere(t *testing.T) {
	for _, f := range []focus{focusTranscript, focusSide, focusQueue, focusComposer} {
		m := newScreen(t, 160, 40, settingsOfTests())
		queued(m)
		shown(m)
		m.setFocus(f)
		if m.onKey(pressed(t, "?")); m.box == nil || m.composer.Value() != "" {
			t.Errorf("focus %d: the help is open: %v, the draft is %q", f, m.box != nil, m.composer.Value())
		}
	}
	m := newScreen(t, 100, 40, settingsOfTests())
	m.openHelp()
	text := helpText(m.box)
	for _, k := range keys.Fixed() {
		if !strings.Contains(text, k.Keys) || !strings.Contains(text, firstWords(k.Help)) {
			t.Errorf("the help does not name %s: %s", k.Keys, k.Help)
		}
	}
}

// TestHelpWhileWriting opens the help with a draft and with a question that has the
// keys, where the other key for it is text.
func TestHelpWhileWriting(t *testing.T) {
	for _, enter := range []func(m *Model){func(m *Model) { begun(m); m.composer.Insert("what") }, armed} {
		m := newScreen(t, 100, 40, settingsOfTests())
		enter(m)
		draft := m.composer.Value()
		if m.onKey(pressed(t, "?")); m.box != nil || m.composer.Value() != draft+"?" {
			t.Errorf("? opened the help: %v, the draft is %q", m.box != nil, m.composer.Value())
		}
		m.onKey(pressed(t, "backspace"))
		if m.onKey(pressed(t, "f1")); m.box == nil || m.composer.Value() != draft {
			t.Errorf("f1 opened the help: %v, the draft is %q", m.box != nil, m.composer.Value())
		}
	}
	m := newScreen(t, 100, 40, settingsOfTests())
	armed(m)
	if m.onKey(pressed(t, "f1")); m.box == nil || m.panel.Armed() {
		t.Errorf("f1 opened the help over a question: %v; it still has the keys: %v", m.box != nil, m.panel.Armed())
	}
}
