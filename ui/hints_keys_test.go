package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/keys"
)

// TestSentencesNameTheKeysOfTheUser gives the keys that sentences mention to others, or to
// none, and looks for the usual ones.
func TestSentencesNameTheKeysOfTheUser(t *testing.T) {
	own := map[string][]string{
		"escape": {"f9"}, "cancel": {"f10"}, "quit": {"f11"}, "complete": {"f12"}, "send": {"alt+s"}, "steer": {"alt+t"}, "writing.help": {"alt+h"}, "writing.up": {"alt+u"},
		"question.accept": {"alt+a"}, "find.accept": {"alt+a"}, "question.later": {"f12"}, "question.page-down": {"alt+v"}, "question.page-up": {"alt+w"},
	}
	none := map[string][]string{}
	for name := range own {
		none[name] = []string{}
	}
	situations := map[string]func(m *Model){
		"nothing": func(*Model) {}, "begun": begun, "busy": busy, "queued": queued, "asked": asked, "armed": armed,
		"clarified":      func(m *Model) { clarified(m); shown(m); m.panel.Arm() },
		"elsewhere":      func(m *Model) { asked(m); shown(m); m.setFocus(focusTranscript) },
		"steering":       func(m *Model) { busy(m); shown(m); m.setFocus(focusSide); m.beginSteer() },
		"an agent":       func(m *Model) { busy(m); shown(m); m.promote(m.state.Agents[len(m.state.Agents)-1].ID) },
		"held":           func(m *Model) { queued(m); m.held = true },
		"find":           func(m *Model) { begun(m); shown(m); m.setFocus(focusTranscript); m.openFind() },
		"draft cleared":  func(m *Model) { m.composer.Insert("x"); m.cancelKey() },
		"quit with text": func(m *Model) { m.composer.Insert("x"); m.actAnywhere(keys.Quit) },
		"steer nothing":  func(m *Model) { busy(m); m.steer() },
		"quit":           func(m *Model) { m.cancelKey() },
	}
	for name, enter := range situations {
		for _, table := range []map[string][]string{own, none} {
			s := settingsOfTests()
			s.Keys = table
			m := newScreen(t, 160, 40, s)
			enter(m)
			shown(m)
			text := m.placeholder() + "\n" + hinted(m) + "\n" + m.note + "\n"
			if len(table["escape"]) > 0 {
				text += panelText(m)
			}
			for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" ,;:.·\n—", r) }) {
				switch word {
				case "esc", "tab", "enter", "ctrl+c", "ctrl+d", "ctrl+s", "pgdown", "pgup", "?":
					if word == "?" && name != "nothing" {
						continue
					}
					t.Errorf("%s: %s is named in\n%s", name, word, text)
				}
			}
			if len(table["escape"]) > 0 && name == "armed" && !(strings.Contains(text, "f12: answer later") && strings.Contains(text, "f9 deny")) {
				t.Errorf("%s:\n%s", name, text)
			}
		}
	}
}

// panelText is what the question on the screen says.
func panelText(m *Model) string {
	var b strings.Builder
	for _, r := range m.panel.Rows(nil, m.w, m.panel.Height(m.w, m.h)) {
		b.WriteString(ansi.Strip(r) + "\n")
	}
	return b.String()
}
