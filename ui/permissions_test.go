//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestPermissions allows something for good, sees it listed with what was decided,
// takes it back and gives it again.
func TestPermissions(t *testing.T) {
	t.Parallel()
	command := call("terminal", map[string]any{"command": "systemctl restart web"})
	s := answers(on("restart", command), after("restart", 1, say("It was tried.")))
	d := Start(t, Options{Cols: 110, Rows: 32, Scenario: s})
	d.WaitFor(Contains("Type what you want done"))
	d.Type("/permissions").Press("enter").WaitFor(Contains("Nothing is allowed beforehand")).Press("esc")
	d.Type("restart").Press("enter").WaitFor(Contains("systemctl restart"), Contains("▸ 1 Deny"))
	d.Press("4").WaitFor(Contains("▸ 1 Back"))
	d.Press("2").WaitFor(Contains("It was tried."))
	d.Type("/permissions").Press("enter").WaitFor(Contains("Allowed always"), Contains("you allowed it"), Contains("since now"))
	d.Press("enter").WaitFor(Contains("taken back"))
	d.Press("alt+s").WaitFor(Contains("Permissions · all sessions"), Contains("taken back")).Press("alt+s").WaitFor(NotContains("Permissions · all sessions"), Contains("taken back"))
	d.Press("enter").WaitFor(NotContains("taken back"), Contains("Allowed always"))
	d.Press("enter").WaitFor(Contains("taken back"))
	d.Press("esc").WaitFor(NotContains("Permissions"))
	d.Type("/permissions").Press("enter").WaitFor(NotContains("Allowed always"), Contains("you allowed it"))
	d.Press("down").Press("enter").WaitFor(Contains("What became of it")).Press("esc").WaitFor(NotContains("What became of it"), Contains("Permissions"))
	d.Press("esc").WaitFor(NotContains("Permissions"))

	// In another session it is among those of all sessions.
	d.Type("/title Mend the web server").Press("enter").WaitFor(Contains("Mend the web server"))
	d.Type("/new").Press("enter").WaitFor(Contains("Type what you want done"))
	d.Type("/permissions").Press("enter").WaitFor(Contains("all sessions"), NotContains("you allowed it"))
	d.Press("alt+s").WaitFor(Contains("in other sessions"), Contains("you allowed it"), Contains("Mend the web server"))
	d.Type("mend sys").WaitFor(Contains("systemctl restart web"), NotContains("taken back"))
	d.Press("enter").WaitFor(Contains("In the session: Mend the web server")).Press("esc").WaitFor(NotContains("In the session"))
	d.Press("alt+s").WaitFor(NotContains("in other sessions"))
	d.Press("esc").WaitIdle()
}

// A permission is void when a file has changed that it is for: it is listed with the
// reason, also where there is little room, and can be taken back. A decision is told
// whole on enter.
func TestVoidPermission(t *testing.T) {
	t.Parallel()
	command := call("terminal", map[string]any{"command": "systemctl restart no-such-unit; ./stop.sh"})
	s := answers(on("stop", command), after("stop", 1, say("It was tried.")), on("more", command), after("more", 1, say("Once more.")))
	d := Start(t, Options{Cols: 110, Rows: 32, Scenario: s})
	stop := filepath.Join(d.Dir(), "stop.sh")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(stop, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("#!/bin/sh\nexit 0\n")
	d.WaitFor(Contains("Type what you want done"))
	d.Type("stop").Press("enter").WaitFor(Contains("▸ 1 Deny"), Contains("stop.sh"))
	d.Press("4").WaitFor(Contains("▸ 1 Back"), Contains("bound to: stop.sh. Others that these start or", "load are not bound."))
	d.Press("2").WaitFor(Contains("It was tried."))
	write("#!/bin/sh\nexit 1\n")
	d.Type("/permissions").Press("enter").WaitFor(Contains("Void, changed since: stop.sh"), NotContains("Allowed always"))
	d.Resize(50, 24).WaitFor(Contains("Void, changed since: stop.sh"), Contains("  void "))
	d.Resize(110, 32).Press("enter").WaitFor(Contains("taken back"))
	d.Press("down").Press("enter").WaitFor(Contains("What became of it: ran outside: it had all your rights.")).Press("esc").WaitFor(Contains("revoke, restore")).Press("esc").WaitFor(NotContains("revoke, restore"))
	d.Type("more").Press("enter").WaitFor(Contains("▸ 1 Deny")).Press("enter")
	d.WaitIdle()
}

// TestTrustCommand trusts a folder about which nothing is asked, sees it listed, and
// takes it back, also before the first message of a session.
func TestTrustCommand(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: answers(on("go", say("Gone.")))})
		d.WaitFor(Contains("Type what you want done"))
		d.Type("/trust").Press("enter").WaitFor(Contains("not trusted"))
		d.Type("/trust maybe").Press("enter").WaitFor(Contains("is no answer"))
		d.Type("/trust yes").Press("enter").WaitFor(Contains("Trusted: "))
		d.Type("/permissions").Press("enter").WaitFor(Contains("Folders"), Contains("project")).Press("esc")
		d.Type("go").Press("enter").WaitFor(Contains("Gone."))
		d.Type("/trust").Press("enter").WaitFor(Contains("This folder is trusted"))
		d.Type("/trust no").Press("enter").WaitFor(Contains("No longer trusted: "))
		d.WaitIdle()
	}
}
