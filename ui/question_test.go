package ui

import "testing"

// TestEnterAfterAKey presses enter behind a key that has answered already, as was needed
// in other programs: it answers nothing else.
func TestEnterAfterAKey(t *testing.T) {
	m := newScreen(t, 100, 40, settingsOfTests())
	clarified(m)
	shown(m)
	m.panel.Arm()
	m.onKey(pressed(t, "a")) // no row has letters here
	if m.panelTakes() || m.composer.Value() != "a" {
		t.Fatalf("the question took a letter: the draft is %q", m.composer.Value())
	}
	m.onKey(pressed(t, "backspace"))
	m.panel.Arm()
	m.onKey(pressed(t, "1"))
	if !m.panel.Picked() {
		t.Fatal("the digit picked nothing")
	}
	pickedMsg{m.clock.pickGen}.handle(m)
	before, _ := m.panel.Current()
	m.panel.Arm()
	m.onKey(pressed(t, "enter"))
	if now, _ := m.panel.Current(); now.ID != before.ID || m.panel.Picked() {
		t.Error("the enter that followed answered another question")
	}
}

// TestQuestionElsewhere moves the keys away from a question that has them: it is drawn
// without them, nothing there answers it, and tab comes back to it.
func TestQuestionElsewhere(t *testing.T) {
	for _, f := range []focus{focusTranscript, focusSide} {
		m := newScreen(t, 160, 40, settingsOfTests())
		busy(m)
		armed(m)
		if !m.panelTakes() {
			t.Fatal("the question does not have the keys")
		}
		m.setFocus(f)
		if m.focus != f || m.panel.Armed() {
			t.Fatalf("focus %d: the question is drawn as if it had the keys: %v", m.focus, m.panel.Armed())
		}
		if _, ok := m.panel.ArmAt(); ok {
			m.observe(false)
			if _, ok := m.panel.ArmAt(); ok {
				t.Errorf("focus %d: it takes the keys by itself", f)
			}
		}
		if m.onKey(pressed(t, "tab")); m.focus != focusComposer || !m.panelTakes() {
			t.Errorf("focus %d: tab does not come back to the question", f)
		}
	}
}
