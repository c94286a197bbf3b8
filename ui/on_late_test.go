package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/review"
)

// vanishing are the questions that what asked can take back.
var vanishing = map[string]event.Request{
	"host":     {ID: "q", Kind: event.RequestApproval, Approval: &event.Approval{Action: "connect to", Text: "example.org:443\nfor: curl -m 3 https://example.org", Reason: "is not allowed yet", Rule: "connect to example.org"}},
	"choice":   {ID: "q", Kind: event.RequestClarify, Clarify: &event.Clarify{Question: "Which?", Choices: []string{"red", "green"}}},
	"text":     {ID: "q", Kind: event.RequestClarify, Clarify: &event.Clarify{Question: "Who are you?"}},
	"password": {ID: "q", Kind: event.RequestSecret, Secret: &event.Secret{Label: "sudo password of root", Reason: "sudo make"}},
	"trust":    {ID: "q", Kind: event.RequestTrust, Trust: &event.Trust{Root: "/w", Files: []string{"AGENTS.md"}}},
}

// TestKeysForWhatIsGone types on when a question disappears that had the keys: the draft stays
// empty, the turn goes on, another question is not answered, and the screen says why.
func TestKeysForWhatIsGone(t *testing.T) {
	for name, typed := range map[string]string{"host": "1", "choice": "2", "text": "me", "password": "pw1", "trust": "1"} {
		for _, end := range []string{"", "enter", "esc", "down"} {
			for _, follows := range []bool{false, true} {
				m, now := vanishingScreen(t, vanishing[name], follows)
				for _, key := range typed {
					m.onKey(pressed(t, string(key)))
				}
				if end != "" {
					m.onKey(pressed(t, end))
				}
				left, _ := m.panel.Current()
				if m.composer.Value() != "" || m.probe.stopping || len(m.probe.answered) > 0 || follows != (left.ID == "q1") {
					t.Errorf("%s, %q, then %q: draft %q, stopped %v, answered %v", name, typed, end, m.composer.Value(), m.probe.stopping, m.probe.answered)
				}
				if !strings.Contains(m.note, "dropped") || name != "trust" && !strings.Contains(m.note, "what asked has ended") || strings.Contains(m.note, "pw1") {
					t.Errorf("%s: the screen says %q", name, m.note)
				}
				*now = now.Add(2 * late)
				if m.onKey(pressed(t, "h")); m.composer.Value() != "h" {
					t.Errorf("%s: what is typed later is lost: %q", name, m.composer.Value())
				}
			}
		}
	}
}

// TestPasteForWhatIsGone pastes a password when its question has just disappeared.
func TestPasteForWhatIsGone(t *testing.T) {
	m, now := vanishingScreen(t, vanishing["password"], false)
	if m.onPaste(tea.PasteMsg{Content: "pw1"}); m.composer.Value() != "" {
		t.Errorf("the draft holds %q", m.composer.Value())
	}
	*now = now.Add(2 * late)
	if m.onPaste(tea.PasteMsg{Content: "text"}); m.composer.Value() != "text" {
		t.Errorf("a later paste is lost: %q", m.composer.Value())
	}
}

// TestMessageWhereAQuestionWas types what the question would not have taken, or after the
// user's own interrupt: nothing of it is lost.
func TestMessageWhereAQuestionWas(t *testing.T) {
	m, _ := vanishingScreen(t, vanishing["host"], false)
	for _, key := range "go" {
		m.onKey(pressed(t, string(key)))
	}
	if m.composer.Value() != "go" {
		t.Errorf("the draft holds %q", m.composer.Value())
	}
	m = newScreen(t, 100, 40, settingsOfTests())
	armed(m)
	happen(m, &event.RequestResolved{Request: "q1", By: event.ByInterrupt})
	if m.onKey(pressed(t, "y")); m.composer.Value() != "y" {
		t.Errorf("after an interrupt the draft holds %q", m.composer.Value())
	}
}

// TestReviewThatIsGone presses keys of a review whose question has just been taken back.
func TestReviewThatIsGone(t *testing.T) {
	m := newScreen(t, 100, 40, settingsOfTests())
	armed(m)
	m.openReview(reviewing{request: "q1"}, review.Options{Title: "The agent wants to change", Edit: &event.Edit{Files: []event.EditFile{{Name: "a", Diff: sampleDiff}}}})
	shown(m)
	happen(m, &event.RequestResolved{Request: "q1", By: event.ByAsker})
	if m.onKey(pressed(t, "y")); m.box != nil || m.composer.Value() != "" {
		t.Errorf("a window is open: %v, the draft holds %q", m.box != nil, m.composer.Value())
	}
}

// vanishingScreen has a question that was taken back while it had the keys, and its clock.
func vanishingScreen(t *testing.T, q event.Request, follows bool) (*Model, *time.Time) {
	t.Helper()
	m := newScreen(t, 100, 40, settingsOfTests())
	now := time.Now()
	m.o.Now = func() time.Time { return now }
	busy(m)
	q.Agent, q.Path = "root", []string{"root"}
	happen(m, &event.Requested{Request: q})
	if follows {
		other := vanishing["host"]
		other.ID, other.Agent, other.Path = "q1", "root", []string{"root"}
		happen(m, &event.Requested{Request: other})
	}
	shown(m)
	m.panel.Arm()
	if !m.panelTakes() {
		t.Fatal("the question does not take keys")
	}
	happen(m, &event.RequestResolved{Request: q.ID, By: event.ByAsker})
	return m, &now
}
