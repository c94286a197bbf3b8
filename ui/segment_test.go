//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestStatusCommand shows what the user's command writes, made safe; runs it again when a
// turn begins and ends; and says why one fails.
func TestStatusCommand(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 160, Rows: 30, Scenario: answers(on("", say("One.")))})
	d.WaitIdle()
	f := newSettingsFile(t, d)
	f.set(`display: {status_command: 'echo x >>ran; printf "ran \033[31m%s times, " "$(($(wc -l <ran)))"; cut -c1-11'}` + "\n")
	d.WaitFor(Contains(`ran 1 times, {"session":`))
	d.Type("go").Press("enter").WaitFor(Contains("One.", "times, "), NotContains("ran 1 times"))
	f.set("display: {status_command: \"echo out of order >&2; exit 4\"}\n")
	d.WaitFor(Contains("ended with code 4: out of order"), NotContains(`times, {`))
	f.set("display: {status_command: \"\"}\n")
	d.WaitFor(Contains("Settings have changed"), NotContains("times, ")).WaitIdle()
}

// TestHud shows what frames take, and hides it.
func TestHud(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 30, Scenario: answers(on("", say("One.")))})
	d.WaitIdle().Type("/hud").Press("enter").WaitFor(Contains("frame ", " ms, worst ", "B, mean ", "journal "))
	d.Type("go").Press("enter").WaitFor(Contains("One.")).WaitIdle().Expect(NotContains("journal 0.0 ms"))
	d.Resize(60, 20).WaitFor(Contains("journal "))
	d.Type("/hud").Press("enter").WaitFor(NotContains(" ms, worst "))
}
