package ui

import (
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/app"
)

// TestPermissionsOnTheirWay asks for those of all sessions while the list is on its way:
// it comes with them.
func TestPermissionsOnTheirWay(t *testing.T) {
	m := newScreen(t, 100, 30, settingsOfTests())
	busy(m)
	m.conv = known{}
	m.openPermissions()
	w := m.box.(*permissions)
	m.onKey(pressed(t, "alt+s"))
	if text := shown(m); !strings.Contains(text, "Permissions · all sessions") || !strings.Contains(text, "loading…") {
		t.Fatalf("on its way:\n%s", text)
	}
	m.dispatch(permissionsMsg{w, nil, []app.Decided{
		{At: before(time.Hour), Subject: "make", Outcome: "allow", By: "user", Session: "Build it"},
	}, nil})
	if text := shown(m); !strings.Contains(text, "in other sessions") || !strings.Contains(text, "Build it") {
		t.Fatalf("when it has come:\n%s", text)
	}
}
