package ui

import "testing"

// TestFocusGoesRound presses f6 on wide and narrow screens.
func TestFocusGoesRound(t *testing.T) {
	for _, c := range []struct {
		w    int
		want []focus
	}{
		{140, []focus{focusTranscript, focusSide, focusComposer, focusTranscript}},
		{60, []focus{focusTranscript, focusComposer, focusTranscript}},
	} {
		m := newScreen(t, c.w, 30, settingsOfTests())
		busy(m)
		shown(m) // the layout is that of the last frame
		for i, want := range c.want {
			m.onKey(pressed(t, "f6"))
			if m.focus != want {
				t.Errorf("%d columns, press %d: focus %d, want %d", c.w, i+1, m.focus, want)
			}
			if marked := m.transcript.Selected() != nil; marked != (want == focusTranscript) {
				t.Errorf("%d columns, press %d: a block is marked: %v", c.w, i+1, marked)
			}
		}
	}
}

// TestTypingReturnsToTheDraft types where keys mean something else, and where
// they mean nothing.
func TestTypingReturnsToTheDraft(t *testing.T) {
	m := newScreen(t, 140, 30, settingsOfTests())
	busy(m)
	shown(m)
	for _, f := range []focus{focusTranscript, focusSide} {
		m.composer.Set("")
		m.setFocus(f)
		m.onKey(pressed(t, "j")) // moves
		if m.focus != f || m.composer.Value() != "" {
			t.Errorf("focus %d: j was typed", f)
		}
		m.onKey(pressed(t, "z"))
		if m.focus != focusComposer || m.composer.Value() != "z" {
			t.Errorf("focus %d: z gave focus %d and %q", f, m.focus, m.composer.Value())
		}
	}
}

// TestEscapeOrder presses esc until nothing is left to close.
func TestEscapeOrder(t *testing.T) {
	m := newScreen(t, 100, 30, settingsOfTests())
	busy(m)
	m.view.drawer = drawerByHand
	shown(m)
	m.setFocus(focusTranscript)
	m.openHelp()
	esc := pressed(t, "esc")
	if m.onKey(esc); m.box != nil || m.focus != focusTranscript {
		t.Error("the first one closes the window only")
	}
	if m.onKey(esc); m.focus != focusComposer || m.view.drawer == drawerShut {
		t.Error("the second one gives the focus back only")
	}
	if m.onKey(esc); m.view.drawer != drawerShut {
		t.Error("the third one closes the drawer")
	}
}

// TestQuestionWaitsForTheDraft leaves the keys to a draft that is being written.
func TestQuestionWaitsForTheDraft(t *testing.T) {
	m := newScreen(t, 100, 30, settingsOfTests())
	m.composer.Insert("half a thou")
	asked(m)
	shown(m) // what was not seen takes no keys
	m.onKey(pressed(t, "g"))
	m.onKey(pressed(t, "h"))
	m.onKey(pressed(t, "t"))
	if m.panelTakes() || m.composer.Value() != "half a thought" {
		t.Errorf("the question took keys of the draft %q", m.composer.Value())
	}
	m.onKey(pressed(t, "tab"))
	if !m.panelTakes() {
		t.Error("tab does not take the question")
	}
	m.onKey(pressed(t, "tab"))
	if m.panelTakes() || m.composer.Value() != "half a thought" {
		t.Error("tab does not give the keys back")
	}
}
